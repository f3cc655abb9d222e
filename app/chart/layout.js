// Where everything lies: words above, panels with their axes, words below. Heights follow from the width.

const NARROW = 520;
const TOOLS = 236;
const UNDER_TOOLS = 30;
const PANEL_WIDTH = 250;

function layoutOf(chart, ctx, width) {
  const { spec, palette } = chart;
  const narrow = width < NARROW;
  const placed = { texts: [], legend: [], spots: [], frames: [], width, narrow };
  const beside = width - (narrow ? 40 : TOOLS);
  let y = wordsAbove(ctx, chart, placed, beside);
  const rows = legendRows(ctx, chart, width, !narrow && y === 0 ? beside : width);
  if (!narrow) y = placeLegend(placed, rows, y);
  // Tools have a strip of their own where nothing is said above.
  y = Math.max(y, UNDER_TOOLS);
  const noteLines = lines(ctx, palette, spec.note, 12, width, narrow ? 6 : 3);
  const legendBelow = narrow && rows.length ? rows.length * ROW + 6 : 0;
  const below = (noteLines.length ? noteLines.length * 17 + 8 : 0) + legendBelow;
  const bottom = placePanels(ctx, chart, placed, y, below);
  let end = bottom;
  if (narrow && rows.length) end = placeLegend(placed, rows, end + 6);
  if (noteLines.length) {
    end += 8;
    for (const line of noteLines) {
      placed.texts.push({ text: line, x: 0, y: end + 8, size: 12, colour: palette.muted });
      end += 17;
    }
  }
  placed.height = Math.ceil(end + 2);
  return placed;
}

function lines(ctx, palette, text, size, width, most, weight = 400) {
  if (!text) return [];
  ctx.font = fontOf(palette, size, weight);
  return wrapped(ctx, text, width, most);
}

function wordsAbove(ctx, chart, placed, width) {
  const { spec, palette } = chart;
  let y = 0;
  for (const line of lines(ctx, palette, spec.title, 16, width, 3, 600)) {
    placed.texts.push({ text: line, x: 0, y: y + 12, size: 16, weight: 600, colour: palette.text });
    y += 22;
  }
  if (y) y += 1;
  const most = placed.narrow ? 5 : 3;
  let told = lines(ctx, palette, spec.subtitle, 13, width, most);
  // Below the tools there is the whole width, which may save a line.
  const below = lines(ctx, palette, spec.subtitle, 13, placed.width, most);
  if (y && below.length < told.length) {
    y = Math.max(y, UNDER_TOOLS);
    told = below;
  }
  for (const line of told) {
    placed.texts.push({ text: line, x: 0, y: y + 10, size: 13, colour: palette.muted });
    y += 18;
  }
  return y ? y + 6 : 0;
}

function legendRows(ctx, chart, width, firstWidth) {
  return flow(legendEntries(ctx, chart, width), width, firstWidth);
}

function placeLegend(placed, rows, y) {
  for (const row of rows) {
    for (const { entry, left } of row) {
      placed.legend.push({ entry, x: left, y: y + ROW / 2 });
      if (entry.hint) placed.spots.push({ left, right: left + entry.width, top: y, bottom: y + ROW, hint: entry.hint });
    }
    y += ROW;
  }
  return rows.length ? y + 6 : y;
}

function axisOf(chart, axis, name) {
  const [low, high] = chart.zoom[name] || ends(axis);
  return { ...axis, low, high };
}

function placePanels(ctx, chart, placed, top, below) {
  const { spec } = chart;
  const { width, narrow } = placed;
  const panels = spec.panels.length ? spec.panels : [{ title: '', layers: [], x: null, y: null }];
  const some = panels.some((p) => p.title);
  const own = panels.some((p) => p.x || p.y);
  const most = Math.max(1, Math.floor((width + 18) / (PANEL_WIDTH + 18)));
  const rows = Math.ceil(panels.length / most);
  const columns = Math.ceil(panels.length / rows);
  const heads = (some ? 22 : 0) + (own ? 26 : 0);
  const feet = own ? 42 : 22;
  const yTitle = own ? 0 : titled(spec.y) ? 30 : 8;
  const xTitle = own ? 0 : titled(spec.x) ? 24 : 0;
  const least = narrow ? Math.min(300, width * 0.8) : 200;
  const spare = spec.height - top - below - yTitle - xTitle - 8;
  const cell = rows === 1
    ? Math.max(least, spare - heads - feet)
    : Math.max(170, Math.min(spare / rows - heads - feet, width / columns * 0.72));
  const axes = panels.map((panel, i) => ({
    x: axisOf(chart, panel.x || spec.x, panel.x ? `x:${i}` : 'x'),
    y: axisOf(chart, panel.y || spec.y, panel.y ? `y:${i}` : 'y'),
  }));
  const apartY = narrow ? 56 : 46;
  const labelled = axes.map(({ y }) => ticksOf(y, makeScale(y.low, y.high, y.log, cell, 0), apartY));
  ctx.font = fontOf(chart.palette, 11.5);
  const widest = Math.max(...labelled.flat().map((tick) => ctx.measureText(clean(tick.label)).width), 10);
  const gutter = Math.min(widest, width * (narrow ? 0.32 : 0.28)) + 12;
  const gap = own ? 22 : 18;
  const free = width - 14;
  const inner = (free - gutter * (own ? columns : 1) - gap * (columns - 1)) / columns;
  const slant = slantOf(ctx, axes, inner, narrow);
  let y = top + yTitle;
  let lastBottom = y;
  panels.forEach((panel, i) => {
    const column = i % columns;
    if (column === 0 && i > 0) y = lastBottom + (own ? feet + slant + 14 : 14);
    const left = own ? gutter + column * (inner + gutter + gap) : gutter + column * (inner + gap);
    const isLast = i + columns >= panels.length;
    const shape = shaped(chart, axes[i], inner, cell);
    const head = y + heads;
    const frame = {
      index: i, panel, left, top: head, right: left + shape.width, bottom: head + shape.height, axes: axes[i],
      layers: [...spec.layers, ...panel.layers], ownX: !!panel.x, ownY: !!panel.y, own, slant,
      namesX: own || isLast, namesY: own || column === 0, places: new Map(), gutter,
    };
    frame.x = makeScale(axes[i].x.low, axes[i].x.high, axes[i].x.log, frame.left, frame.right);
    frame.y = makeScale(axes[i].y.low, axes[i].y.high, axes[i].y.log, frame.bottom, frame.top);
    frame.xTicks = ticksOf(axes[i].x, frame.x, narrow || columns > 2 ? 68 : 84);
    frame.yTicks = ticksOf(axes[i].y, frame.y, apartY);
    placed.frames.push(frame);
    // Names of ticks of a row that has a panel below it only in part hang into the gap.
    const hangs = frame.namesX && !own && !lastRow(i, columns, panels.length);
    lastBottom = Math.max(lastBottom, frame.bottom + (hangs ? 18 : 0));
  });
  const end = lastBottom + feet + slant + (slant ? 4 : 0);
  placeTitles(ctx, chart, placed, own, top, end);
  return end + xTitle;
}

