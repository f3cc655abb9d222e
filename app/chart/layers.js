// Layers of a panel, from back to front.

const DASHES = { solid: [], dash: [7, 5], dot: [1.5, 4.5] };
const MANY = 1500;
const CAPPED = 60;

// Pixels of points of a layer in a panel; what lies outside it is NaN.
function pixelsOf(frame, layer) {
  const n = layer.x.length;
  const px = new Float32Array(n);
  const py = new Float32Array(n);
  const { x, y } = frame;
  for (let i = 0; i < n; i++) {
    const a = x.pixel(layer.x[i]);
    const b = y.pixel(layer.y[i]);
    const inside = isInside(frame, a, b, 0.5);
    px[i] = inside ? a : NaN;
    py[i] = inside ? b : NaN;
  }
  return { px, py };
}

function isInside(frame, x, y, slack) {
  return x >= frame.left - slack && x <= frame.right + slack && y >= frame.top - slack && y <= frame.bottom + slack;
}

function drawLayer(ctx, chart, frame, layer) {
  if (layer.kind === 'points') drawPoints(ctx, chart, frame, layer);
  else if (layer.kind === 'line') drawLine(ctx, chart, frame, layer);
  else if (layer.kind === 'band') drawBand(ctx, chart, frame, layer);
  else if (layer.kind === 'area') drawArea(ctx, chart, frame, layer);
  else if (layer.kind === 'text') drawText(ctx, chart, frame, layer);
}

function clipped(ctx, frame, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
  ctx.clip();
  draw();
  ctx.restore();
}

function drawPoints(ctx, chart, frame, layer) {
  const looks = looksOf(chart, layer);
  const places = pixelsOf(frame, layer);
  frame.places.set(layer, places);
  if (layer.x.length > MANY && !ctx.isSvg) {
    rasterPoints(ctx, chart, frame, layer, looks, places);
    return;
  }
  if (hasIntervals(layer)) drawIntervals(ctx, frame, layer, looks, places);
  ctx.globalAlpha = layer.opacity;
  for (let i = 0; i < places.px.length; i++) {
    if (places.px[i] === places.px[i]) stamp(ctx, places.px[i], places.py[i], lookOf(looks, layer, i));
  }
  ctx.globalAlpha = 1;
}

function hasIntervals(layer) {
  return (layer.x_low && layer.x_high) || (layer.y_low && layer.y_high);
}

// Intervals of points in pixels, cut at the panel's rim; an end without a place (of a logarithm) lies there.
function eachInterval(frame, layer, px, py, put) {
  const { left, right, top, bottom } = frame;
  const across = layer.x_low && layer.x_high;
  const upright = layer.y_low && layer.y_high;
  for (let i = 0; i < px.length; i++) {
    if (px[i] !== px[i]) continue;
    if (across && layer.x_low[i] < layer.x_high[i]) {
      const start = within(frame.x.pixel(layer.x_low[i]), left, right, left);
      put(i, start, py[i], within(frame.x.pixel(layer.x_high[i]), left, right, left), py[i]);
    }
    if (upright && layer.y_low[i] < layer.y_high[i]) {
      const start = within(frame.y.pixel(layer.y_high[i]), top, bottom, bottom);
      put(i, px[i], start, px[i], within(frame.y.pixel(layer.y_low[i]), top, bottom, bottom));
    }
  }
}

function within(value, low, high, otherwise) {
  return value !== value ? otherwise : Math.min(high, Math.max(low, value));
}

// Intervals as thin bars in their points' colours; of few, ends that lie inside the panel have caps.
function drawIntervals(ctx, frame, layer, looks, { px, py }) {
  const thick = px.length > 400 ? 1 : 1.25;
  const cap = px.length > CAPPED ? 0 : 3;
  ctx.globalAlpha = layer.opacity * (px.length > 400 ? 0.3 : 0.5);
  eachInterval(frame, layer, px, py, (i, x0, y0, x1, y1) => {
    ctx.fillStyle = looks.colours[looks.index ? looks.index[i] : 0];
    if (y0 === y1) {
      ctx.fillRect(x0, y0 - thick / 2, x1 - x0, thick);
      for (const end of [x0, x1]) {
        if (cap && end > frame.left && end < frame.right) ctx.fillRect(end - thick / 2, y0 - cap, thick, 2 * cap);
      }
    } else {
      ctx.fillRect(x0 - thick / 2, y0, thick, y1 - y0);
      for (const end of [y0, y1]) {
        if (cap && end > frame.top && end < frame.bottom) ctx.fillRect(x0 - cap, end - thick / 2, 2 * cap, thick);
      }
    }
  });
  ctx.globalAlpha = 1;
}

