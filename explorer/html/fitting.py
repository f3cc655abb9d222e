"""How a figure is fitted to the width that it gets: a script of every page, since only the browser knows that width.

Titles, headings of panels and names of axes are broken into lines, and the figure grows by as much; where there is
little room, legends and colour bars lie below the plot and panels below each other. So nothing is cut off, on a phone
either, and a saved picture has its title.
"""

from __future__ import annotations

__all__ = ["FITTING"]

FITTING = """
const NARROW = 560, LEAST_PANEL = 210, LANE = 130, LINE = 1.3;
const marks = [['&lt;', '<'], ['&gt;', '>'], ['&quot;', '"'], ['&#x27;', "'"], ['&amp;', '&']];
const decoded = (text) => marks.reduce((t, [mark, sign]) => t.split(mark).join(sign), text);
const encoded = (text) => marks.toReversed().reduce((t, [mark, sign]) => t.split(sign).join(mark), text);
const pen = document.createElement('canvas').getContext('2d');
const lines = (text) => text ? text.split('<br>').length : 0;
const extent = (text, size, family, weight = 400) => {
  pen.font = `${weight} ${size}px ${family}`;
  return Math.max(...(text || '').split('<br>').map((line) => pen.measureText(decoded(line)).width));
};

// Text in lines of at most so many pixels; a word that is too long alone is broken. Marked-up text is left as it is.
function wrapped(text, size, family, width, weight = 400) {
  if (!text || /<(?!br>)[a-z/]/i.test(text)) return text || '';
  pen.font = `${weight} ${size}px ${family}`;
  const fits = (line) => pen.measureText(line).width <= width;
  const found = [];
  for (const part of text.split('<br>')) {
    let line = '';
    for (const word of decoded(part).split(' ')) {
      const longer = line ? `${line} ${word}` : word;
      if (fits(longer)) { line = longer; continue; }
      if (line) found.push(line.trimEnd());
      line = '';
      for (const sign of word) {
        if (line && !fits(line + sign)) { found.push(line); line = ''; }
        line += sign;
      }
    }
    found.push(line);
  }
  return found.map(encoded).join('<br>');
}

const axesOf = (layout, letter) =>
  Object.keys(layout).filter((key) => new RegExp(`^${letter}axis\\\\d*$`).test(key)).map((key) => layout[key]);
const headingsOf = (layout) =>
  (layout.annotations || []).filter((a) => a.xref === 'paper' && a.yref === 'paper' && !a.showarrow);

// Panels below each other, each under its heading.
function stacked(layout, margin, room) {
  const across = axesOf(layout, 'x'), own = 190;
  const plot = across.length * own + (across.length - 1) * room;
  across.forEach((x, i) => {
    const y = layout['yaxis' + (x.anchor || 'y').slice(1)];
    if (!y) return;
    const top = 1 - i * (own + room) / plot;
    Object.assign(x, { domain: [0, 1], showticklabels: true });
    Object.assign(y, { domain: [Math.max(0, top - own / plot), top], showticklabels: true });
    const heading = headingsOf(layout)[i];
    if (heading) Object.assign(heading, { x: heading.xanchor === 'left' ? 0 : 0.5, y: top });
  });
  return plot + margin.t + margin.b;
}

function fitted(figure, template, width) {
  const layout = structuredClone(figure.layout), usual = template.layout, family = usual.font.family;
  const margin = { ...usual.margin, ...layout.margin }, narrow = width < NARROW;
  let height = layout.height || 400, data = figure.data;
  const grow = (side, pixels) => { margin[side] += pixels; height += pixels; };
  const starts = new Set(axesOf(layout, 'x').map((x) => (x.domain || [0])[0]));
  const piled = starts.size > 1 && (width - margin.l - margin.r) / starts.size < LEAST_PANEL;

  const columns = piled ? 1 : Math.max(1, starts.size);
  const panel = (width - margin.l - margin.r) / columns - (columns > 1 ? 24 : 0);
  let more = 0;
  for (const heading of headingsOf(layout)) {
    const size = (heading.font || {}).size || 13;
    heading.text = wrapped(heading.text, size, family, panel);
    if (heading.xanchor === 'left') heading.align = 'left';
    more = Math.max(more, (lines(heading.text) - 1) * size * LINE);
  }
  if (piled) height = stacked(layout, margin, 84 + more);
  grow('t', more);

  const title = layout.title || {}, subtitle = title.subtitle || {};
  const sizes = [usual.title.font.size, usual.title.subtitle.font.size];
  const first = wrapped(title.text, sizes[0], family, width - 24, 600);
  const second = wrapped(subtitle.text, sizes[1], family, width - 24);
  grow('t', Math.max(0, lines(first) - 1) * sizes[0] * LINE + Math.max(0, lines(second) - 1) * sizes[1] * LINE);

  for (const x of axesOf(layout, 'x')) {
    if (x.title) x.title.text = wrapped(x.title.text, 13, family, panel);
    x.automargin = true;
  }
  for (const y of axesOf(layout, 'y')) {
    if (y.title) y.title.text = wrapped(y.title.text, 13, family, height - margin.t - margin.b);
    y.automargin = true;
  }

  if (narrow) {
    const plot = () => height - margin.t - margin.b;
    const flat = (bar) => ({ ...bar, orientation: 'h', x: 0.5, xanchor: 'center', len: 1, y: -70 / plot(),
      yanchor: 'top', title: { ...(bar || {}).title, side: 'top' } });
    const axis = layout.coloraxis;
    if (axis && axis.showscale !== false) { grow('b', 70); axis.colorbar = flat(axis.colorbar); }
    else if (data.some((trace) => trace.showscale)) {
      grow('b', 70);
      data = data.map((trace) => trace.showscale ? { ...trace, colorbar: flat(trace.colorbar) } : trace);
    }
    const named = data.filter((trace) => trace.showlegend !== false && trace.name);
    if (layout.showlegend !== false && named.length > 1) {
      const size = 12, entries = named.map((trace) => extent(trace.name, size, family) + 44);
      const rows = Math.ceil(entries.length / Math.max(1, Math.floor((width - 20) / Math.max(...entries))));
      grow('b', 24 + (rows + 1) * 20);
      const heading = { ...(layout.legend || {}).title, side: 'top' };
      layout.legend = { ...layout.legend, title: heading, orientation: 'h', x: 0, xanchor: 'left', xref: 'container',
        y: 0, yref: 'container', yanchor: 'bottom' };
    }
    const eye = ((layout.scene || {}).camera || {}).eye;
    for (const way of Object.keys(eye || {})) eye[way] *= 1.6;
  }
  // Parallel axes need their room; the figure scrolls.
  const lanes = Math.max(0, ...data.map((trace) => (trace.dimensions || []).length));
  if (lanes * LANE > width) layout.width = lanes * LANE;
  layout.title = { ...title, text: first, y: 1 - 14 / height, subtitle: { ...subtitle, text: second } };
  return { data, layout: { ...layout, margin, height, template } };
}
"""
