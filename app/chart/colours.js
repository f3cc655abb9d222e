// Colours of light and dark, roles of layers, and colours of numbers.

const LIGHT = {
  background: '#ffffff', surface: '#f6f7f9', text: '#1c2430', muted: '#667085', grid: '#eceff3', axis: '#cfd5de',
};
const DARK = {
  background: '#11151c', surface: '#191f29', text: '#e8ecf2', muted: '#98a2b3', grid: '#232b37', axis: '#3a4554',
};
const FONT = '"Source Sans", Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';
const CATEGORIES = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8c8c8c', '#b8a800'];
const STEPS = 64;

const schemes = matchMedia('(prefers-color-scheme: dark)');
const known = new Map();
let dropper = null;

// Red, green, blue from 0 to 255 and opacity from 0 to 1, or null for what is no colour.
function parts(colour) {
  if (known.has(colour)) return known.get(colour);
  dropper ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
    .getContext('2d', { willReadFrequently: true });
  let found = null;
  if (typeof colour === 'string' && CSS.supports('color', colour)) {
    dropper.clearRect(0, 0, 1, 1);
    dropper.fillStyle = colour;
    dropper.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = dropper.getImageData(0, 0, 1, 1).data;
    found = [r, g, b, a / 255];
  }
  if (known.size > 4000) known.clear();
  known.set(colour, found);
  return found;
}

function written([r, g, b, a]) {
  const whole = [r, g, b].map((v) => Math.round(v));
  return a >= 1 ? `rgb(${whole.join(', ')})` : `rgba(${whole.join(', ')}, ${+a.toFixed(3)})`;
}

// What lies the given part of the way from one colour to another.
function between(from, to, part) {
  const a = parts(from) || [128, 128, 128, 1];
  const b = parts(to) || [128, 128, 128, 1];
  return written(a.map((v, i) => v + (b[i] - v) * part));
}

function withAlpha(colour, alpha) {
  const [r, g, b, a] = parts(colour) || [128, 128, 128, 1];
  return written([r, g, b, a * alpha]);
}

function luminance(colour) {
  const [r, g, b] = parts(colour) || [255, 255, 255];
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}

// The host page's own colours where it tells them; else those of the reader's system.
function readPalette(host) {
  const style = getComputedStyle(host);
  const given = (name) => style.getPropertyValue(name).trim();
  const text = given('--st-text-color');
  const background = given('--st-background-color');
  if (!parts(text) || !parts(background)) {
    return { ...(schemes.matches ? DARK : LIGHT), font: FONT, dark: schemes.matches, neutral: '#8a93a3' };
  }
  const dark = luminance(background) < 0.5;
  const surface = given('--st-secondary-background-color');
  return {
    background,
    text,
    dark,
    surface: parts(surface) ? surface : between(background, text, 0.04),
    muted: between(text, background, dark ? 0.36 : 0.4),
    grid: between(background, text, dark ? 0.1 : 0.075),
    axis: between(background, text, dark ? 0.24 : 0.2),
    font: given('--st-font') || FONT,
    neutral: '#8a93a3',
  };
}

// A role or a colour as one that every drawing knows; anything else is grey.
function colourOf(name, palette) {
  const role = /^category:(\d+)$/.exec(name);
  if (role) return visible(CATEGORIES[Number(role[1]) % CATEGORIES.length], palette);
  if (name === 'accent') return '#3b7dd8';
  if (name === 'contrast') return '#e07a2f';
  if (['muted', 'text', 'grid', 'background'].includes(name)) return palette[name];
  const found = parts(name);
  return found ? written(found) : palette.neutral;
}

// A colour that is seen on the background; scales begin nearly black.
function visible(colour, palette) {
  return palette.dark ? between(colour, '#ffffff', Math.max(0, 0.42 - luminance(colour)) * 0.9) : colour;
}

// Colours of a scale from low to high.
function ramp(scale, palette, steps = STEPS) {
  const given = scale.stops.map((stop) => visible(colourOf(stop, palette), palette));
  const stops = given.length ? given : [palette.neutral];
  return Array.from({ length: steps }, (_, i) => {
    const place = (i / (steps - 1)) * (stops.length - 1);
    const first = Math.min(Math.floor(place), Math.max(0, stops.length - 2));
    return between(stops[first], stops[Math.min(first + 1, stops.length - 1)], place - first);
  });
}

// Where a number lies from low (0) to high (1).
function portion(scale, value) {
  const f = scale.log ? Math.log : (v) => v;
  const width = f(scale.high) - f(scale.low);
  const place = width ? (f(value) - f(scale.low)) / width : 0.5;
  return Math.min(1, Math.max(0, place));
}

// Bands and areas need more of their colour on black to be seen as much.
function tint(opacity, palette) {
  return palette.dark ? Math.min(1, opacity * 1.4) : opacity;
}

function wordColours(words, palette) {
  return words.words.map((_, i) => visible(colourOf(words.colours[i] || `category:${i}`, palette), palette));
}
