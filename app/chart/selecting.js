// Pointing, clicking and drawing by hand.

const MOST_VERTICES = 200;
const STILL = 4;

function tell(chart, event, value) {
  chart.told.push({ event, value });
  chart.send?.(event, value);
}

function pick(chart, hit) {
  const key = hit.line ? hit.line.key : chart.spec.keys[hit.key];
  if (!key) return;
  // Ringed at once; whoever is told decides what stays.
  chart.selected = [key];
  redrawOver(chart);
  tell(chart, 'picked', key);
}

function setBrush(chart, brush) {
  chart.brush = brush;
  redrawOver(chart);
  updateTools(chart);
  tell(chart, 'brushed', brush);
}

function placeOf(chart, event) {
  const box = chart.over.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function listen(chart) {
  const { over } = chart;
  over.addEventListener('pointerdown', (event) => pressed(chart, event));
  over.addEventListener('pointermove', (event) => moved(chart, event));
  over.addEventListener('pointerup', (event) => released(chart, event));
  over.addEventListener('pointercancel', () => dropDrag(chart));
  // A finger that is lifted leaves too; what it tapped stays shown.
  over.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch' && !chart.drag && !chart.walking) setHit(chart, null);
  });
  over.addEventListener('dblclick', () => {
    if (chart.brush) setBrush(chart, null);
    else if (isZoomed(chart)) zoomReset(chart);
  });
  over.addEventListener('wheel', (event) => wheeled(chart, event), { passive: false });
  chart.host.addEventListener('keydown', (event) => keyed(chart, event));
}

function pressed(chart, event) {
  if (event.button !== 0) return;
  closeMenus(chart);
  chart.walking = false;
  const [x, y] = placeOf(chart, event);
  const frame = frameAt(chart, x, y);
  if (!frame) return;
  // A finger scrolls the page unless its reader took a tool.
  const finger = event.pointerType === 'touch';
  const tool = event.shiftKey ? 'pan' : chart.tool;
  const draws = !finger || chart.tookTool;
  const start = [frame.x, frame.y];
  chart.drag = { frame, tool, draws, start, from: [x, y], to: [x, y], points: [[x, y]], moved: false };
  if (draws) chart.over.setPointerCapture(event.pointerId);
}

function moved(chart, event) {
  const [x, y] = placeOf(chart, event);
  const { drag } = chart;
  if (!drag) {
    if (event.pointerType !== 'touch') pointAt(chart, x, y);
    return;
  }
  if (!drag.draws) return;
  drag.to = inFrame(drag.frame, [x, y]);
  if (Math.hypot(x - drag.from[0], y - drag.from[1]) > STILL) drag.moved = true;
  if (!drag.moved) return;
  if (chart.hit) setHit(chart, null);
  if (drag.tool === 'pan') {
    panBy(chart, drag, x, y);
    return;
  }
  const [a, b] = drag.points.at(-1);
  if (Math.hypot(x - a, y - b) > 3) drag.points.push(drag.to);
  redrawOver(chart);
}

function inFrame(frame, [x, y]) {
  return [Math.min(frame.right, Math.max(frame.left, x)), Math.min(frame.bottom, Math.max(frame.top, y))];
}

function panBy(chart, drag, x, y) {
  const [sx, sy] = drag.start;
  const [dx, dy] = [x - drag.from[0], y - drag.from[1]];
  const shown = (scale, shift) => [scale.value(scale.from - shift), scale.value(scale.to - shift)];
  zoomTo(chart, drag.frame, shown(sx, dx), shown(sy, dy));
}

function pointAt(chart, x, y, reach = REACH) {
  const hit = nearestTo(chart, x, y, reach);
  chart.walking = false;
  setHit(chart, hit);
  const spot = hit ? null : chart.layout.spots.find((s) => x >= s.left && x <= s.right && y >= s.top && y <= s.bottom);
  if (spot) showHint(chart, spot);
  const picks = hit && (hit.key >= 0 || hit.line?.key);
  chart.over.style.cursor = picks ? 'pointer' : spot ? 'help' : frameAt(chart, x, y, 0) ? 'crosshair' : 'default';
}

function released(chart, event) {
  const { drag } = chart;
  chart.drag = null;
  const [x, y] = placeOf(chart, event);
  if (!drag) {
    if (event.pointerType === 'touch') pointAt(chart, x, y, FINGER_REACH);
    return;
  }
  if (!drag.moved) {
    const still = Math.hypot(x - drag.from[0], y - drag.from[1]) <= 10;
    if (!still) return;
    pointAt(chart, x, y, event.pointerType === 'touch' ? FINGER_REACH : REACH);
    // The second click of a double one says nothing new.
    const again = event.timeStamp - (chart.clicked ?? -Infinity) < 400;
    chart.clicked = event.timeStamp;
    if (chart.hit && !again) pick(chart, chart.hit);
    return;
  }
  if (drag.tool === 'zoom') zoomToBox(chart, drag.frame, drag.from, drag.to);
  else if (drag.tool === 'box') setBrush(chart, boxOf(drag));
  else if (drag.tool === 'lasso') setBrush(chart, lassoOf(drag));
  else redrawOver(chart);
}

function dropDrag(chart) {
  chart.drag = null;
  redrawOver(chart);
}

function boxOf({ frame, from, to }) {
  const [x0, x1] = [from[0], to[0]].sort((a, b) => a - b).map(frame.x.value);
  const [y1, y0] = [from[1], to[1]].sort((a, b) => a - b).map(frame.y.value);
  return { kind: 'box', x: [x0, x1], y: [y0, y1] };
}

function lassoOf({ frame, points }) {
  const step = Math.max(1, points.length / MOST_VERTICES);
  const kept = Array.from({ length: Math.min(points.length, MOST_VERTICES) }, (_, i) => points[Math.floor(i * step)]);
  if (kept.length < 3) return null;
  return { kind: 'lasso', points: kept.map(([a, b]) => [frame.x.value(a), frame.y.value(b)]) };
}

function wheeled(chart, event) {
  if (!event.ctrlKey && !event.metaKey) return;
  const [x, y] = placeOf(chart, event);
  const frame = frameAt(chart, x, y);
  if (!frame) return;
  event.preventDefault();
  zoomBy(chart, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), { frame, x, y });
}
