// Thousands of points as pixels of our own: copies of few pictures, laid over each other faster than a canvas can.
// A pixel is one number of four bytes, alpha the highest; colours are multiplied by it until the end.

class Raster {
  // Around a panel there is room for points that lie on its rim.
  constructor(frame, ratio, room) {
    this.ratio = ratio;
    this.left = Math.floor(frame.left) - room;
    this.top = Math.floor(frame.top) - room;
    this.width = Math.ceil((frame.right - this.left + room) * ratio);
    this.height = Math.ceil((frame.bottom - this.top + room) * ratio);
    this.image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // A picture whose middle is the given place, to the nearest pixel.
  stamp(picture, x, y) {
    const { side, pixels: source } = picture;
    const { width, height, pixels } = this;
    const left = Math.round((x - this.left) * this.ratio - side / 2);
    const top = Math.round((y - this.top) * this.ratio - side / 2);
    if (left < 0 || top < 0 || left + side > width || top + side > height) return;
    let from = 0;
    for (let row = 0; row < side; row++) {
      let at = (top + row) * width + left;
      for (const end = at + side; at < end; at++, from++) {
        const colour = source[from];
        if (colour !== 0) pixels[at] = colour >= OPAQUE ? colour : over(colour, pixels[at]);
      }
    }
  }

  // A thin bar between two places, of which one coordinate is the same.
  bar(x0, y0, x1, y1, colour) {
    const { ratio, width, pixels } = this;
    const thick = Math.max(1, Math.round(ratio));
    let a = Math.round((x0 - this.left) * ratio);
    let b = Math.round((x1 - this.left) * ratio);
    let c = Math.round((y0 - this.top) * ratio);
    let d = Math.round((y1 - this.top) * ratio);
    if (y0 === y1) d = (c -= thick >> 1) + thick;
    else b = (a -= thick >> 1) + thick;
    for (let y = c; y < d; y++) {
      for (let at = y * width + a, end = y * width + b; at < end; at++) pixels[at] = over(colour, pixels[at]);
    }
  }

  paint(ctx) {
    divided(this.pixels);
    const canvas = document.createElement('canvas');
    canvas.width = this.width;
    canvas.height = this.height;
    canvas.getContext('2d').putImageData(this.image, 0, 0);
    ctx.drawImage(canvas, this.left, this.top, this.width / this.ratio, this.height / this.ratio);
  }
}

const OPAQUE = 0xff000000;

// One colour over another, s + (1 − αₛ) d, two bytes at a time.
function over(source, below) {
  const rest = 256 - (source >>> 24);
  const even = (Math.imul(below & 0xff00ff, rest) >>> 8) & 0xff00ff;
  const odd = Math.imul((below >>> 8) & 0xff00ff, rest) & 0xff00ff00;
  return (source + even + odd) >>> 0;
}

// Colours by themselves again, as pictures are told them.
function divided(pixels) {
  for (let i = 0; i < pixels.length; i++) {
    const p = pixels[i];
    const alpha = p >>> 24;
    if (alpha === 0 || alpha === 255) continue;
    const scale = 255 / alpha;
    const r = Math.min(255, ((p & 255) * scale + 0.5) | 0);
    const g = Math.min(255, (((p >>> 8) & 255) * scale + 0.5) | 0);
    const b = Math.min(255, (((p >>> 16) & 255) * scale + 0.5) | 0);
    pixels[i] = ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }
}

function pixelOf(r, g, b, alpha) {
  const [red, green, blue] = [r, g, b].map((value) => Math.round((value * alpha) / 255));
  return ((Math.round(alpha) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// A look as pixels.
function pictureOf(look, ratio, opacity) {
  const reach = Math.ceil((look.radius * 1.5 + look.edgeWidth + 1) * ratio);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2 * reach;
  const ctx = canvas.getContext('2d', { willReadFrequently: true });
  ctx.scale(ratio, ratio);
  stamp(ctx, reach / ratio, reach / ratio, look);
  const { data } = ctx.getImageData(0, 0, 2 * reach, 2 * reach);
  const pixels = new Uint32Array(data.length / 4);
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = pixelOf(data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3] * opacity);
  }
  return { side: 2 * reach, pixels };
}

function rasterPoints(ctx, chart, frame, layer, looks, { px, py }) {
  const widest = looks.radii ? MOST_RADIUS : layer.radius;
  const raster = new Raster(frame, chart.ratio, Math.ceil(widest * 1.5) + 5);
  const { index } = looks;
  if (hasIntervals(layer)) {
    const inks = looks.colours.map((colour) => {
      const [r, g, b, a] = parts(colour);
      return pixelOf(r, g, b, a * 255 * layer.opacity * 0.3);
    });
    eachInterval(frame, layer, px, py, (i, x0, y0, x1, y1) => {
      raster.bar(x0, y0, x1, y1, inks[index ? index[i] : 0]);
    });
  }
  if (looks.ratio !== chart.ratio) [looks.ratio, looks.pictures] = [chart.ratio, new Map()];
  for (let i = 0; i < px.length; i++) {
    if (px[i] !== px[i]) continue;
    const size = looks.radii ? Math.round(looks.radii[i] * 4) : 0;
    const shape = (layer.symbol ? layer.symbol[i] : 0) * 2 + (layer.hollow ? layer.hollow[i] : 0);
    const name = ((index ? index[i] : 0) * 64 + size) * 16 + shape;
    let picture = looks.pictures.get(name);
    if (!picture) looks.pictures.set(name, (picture = pictureOf(lookOf(looks, layer, i), chart.ratio, layer.opacity)));
    raster.stamp(picture, px[i], py[i]);
  }
  raster.paint(ctx);
}
