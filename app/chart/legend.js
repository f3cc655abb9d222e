// What colours, shapes and sizes mean: entries that flow in rows.

const ROW = 22;
const SWATCH = 20;

// Entries in their order: each has a width and draws itself at the middle of its left side.
function legendEntries(ctx, chart, most) {
  const { spec, palette } = chart;
  ctx.font = fontOf(palette, 12);
  const entries = [];
  const layers = [...spec.layers, ...spec.panels.flatMap((panel) => panel.layers)];
  const seen = new Set();
  const text = (words, colour, weight) => (at, x, y) => {
    at.font = fontOf(palette, 12, weight);
    at.fillStyle = colour;
    at.textAlign = 'left';
    at.textBaseline = 'middle';
    at.fillText(words, x, y);
  };
  const push = (words, swatch, swatchWidth, more = {}) => {
    const shown = elided(ctx, words, Math.min(260, most - swatchWidth - 8));
    const label = text(shown, palette.muted);
    const gap = swatchWidth ? swatchWidth + 6 : 0;
    entries.push({
      width: gap + ctx.measureText(shown).width,
      draw: (at, x, y) => {
        swatch?.(at, x, y);
        label(at, x + gap, y);
      },
      ...more,
    });
  };
  for (const layer of layers) {
    const colour = typeof layer.colour === 'string' ? layer.colour : '';
    const name = `${layer.kind}\u0000${layer.name}\u0000${colour}`;
    if (!layer.name || seen.has(name)) continue;
    seen.add(name);
    push(layer.name, layerSwatch(chart, layer), layer.kind === 'points' ? 12 : SWATCH, { gap: seen.size > 1 ? 16 : 0 });
  }
  if (spec.colour?.kind === 'scale') entries.push(barEntry(ctx, chart, spec.colour, most));
  if (spec.colour?.kind === 'words') wordEntries(ctx, chart, spec.colour, push, dotSwatch(chart));
  if (spec.symbols) wordEntries(ctx, chart, spec.symbols, push, shapeSwatch(chart));
  if (spec.sizes) entries.push(sizeEntry(ctx, chart, spec.sizes));
  return entries;
}

function layerSwatch(chart, layer) {
  const colour = colourOf(typeof layer.colour === 'string' ? layer.colour : 'muted', chart.palette);
  const look = { colour, symbol: 0, hollow: false, edge: chart.palette.background, edgeWidth: 0, radius: 4.5 };
  if (layer.kind === 'points') {
    const all = layer.hollow && layer.hollow.length && layer.hollow.every((h) => h);
    const shape = layer.symbol?.length && layer.symbol.every((s) => s === layer.symbol[0]) ? layer.symbol[0] : 0;
    return (at, x, y) => {
      at.globalAlpha = Math.max(0.35, layer.opacity);
      stamp(at, x + 6, y, { ...look, symbol: shape, hollow: all });
      at.globalAlpha = 1;
    };
  }
  if (layer.kind === 'line') {
    return (at, x, y) => {
      at.globalAlpha = layer.opacity;
      at.strokeStyle = colour;
      at.lineWidth = layer.width;
      at.lineCap = layer.dash === 'dot' ? 'round' : 'butt';
      at.setLineDash(DASHES[layer.dash] || []);
      at.beginPath();
      at.moveTo(x, y);
      at.lineTo(x + SWATCH, y);
      at.stroke();
      at.setLineDash([]);
      if (layer.markers) stamp(at, x + SWATCH / 2, y, { ...look, radius: Math.max(2.5, layer.width * 1.5) });
      at.globalAlpha = 1;
    };
  }
  return (at, x, y) => {
    at.globalAlpha = Math.min(1, tint(layer.opacity, chart.palette) * 1.6);
    at.fillStyle = colour;
    at.fillRect(x, y - 5, SWATCH, 10);
    at.globalAlpha = 1;
  };
}

function dotSwatch(chart) {
  const colours = wordColours(chart.spec.colour, chart.palette);
  return (i) => (at, x, y) =>
    stamp(at, x + 6, y, { colour: colours[i], symbol: 0, hollow: false, edge: '', edgeWidth: 0, radius: 4.5 });
}

