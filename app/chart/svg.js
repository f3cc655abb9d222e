// A context that writes what is drawn as SVG: the part of a canvas' own that the chart uses.

const KEPT = [
  'fillStyle', 'strokeStyle', 'lineWidth', 'globalAlpha', 'font', 'textAlign', 'textBaseline', 'lineCap', 'lineJoin',
  'dash', 'open', 'matrix',
];

class SvgContext {
  constructor(width, height, measuring) {
    this.isSvg = true;
    this.size = [width, height];
    this.measuring = measuring;
    this.out = [];
    this.defs = [];
    this.d = '';
    this.stack = [];
    this.open = 0;
    this.matrix = '';
    this.merging = null;
    Object.assign(this, {
      fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, globalAlpha: 1, font: '12px sans-serif',
      textAlign: 'left', textBaseline: 'alphabetic', lineCap: 'butt', lineJoin: 'miter', dash: [],
    });
  }

  beginPath() { this.d = ''; }
  moveTo(x, y) { this.d += `M${short(x)} ${short(y)}`; }
  lineTo(x, y) { this.d += `L${short(x)} ${short(y)}`; }
  closePath() { this.d += 'Z'; }
  rect(x, y, w, h) { this.d += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`; }

  // Whole circles only: two halves.
  arc(x, y, r) {
    this.d += `M${short(x + r)} ${short(y)}A${short(r)} ${short(r)} 0 1 1 ${short(x - r)} ${short(y)}` +
      `A${short(r)} ${short(r)} 0 1 1 ${short(x + r)} ${short(y)}`;
  }

  setLineDash(dash) { this.dash = dash; }
  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }

  save() {
    this.stack.push(Object.fromEntries(KEPT.map((name) => [name, this[name]])));
    this.open = 0;
  }

  restore() {
    this.flush();
    this.out.push('</g>'.repeat(this.open));
    Object.assign(this, this.stack.pop());
  }

  clip() {
    this.flush();
    const name = `c${this.defs.length}`;
    this.defs.push(`<clipPath id="${name}"><path d="${this.d}"/></clipPath>`);
    this.out.push(`<g clip-path="url(#${name})">`);
    this.open += 1;
  }

  translate(x, y) { this.matrix += `translate(${short(x)} ${short(y)})`; }
  rotate(angle) { this.matrix += `rotate(${short((angle * 180) / Math.PI)})`; }

  fill() { this.put(`<path d="${this.d}" fill="${this.ink(this.fillStyle)}"${this.alpha()}/>`); }

  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    const ends = ` stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"`;
    this.put(`<path d="${this.d}" fill="none" ${this.pen()}${dash}${ends}${this.alpha()}/>`);
  }

  // Bars of one colour that follow each other are one path.
  fillRect(x, y, w, h) {
    const style = `fill="${this.ink(this.fillStyle)}"${this.alpha()}`;
    if (this.merging?.style !== style) {
      this.flush();
      this.merging = { style, d: [] };
    }
    this.merging.d.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`);
  }

  fillText(text, x, y) { this.write(text, x, y, `fill="${this.ink(this.fillStyle)}"`); }

  strokeText(text, x, y) {
    this.write(text, x, y, `fill="none" ${this.pen()} stroke-linejoin="round"`);
  }

  write(text, x, y, style) {
    const [, weight, size, family] = /^(\d+) ([\d.]+)px (.*)$/.exec(this.font) || [0, 400, 12, 'sans-serif'];
    const anchor = { left: 'start', center: 'middle', right: 'end' }[this.textAlign];
    const shift = { middle: 0.35, top: 0.78 }[this.textBaseline] ?? 0;
    const turn = this.matrix ? ` transform="${this.matrix}"` : '';
    const face = `font-size="${size}" font-weight="${weight}" font-family="${escaped(family)}"`;
    const letters = `${face} text-anchor="${anchor}"`;
    const place = `x="${short(x)}" y="${short(y + shift * size)}"${turn}`;
    this.put(`<text ${place} ${letters} ${style}${this.alpha()}>${escaped(text)}</text>`);
  }

  ink(colour) { return escaped(String(colour)); }
  pen() { return `stroke="${this.ink(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"`; }
  alpha() { return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ''; }

  put(piece) {
    this.flush();
    this.out.push(piece);
  }

  flush() {
    if (this.merging) this.out.push(`<path d="${this.merging.d.join('')}" ${this.merging.style}/>`);
    this.merging = null;
  }

  // The document, on a background with a margin.
  document(background, title, margin) {
    this.flush();
    const [w, h] = this.size.map((side) => side + 2 * margin);
    const sides = `width="${w}" height="${h}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${sides} viewBox="${-margin} ${-margin} ${w} ${h}" role="img">` +
      `<title>${escaped(title)}</title><defs>${this.defs.join('')}</defs>` +
      `<rect x="${-margin}" y="${-margin}" ${sides} fill="${this.ink(background)}"/>${this.out.join('')}</svg>`;
  }
}

function short(number) {
  return String(+number.toFixed(2));
}

// Letters that XML forbids are left out, those that mean something in it are written as themselves.
function escaped(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
