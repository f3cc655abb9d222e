// Which point or line lies nearest to a place: points are sorted into cells of a grid, so few are looked at.

const CELL = 16;
const REACH = 14;
const FINGER_REACH = 22;
const LINE_REACH = 7;

function targetsOf(chart) {
  if (chart.targets) return chart.targets;
  const found = [];
  for (const frame of chart.frames) {
    for (const layer of frame.layers) {
      const places = layer.kind === 'points' ? frame.places.get(layer) : null;
      if (!places || !layer.key) continue;
      for (let i = 0; i < places.px.length; i++) {
        if (layer.key[i] >= 0 && places.px[i] === places.px[i]) found.push({ frame, layer, i });
      }
    }
  }
  const n = found.length;
  const px = new Float32Array(n);
  const py = new Float32Array(n);
  const columns = Math.ceil(chart.width / CELL) + 1;
  const rows = Math.ceil(chart.height / CELL) + 1;
  const cell = new Uint32Array(n);
  const starts = new Uint32Array(columns * rows + 1);
  found.forEach(({ frame, layer, i }, t) => {
    const places = frame.places.get(layer);
    px[t] = places.px[i];
    py[t] = places.py[i];
    cell[t] = cellOf(px[t], columns) + cellOf(py[t], rows) * columns;
    starts[cell[t] + 1]++;
  });
  for (let c = 0; c < columns * rows; c++) starts[c + 1] += starts[c];
  const order = new Uint32Array(n);
  const next = starts.slice();
  for (let t = 0; t < n; t++) order[next[cell[t]]++] = t;
  chart.targets = { found, px, py, starts, order, columns, rows };
  return chart.targets;
}

function cellOf(pixel, count) {
  return Math.max(0, Math.min(count - 1, Math.floor(pixel / CELL)));
}

// Targets within a reach of a place.
function around(targets, x, y, reach) {
  const { px, py, starts, order, columns, rows } = targets;
  const near = [];
  for (let row = cellOf(y - reach, rows); row <= cellOf(y + reach, rows); row++) {
    for (let column = cellOf(x - reach, columns); column <= cellOf(x + reach, columns); column++) {
      const c = row * columns + column;
      for (let k = starts[c]; k < starts[c + 1]; k++) {
        const t = order[k];
        const distance = Math.hypot(px[t] - x, py[t] - y);
        if (distance <= reach) near.push([distance, t]);
      }
    }
  }
  return near;
}

// The nearest point within reach, of equals the one on top; else the nearest line; else null.
function nearestTo(chart, x, y, reach) {
  const targets = targetsOf(chart);
  let best = null;
  for (const [distance, t] of around(targets, x, y, reach)) {
    if (!best || distance < best[0] - 1e-3 || (distance < best[0] + 1e-3 && t > best[1])) best = [distance, t];
  }
  return best ? hitOf(chart, best[1]) : nearestLine(chart, x, y);
}

function hitOf(chart, t) {
  const targets = targetsOf(chart);
  const { frame, layer, i } = targets.found[t];
  const [x, y] = [targets.px[t], targets.py[t]];
  const keys = new Set(around(targets, x, y, 1.5).map(([, other]) => {
    const { layer: its, i: at } = targets.found[other];
    return its.key[at];
  }));
  return { target: t, key: layer.key[i], frame, layer, i, x, y, together: keys.size };
}

// The same key again after things moved, in the same panel if it is there.
function hitAgain(chart, before, key) {
  const index = indexOfKey(chart, key);
  const { found } = targetsOf(chart);
  const mine = ({ layer, i }) => layer.key[i] === index;
  const inPanel = found.findLastIndex((target) => mine(target) && target.frame.index === before.frame.index);
  const t = index < 0 ? -1 : inPanel >= 0 ? inPanel : found.findLastIndex(mine);
  return t >= 0 ? hitOf(chart, t) : null;
}

function nearestLine(chart, x, y) {
  let best = null;
  for (const frame of chart.frames) {
    if (!isInside(frame, x, y, 4)) continue;
    for (const layer of frame.layers) {
      if (layer.kind !== 'line' || !(layer.key || layer.name)) continue;
      const near = nearestOnLine(frame, layer, x, y);
      if (near && near.distance <= LINE_REACH && (!best || near.distance <= best.distance)) {
        best = { ...near, frame, layer, line: layer, together: 1 };
      }
    }
  }
  return best && { ...best, key: best.layer.key ? indexOfKey(chart, best.layer.key) : -1 };
}

// The vertex at hand where the line passes nearest.
function nearestOnLine(frame, layer, x, y) {
  let best = null;
  let [a, b] = [NaN, NaN];
  for (let i = 0; i < layer.x.length; i++) {
    const [c, d] = [frame.x.pixel(layer.x[i]), frame.y.pixel(layer.y[i])];
    const joined = Number.isFinite(a) && Number.isFinite(b);
    if (Number.isFinite(c) && Number.isFinite(d)) {
      const [dx, dy] = joined ? [c - a, d - b] : [0, 0];
      const part = dx || dy ? Math.min(1, Math.max(0, ((x - a) * dx + (y - b) * dy) / (dx * dx + dy * dy))) : 1;
      const [ex, ey] = joined ? [a + part * dx, b + part * dy] : [c, d];
      const distance = Math.hypot(x - ex, y - ey);
      if (!best || distance < best.distance) {
        const before = joined && part < 0.5;
        best = { distance, i: before ? i - 1 : i, x: before ? a : c, y: before ? b : d };
      }
    }
    [a, b] = [c, d];
  }
  return best;
}

function frameAt(chart, x, y, slack = 12) {
  return chart.frames.find((frame) => isInside(frame, x, y, slack));
}
