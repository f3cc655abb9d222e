// Text that fits its place. What is hostile in text (controls, overrides of direction) is blank.

function clean(text) {
  return String(text ?? '').replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

function fontOf(palette, size, weight = 400) {
  return `${weight} ${size}px ${palette.font}`;
}

// The text, shortened in its end until it fits.
function elided(ctx, text, width) {
  const whole = clean(text).slice(0, 400);
  if (ctx.measureText(whole).width <= width) return whole;
  let [fits, fails] = [0, whole.length];
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (ctx.measureText(`${whole.slice(0, middle)}…`).width <= width) fits = middle;
    else fails = middle;
  }
  return `${whole.slice(0, fits).trimEnd()}…`;
}

// The text in lines that fit; the last one is shortened if there are more than allowed.
function wrapped(ctx, text, width, most) {
  const lines = [];
  let line = '';
  for (const word of clean(text).split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (!line || ctx.measureText(longer).width <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line) lines.push(line);
  const kept = lines.slice(0, most);
  if (lines.length > most) kept[most - 1] = lines.slice(most - 1).join(' ');
  return kept.map((l) => elided(ctx, l, width));
}
