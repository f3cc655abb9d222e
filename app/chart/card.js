// The card of what is pointed at. All of it is text: nothing from a chart is ever read as HTML.

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = clean(text);
  return made;
}

// What a card says of a hit: heading, note, rows of two words each, an address of a picture.
function saidOf(chart, hit) {
  const { spec } = chart;
  const { layer, frame, i, key } = hit;
  const rows = [];
  const said = { heading: '', note: '', rows, thumb: '' };
  if (key >= 0) {
    said.heading = spec.card?.headings[key] ?? spec.keys[key];
    said.note = spec.card?.notes[key] ?? '';
    said.thumb = thumbOf(spec, key);
    for (const row of spec.card?.rows ?? []) {
      const value = row.values[key];
      if (value === undefined || value === null || value === '' || Number.isNaN(value)) continue;
      rows.push([row.title, typeof value === 'number' ? numberText(value) : String(value)]);
    }
  } else said.heading = layer.name;
  if (hit.line || !spec.card) {
    rows.unshift(
      [frame.axes.x.title || 'x', valueText(frame.axes.x, layer.x[i])],
      [frame.axes.y.title || 'y', valueText(frame.axes.y, layer.y[i])],
    );
  }
  if (hit.together > 1) said.more = `${hit.together} lie here; zoom in to part them`;
  return said;
}

// A value of an axis whose places are words is the word.
function valueText(axis, value) {
  const place = axis.labels.length ? axis.ticks.indexOf(value) : -1;
  return place >= 0 ? axis.labels[place] : numberText(value);
}

function thumbOf(spec, key) {
  const address = Object.hasOwn(spec.thumbs, spec.keys[key]) ? spec.thumbs[spec.keys[key]] : '';
  return address.startsWith('data:image/') ? address : '';
}

function showCard(chart, hit) {
  const said = saidOf(chart, hit);
  const card = chart.card;
  card.replaceChildren();
  if (said.thumb) {
    const picture = element('img');
    picture.alt = '';
    picture.src = said.thumb;
    card.append(picture);
  }
  if (said.heading) card.append(element('strong', '', said.heading));
  if (said.note) card.append(element('span', 'note', said.note));
  if (said.rows.length) {
    const list = element('dl');
    for (const [title, value] of said.rows) list.append(element('dt', '', title), element('dd', '', value));
    card.append(list);
  }
  if (said.more) card.append(element('span', 'more', said.more));
  placeCard(chart, hit.x, hit.y);
}

function showHint(chart, spot) {
  chart.card.replaceChildren(element('span', 'hint', spot.hint));
  placeCard(chart, (spot.left + spot.right) / 2, spot.top > chart.height / 2 ? spot.top : spot.bottom);
}

// Beside the place, on the side that has room; never beyond the chart's own width.
function placeCard(chart, x, y) {
  const { card } = chart;
  card.hidden = false;
  const [w, h] = [card.offsetWidth, card.offsetHeight];
  const fitsRight = x + 16 + w <= chart.width;
  let left = fitsRight ? x + 16 : x - 16 - w;
  let top = y - h / 2;
  if (left < 0) {
    left = Math.max(0, Math.min(chart.width - w, x - w / 2));
    top = y - h - 16 >= 0 ? y - h - 16 : y + 16;
  }
  card.style.left = `${Math.round(left)}px`;
  card.style.top = `${Math.round(Math.max(0, Math.min(top, Math.max(y + 16, chart.height - h))))}px`;
}

function hideCard(chart) {
  chart.card.hidden = true;
}

// The card in one sentence, for who listens.
function spoken(chart, hit) {
  const said = saidOf(chart, hit);
  return [said.heading, ...said.rows.map(([title, value]) => `${title} ${value}`), said.more]
    .filter(Boolean).map(clean).join(', ');
}

function setHit(chart, hit) {
  const before = chart.hit;
  const same = before && hit && before.layer === hit.layer && before.i === hit.i && before.frame === hit.frame;
  chart.hit = hit;
  if (hit && !(same && !chart.card.hidden)) showCard(chart, hit);
  if (!hit) hideCard(chart);
  if (!same && (before || hit)) redrawOver(chart);
}