function titled(axis) {
  return !!(axis.title || axis.direction);
}

function lastRow(i, columns, count) {
  return Math.floor(i / columns) === Math.floor((count - 1) / columns);
}

// Width and height of a panel: as much as there is, or such that both axes have one scale.
function shaped(chart, { x, y }, width, height) {
  if (!chart.spec.square) return { width, height };
  const span = (axis) => (axis.log ? Math.log10(axis.high / axis.low) : axis.high - axis.low);
  const scale = Math.min(width / span(x), height / span(y));
  return { width: span(x) * scale, height: span(y) * scale };
}

// How much deeper words below an axis hang when they are too long to stand side by side.
function slantOf(ctx, axes, inner, narrow) {
  let deepest = 0;
  for (const { x } of axes) {
    if (!x.labels.length || x.ticks.length < 2) continue;
    const scale = makeScale(x.low, x.high, x.log, 0, inner);
    const pixels = x.ticks.map(scale.pixel);
    const apart = Math.min(...pixels.slice(1).map((p, i) => Math.abs(p - pixels[i])));
    const widest = Math.max(...x.labels.map((label) => ctx.measureText(clean(label)).width));
    if (widest > apart - 8) deepest = Math.max(deepest, Math.min(widest, narrow ? 80 : 120) * 0.62);
  }
  return deepest;
}

function placeTitles(ctx, chart, placed, own, top, end) {
  const { frames } = placed;
  if (!own) {
    const right = Math.max(...frames.map((f) => f.right));
    placeTitle(ctx, chart, placed, chart.spec.y, 0, top + 10, 'left', placed.width, true);
    placeTitle(ctx, chart, placed, chart.spec.x, (frames[0].left + right) / 2, end + 12, 'center', placed.width, false);
  }
  for (const frame of frames) {
    const { panel } = frame;
    if (panel.title) {
      ctx.font = fontOf(chart.palette, 12.5, 600);
      const width = frame.right - frame.left + (own ? frame.gutter - 6 : 0);
      const x = own ? frame.left - frame.gutter + 6 : frame.left;
      const y = frame.top - (own ? 37 : 11);
      const text = elided(ctx, panel.title, width);
      placed.texts.push({ text, x, y, size: 12.5, weight: 600, colour: chart.palette.text });
    }
    if (own) {
      const room = frame.right - frame.left + frame.gutter;
      placeTitle(ctx, chart, placed, frame.axes.y, frame.left - frame.gutter + 6, frame.top - 17, 'left', room, true);
      const [middle, under] = [(frame.left + frame.right) / 2, frame.bottom + 32 + frame.slant];
      placeTitle(ctx, chart, placed, frame.axes.x, middle, under, 'center', room, false);
    }
  }
}

// An axis' title with the way to better, and a spot that tells its hint.
function placeTitle(ctx, chart, placed, axis, x, y, align, room, upright) {
  if (!titled(axis)) return;
  const ways = upright ? { max: '↑ better', min: '↓ better' } : { max: '→ better', min: '← better' };
  const better = ways[axis.direction] || '';
  ctx.font = fontOf(chart.palette, 12);
  const betterWidth = better ? ctx.measureText(better).width + 9 : 0;
  ctx.font = fontOf(chart.palette, 12.5, 500);
  const text = elided(ctx, axis.title, Math.max(40, Math.min(room, placed.width) - betterWidth));
  const width = ctx.measureText(text).width;
  const whole = width + betterWidth;
  let left = align === 'center' ? x - whole / 2 : x;
  left = Math.max(0, Math.min(left, placed.width - whole));
  const shift = axis.direction === 'min' && !upright && better ? betterWidth : 0;
  const { text: ink, muted } = chart.palette;
  const dotted = axis.hint ? width : 0;
  placed.texts.push({ text, x: left + shift, y, size: 12.5, weight: 500, colour: ink, dotted });
  if (better) placed.texts.push({ text: better, x: shift ? left : left + width + 9, y, size: 12, colour: muted });
  if (axis.hint) placed.spots.push({ left, right: left + whole, top: y - 10, bottom: y + 10, hint: axis.hint });
}