function shapeSwatch(chart) {
  const look = { colour: chart.palette.muted, hollow: false, edge: '', edgeWidth: 0, radius: 4.5 };
  return (i) => (at, x, y) => stamp(at, x + 6, y, { ...look, symbol: i % SHAPES.length });
}

function wordEntries(ctx, chart, words, push, swatch) {
  const most = 24;
  if (words.title) push(words.title, null, 0, { gap: 26, hint: words.hint, isTitle: true });
  words.words.slice(0, most).forEach((word, i) => push(word, swatch(i), 12, { gap: 12 }));
  if (words.words.length > most) push(`and ${words.words.length - most} more`, null, 0, { gap: 12 });
}

function barEntry(ctx, chart, scale, most) {
  const { palette } = chart;
  const title = elided(ctx, scale.title, Math.min(220, most * 0.45));
  const [low, high] = [endText(scale.low), endText(scale.high)];
  const [titleWidth, lowWidth, highWidth] = [title, low, high].map((t) => ctx.measureText(t).width);
  const bar = Math.max(60, Math.min(120, most - titleWidth - lowWidth - highWidth - 30));
  const steps = 40;
  const colours = ramp(scale, palette, steps);
  const draw = (at, x, y) => {
    at.font = fontOf(palette, 12);
    at.textAlign = 'left';
    at.textBaseline = 'middle';
    at.fillStyle = palette.muted;
    at.fillText(title, x, y);
    const start = x + (title ? titleWidth + 10 : 0);
    at.fillText(low, start, y);
    const left = start + lowWidth + 6;
    colours.forEach((colour, i) => {
      at.fillStyle = colour;
      // Each step reaches to the end, under those that follow: no seams between them.
      at.fillRect(left + (i * bar) / steps, y - 4, bar - (i * bar) / steps, 8);
    });
    at.fillStyle = palette.muted;
    at.fillText(high, left + bar + 6, y);
  };
  return { width: (title ? titleWidth + 10 : 0) + lowWidth + bar + highWidth + 12, draw, gap: 26, hint: scale.hint };
}

function endText(value) {
  return numberText(+Number(value).toPrecision(3));
}

function sizeEntry(ctx, chart, sizes) {
  const { palette } = chart;
  const title = elided(ctx, sizes.title, 200);
  const middle = sizes.log ? Math.sqrt(sizes.low * sizes.high) : (sizes.low + sizes.high) / 2;
  const marks = [sizes.low, middle, sizes.high].map((v) => [endText(v), radiusOf(sizes, v)]);
  const titleWidth = ctx.measureText(title).width;
  const widths = marks.map(([label, r]) => 2 * r + 4 + ctx.measureText(label).width);
  const draw = (at, x, y) => {
    at.font = fontOf(palette, 12);
    at.textAlign = 'left';
    at.textBaseline = 'middle';
    at.fillStyle = palette.muted;
    at.fillText(title, x, y);
    let left = x + titleWidth + 10;
    marks.forEach(([label, r], i) => {
      trace(at, 0, left + r, y, r);
      at.fillStyle = withAlpha(palette.muted, 0.35);
      at.fill();
      at.fillStyle = palette.muted;
      at.fillText(label, left + 2 * r + 4, y);
      left += widths[i] + 10;
    });
  };
  return { width: titleWidth + 10 + widths.reduce((a, b) => a + b + 10, -10), draw, gap: 26, hint: sizes.hint };
}

// Entries in rows within a width; the first row may be shorter, where tools lie beside it.
function flow(entries, width, firstWidth) {
  const rows = [[]];
  let x = 0;
  entries.forEach((entry, i) => {
    const most = rows.length === 1 ? firstWidth : width;
    const gap = rows.at(-1).length ? entry.gap ?? 16 : 0;
    // A title stays with the first of its words.
    const whole = entry.width + (entry.isTitle && entries[i + 1] ? entries[i + 1].gap + entries[i + 1].width : 0);
    if (rows.at(-1).length && x + gap + whole > most) {
      rows.push([]);
      x = 0;
    }
    const left = rows.at(-1).length ? x + gap : 0;
    rows.at(-1).push({ entry, left });
    x = left + entry.width;
  });
  return entries.length ? rows : [];
}
