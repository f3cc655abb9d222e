// The chart without a mouse: arrows walk from point to point, each of which is spoken.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function keyed(chart, event) {
  // Keys of the tools are the tools' own.
  if (event.target !== chart.host || event.ctrlKey || event.metaKey || event.altKey) return;
  const way = WAYS[event.key];
  if (way) walk(chart, way);
  else if (event.key === 'Enter' || event.key === ' ') {
    if (chart.hit) pick(chart, chart.hit);
  } else if (event.key === 'Escape') cleared(chart);
  else if (event.key === '+' || event.key === '=') zoomBy(chart, 1 / 1.5, chart.walking ? chart.hit : null);
  else if (event.key === '-') zoomBy(chart, 1.5, chart.walking ? chart.hit : null);
  else if (event.key === '0') zoomReset(chart);
  else return;
  event.preventDefault();
}

function walk(chart, way) {
  const targets = targetsOf(chart);
  if (!targets.found.length) return;
  const from = chart.hit?.target;
  const next = from === undefined ? firstTarget(chart, targets) : neighbour(targets, from, way);
  if (next < 0) return;
  chart.walking = true;
  const hit = hitOf(chart, next);
  setHit(chart, hit);
  chart.live.textContent = spoken(chart, hit);
}

// Walks begin at what is selected, else at the point that is furthest to the left.
function firstTarget(chart, { found, px }) {
  const chosen = new Set(chart.selected.map((key) => indexOfKey(chart, key)));
  const at = found.findIndex(({ layer, i }) => chosen.has(layer.key[i]));
  return at >= 0 ? at : px.reduce((best, x, t) => (x < px[best] ? t : best), 0);
}

// The nearest point in this direction; one that lies more across than along it only where there is no other.
function neighbour({ px, py }, from, [wx, wy]) {
  let best = -1;
  let least = Infinity;
  for (let t = 0; t < px.length; t++) {
    const along = (px[t] - px[from]) * wx + (py[t] - py[from]) * wy;
    const across = Math.abs((px[t] - px[from]) * wy) + Math.abs((py[t] - py[from]) * wx);
    if (along < 0.5) continue;
    const length = along + 2 * across + (across > along * 2.5 ? 1e6 : 0);
    if (length < least) [best, least] = [t, length];
  }
  return best;
}

// What was done last is undone first: the walk, then the brush.
function cleared(chart) {
  closeMenus(chart);
  if (chart.drag) dropDrag(chart);
  else if (chart.hit) {
    chart.walking = false;
    setHit(chart, null);
    chart.live.textContent = '';
  } else if (chart.brush) setBrush(chart, null);
}
