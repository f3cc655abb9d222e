// A chart in its place: made once, told anew when its data or its page's colours change.

const mounted = new WeakMap();
const memories = new Map();

function mount(place) {
  const host = element('div', 'tradeoff');
  host.tabIndex = 0;
  host.setAttribute('role', 'application');
  host.setAttribute('aria-roledescription', 'chart');
  const chart = {
    host, base: element('canvas'), over: element('canvas', 'over'),
    card: element('div', 'card'), live: element('div', 'live'),
    zoom: {}, looks: new Map(), told: [], drawn: 0, selected: [], frames: [],
    hit: null, drag: null, brush: null, tookTool: false,
  };
  chart.live.setAttribute('aria-live', 'polite');
  chart.card.hidden = true;
  host.append(chart.base, chart.over, makeTools(chart), chart.card, chart.live);
  const style = element('style');
  style.textContent = STYLE;
  place.append(style, host);
  listen(chart);
  chart.watching = watch(chart);
  return chart;
}

// Redraw when the place, the density of pixels or the colours change.
function watch(chart) {
  const sizes = new ResizeObserver(() => {
    if (chart.spec && Math.floor(chart.host.clientWidth) !== chart.width) redraw(chart);
  });
  sizes.observe(chart.host);
  const again = () => recolour(chart);
  schemes.addEventListener('change', again);
  if (document.fonts?.status === 'loading') document.fonts.ready.then(() => chart.spec && redraw(chart));
  const outside = (event) => {
    if (!event.composedPath().includes(chart.menu.parentNode)) closeMenus(chart);
    if (chart.hit && event.pointerType === 'touch' && !event.composedPath().includes(chart.host)) setHit(chart, null);
  };
  document.addEventListener('pointerdown', outside);
  return () => {
    sizes.disconnect();
    schemes.removeEventListener('change', again);
    document.removeEventListener('pointerdown', outside);
    const { key } = chart.host.dataset;
    if (window.__tradeoffCharts?.[key]?.host === chart.host) delete window.__tradeoffCharts[key];
  };
}

// Colours of the page, told on to the card and the tools; true where they changed.
function recolour(chart) {
  const palette = readPalette(chart.host);
  const words = JSON.stringify(palette);
  if (words === chart.paletteWords) return;
  chart.palette = palette;
  chart.paletteWords = words;
  chart.looks.clear();
  for (const name of ['text', 'muted', 'grid', 'axis', 'surface', 'background', 'font']) {
    chart.host.style.setProperty(`--${name}`, palette[name]);
  }
  chart.host.classList.toggle('dark', palette.dark);
  if (chart.spec && chart.layout) redraw(chart);
}

// New data; what looks the same is left alone.
function update(chart, bytes) {
  const same = sameBytes(chart.bytes, bytes);
  const hit = chart.hit;
  const key = hit?.target === undefined ? null : chart.spec.keys[hit.key];
  if (!same) {
    chart.bytes = bytes.slice();
    chart.spec = decode(chart.bytes);
    chart.looks.clear();
    chart.keyIndex = null;
    chart.hit = null;
    chart.layout = null;
    hideCard(chart);
    remember(chart);
    chart.host.dataset.key = chart.spec.key;
    chart.host.setAttribute('aria-label', clean(chart.spec.alt || chart.spec.title || 'Chart'));
  }
  const before = JSON.stringify([chart.selected, chart.brush]);
  chart.selected = [...chart.spec.selected];
  chart.brush = chart.spec.brush;
  updateTools(chart);
  recolour(chart);
  if (!same || !chart.layout) {
    redraw(chart);
    // What was pointed at is still pointed at.
    if (key && chart.layout) setHit(chart, hitAgain(chart, hit, key));
  } else if (before !== JSON.stringify([chart.selected, chart.brush])) redrawOver(chart);
}

// Zoom and tool live on under the chart's key, also where its page made it a new place.
function remember(chart) {
  const { key } = chart.spec;
  const signature = axesSignature(chart.spec);
  let memory = memories.get(key);
  if (!memory || memory.signature !== signature) {
    memory = { signature, zoom: {}, tool: memory?.tool ?? null, told: memory?.told ?? [] };
    memories.set(key, memory);
  }
  chart.memory = memory;
  chart.zoom = memory.zoom;
  chart.told = memory.told;
  const kept = memory.tool && (memory.tool === 'zoom' || chart.spec.select.includes(memory.tool));
  chart.tookTool = !!kept;
  chart.tool = kept ? memory.tool : usualTool(chart.spec);
  window.__tradeoffCharts ??= {};
  window.__tradeoffCharts[key] = accessors(chart);
}

// For tests and measurements: what was told, and where on the page things lie.
function accessors(chart) {
  const onPage = (x, y) => {
    const box = chart.over.getBoundingClientRect();
    return [box.left + x, box.top + y];
  };
  return {
    get spec() { return chart.spec; },
    get told() { return chart.told; },
    get host() { return chart.host; },
    at(key) {
      const index = indexOfKey(chart, key);
      const { found, px, py } = targetsOf(chart);
      const t = found.findLastIndex(({ layer, i }) => layer.key[i] === index);
      return t >= 0 ? onPage(px[t], py[t]) : null;
    },
    locate(x, y, panel = 0) {
      const frame = chart.frames[panel];
      return onPage(frame.x.pixel(x), frame.y.pixel(y));
    },
    redraw() { redraw(chart); },
  };
}

// Streamlit's entry: called whenever its element is told anew or the theme changes.
function component({ data, parentElement, setTriggerValue }) {
  let chart = mounted.get(parentElement);
  if (!chart || !parentElement.contains(chart.host)) {
    chart = mount(parentElement);
    mounted.set(parentElement, chart);
  }
  chart.send = setTriggerValue;
  if (data) update(chart, data);
  return () => chart.watching();
}

// A saved page's entry: every place that has data gets its chart.
function page(root) {
  for (const place of root.querySelectorAll('.tradeoff-chart')) {
    const data = place.querySelector('script[type="text/plain"]');
    const chart = mount(place);
    update(chart, fromBase64(data.textContent));
  }
}

return { component, page };
