// The chart's numbers as tables: a row per point, per place of a named line, and per place of a named band.

function rowsOf(chart) {
  const { spec } = chart;
  const rows = [];
  for (const frame of chart.frames) {
    for (const layer of frame.layers) {
      const named = layer.kind === 'points' || ((layer.kind === 'line' || layer.kind === 'band') && layer.name);
      if (!named) continue;
      for (let i = 0; i < layer.x.length; i++) rows.push(rowOf(spec, frame, layer, i));
    }
  }
  return rows;
}

function keyIn(spec, layer, i) {
  if (!layer.key) return -1;
  return layer.kind === 'points' ? layer.key[i] : spec.keys.indexOf(layer.key);
}

function rowOf(spec, frame, layer, i) {
  const key = keyIn(spec, layer, i);
  const row = { name: key >= 0 ? spec.card?.headings[key] ?? '' : '', key: key >= 0 ? spec.keys[key] : '' };
  if (spec.panels.length) row.panel = frame.panel.title;
  row.layer = layer.name;
  row.x = layer.x[i];
  if (layer.kind === 'band') return { ...row, y_low: layer.low[i], y_high: layer.high[i] };
  row.y = layer.y[i];
  for (const end of ['x_low', 'x_high', 'y_low', 'y_high']) if (layer[end]) row[end] = layer[end][i];
  if (spec.colour && layer.colour && typeof layer.colour !== 'string') {
    const value = layer.colour[i];
    row[spec.colour.title || 'colour'] = spec.colour.kind === 'words' ? spec.colour.words[value] ?? '' : value;
  }
  if (key >= 0) for (const line of spec.card?.rows ?? []) row[line.title] ??= line.values[key];
  return row;
}

// A cell that a spreadsheet would take for a formula is text.
function cell(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function csvOf(chart) {
  const rows = rowsOf(chart);
  const every = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // What an axis has already the card says once more.
  const axes = new Set(every.map((title) => titleOf(chart, title)).filter((name, i) => name !== every[i]));
  const titles = every.filter((title) => titleOf(chart, title) !== title || !axes.has(title));
  const named = titles.map((title) => cell(titleOf(chart, title)));
  const lines = [named, ...rows.map((row) => titles.map((title) => cell(row[title])))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

// Axes of a chart whose panels share them give their columns their names.
function titleOf(chart, title) {
  const { spec } = chart;
  const match = /^([xy])(_low|_high)?$/.exec(title);
  if (!match || spec.panels.some((p) => p.x || p.y)) return title;
  const axis = spec[match[1]].title;
  return axis ? `${axis}${{ _low: ' low', _high: ' high' }[match[2]] ?? ''}` : title;
}

function jsonOf(chart) {
  const { spec } = chart;
  const of = ({ title, low, high, log, direction }) => ({ title, low, high, log, direction });
  const plain = (key, value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value);
  const whole = { title: spec.title, subtitle: spec.subtitle, x: of(spec.x), y: of(spec.y), rows: rowsOf(chart) };
  return `${JSON.stringify(whole, plain, 1)}\n`;
}
