// What part of the axes is shown: kept through new data, as long as the axes are the same.

function axesSignature(spec) {
  const of = (axis) => (axis ? [axis.title, axis.low, axis.high, axis.log] : null);
  return JSON.stringify([of(spec.x), of(spec.y), spec.panels.map((p) => [of(p.x), of(p.y)])]);
}

function zoomTo(chart, frame, x, y) {
  const set = (name, axis, wanted) => {
    const f = axis.log ? Math.log : (v) => v;
    const [low, high] = ends(axis);
    const whole = f(high) - f(low);
    const part = f(wanted[1]) - f(wanted[0]);
    // Between a millionth and four times what the axis spans by itself.
    if (part > whole * 1e-6 && part < whole * 4 && wanted.every(Number.isFinite)) chart.zoom[name] = wanted;
  };
  const { panel, index } = frame;
  set(panel.x ? `x:${index}` : 'x', panel.x || chart.spec.x, x);
  set(panel.y ? `y:${index}` : 'y', panel.y || chart.spec.y, y);
  chart.memory.zoom = chart.zoom;
  afterZoom(chart);
}

function afterZoom(chart) {
  const { hit } = chart;
  chart.hit = null;
  redraw(chart);
  updateTools(chart);
  // Who walks by keys keeps the place.
  setHit(chart, hit && chart.walking ? hitAgain(chart, hit, chart.spec.keys[hit.key]) : null);
}

// The part of an axis that is a factor as wide, around a pixel that stays where it is.
function widened(scale, pixel, factor) {
  const from = pixel + (scale.from - pixel) * factor;
  const to = pixel + (scale.to - pixel) * factor;
  return [scale.value(from), scale.value(to)];
}

function zoomBy(chart, factor, place) {
  const frames = chart.frames.some((f) => f.own) && !place ? chart.frames : [place?.frame ?? chart.frames[0]];
  for (const frame of frames) {
    const [x, y] = place ? [place.x, place.y] : [(frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2];
    zoomTo(chart, frame, widened(frame.x, x, factor), widened(frame.y, y, factor));
  }
}

function zoomReset(chart) {
  chart.zoom = {};
  chart.memory.zoom = chart.zoom;
  afterZoom(chart);
}

function isZoomed(chart) {
  return Object.keys(chart.zoom).length > 0;
}

function zoomToBox(chart, frame, [x0, y0], [x1, y1]) {
  const x = [frame.x.value(Math.min(x0, x1)), frame.x.value(Math.max(x0, x1))];
  const y = [frame.y.value(Math.max(y0, y1)), frame.y.value(Math.min(y0, y1))];
  zoomTo(chart, frame, x, y);
}