// Runs of places without NaN.
function runs(frame, xs, ys) {
  const found = [];
  let run = [];
  for (let i = 0; i < xs.length; i++) {
    const a = frame.x.pixel(xs[i]);
    const b = frame.y.pixel(ys[i]);
    if (Number.isFinite(a) && Number.isFinite(b)) run.push([a, b]);
    else if (run.length) {
      found.push(run);
      run = [];
    }
  }
  if (run.length) found.push(run);
  return found;
}

function traceRun(ctx, run) {
  run.forEach(([a, b], i) => (i ? ctx.lineTo(far(a), far(b)) : ctx.moveTo(far(a), far(b))));
}

// Far outside is far enough: a rasteriser's numbers are small.
function far(pixel) {
  return Math.min(30000, Math.max(-30000, pixel));
}

function drawLine(ctx, chart, frame, layer, strong = false) {
  const found = runs(frame, layer.x, layer.y);
  const colour = colourOf(layer.colour, chart.palette);
  clipped(ctx, frame, () => {
    ctx.globalAlpha = strong ? 1 : layer.opacity;
    ctx.strokeStyle = colour;
    ctx.lineWidth = layer.width + (strong ? 1.2 : 0);
    ctx.lineJoin = 'round';
    ctx.lineCap = layer.dash === 'dot' ? 'round' : 'butt';
    ctx.setLineDash(DASHES[layer.dash] || []);
    ctx.beginPath();
    found.forEach((run) => traceRun(ctx, run));
    ctx.stroke();
    ctx.setLineDash([]);
  });
  ctx.globalAlpha = strong ? 1 : layer.opacity;
  const radius = Math.max(2.5, layer.width * 1.5);
  const look = { colour, symbol: 0, hollow: false, edge: chart.palette.background, edgeWidth: 1, radius };
  for (const run of found) {
    // A run of one place has no length: it is a dot.
    if (!layer.markers && run.length > 1) continue;
    for (const [a, b] of run) {
      if (isInside(frame, a, b, 1)) stamp(ctx, a, b, look);
    }
  }
  ctx.globalAlpha = 1;
}

function drawBand(ctx, chart, frame, layer) {
  const n = layer.x.length;
  clipped(ctx, frame, () => {
    ctx.globalAlpha = tint(layer.opacity, chart.palette);
    ctx.fillStyle = colourOf(layer.colour, chart.palette);
    ctx.beginPath();
    let start = 0;
    const good = (i) => Number.isFinite(frame.x.pixel(layer.x[i])) && !Number.isNaN(layer.low[i] + layer.high[i]);
    // What has no place on a logarithmic axis lies at its low end.
    const rim = (value) => clampNaN(frame.y.pixel(value), frame.bottom);
    for (let i = 0; i <= n; i++) {
      if (i < n && good(i)) continue;
      const run = [];
      for (let k = start; k < i; k++) run.push([frame.x.pixel(layer.x[k]), rim(layer.high[k])]);
      for (let k = i - 1; k >= start; k--) run.push([frame.x.pixel(layer.x[k]), rim(layer.low[k])]);
      if (run.length) {
        traceRun(ctx, run);
        ctx.closePath();
      }
      start = i + 1;
    }
    ctx.fill();
  });
  ctx.globalAlpha = 1;
}

function drawArea(ctx, chart, frame, layer) {
  clipped(ctx, frame, () => {
    ctx.globalAlpha = tint(layer.opacity, chart.palette);
    ctx.fillStyle = colourOf(layer.colour, chart.palette);
    ctx.beginPath();
    for (const run of runs(frame, layer.x, layer.y)) {
      traceRun(ctx, run);
      ctx.closePath();
    }
    ctx.fill();
  });
  ctx.globalAlpha = 1;
}

function drawText(ctx, chart, frame, layer) {
  ctx.font = fontOf(chart.palette, 11.5);
  ctx.fillStyle = colourOf(layer.colour, chart.palette);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const { px, py } = pixelsOf(frame, layer);
  for (let i = 0; i < px.length; i++) {
    if (px[i] !== px[i]) continue;
    const text = elided(ctx, layer.text[i], 260);
    const width = ctx.measureText(text).width;
    const start = px[i] - (layer.anchor === 'middle' ? width / 2 : layer.anchor === 'end' ? width : 0);
    // Nothing is cut at the chart's rim.
    const left = Math.max(frame.left + 2, Math.min(start, chart.width - width - 2));
    ctx.lineWidth = 3;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = withAlpha(chart.palette.background, 0.85);
    ctx.strokeText(text, left, py[i]);
    ctx.fillText(text, left, py[i]);
  }
}
