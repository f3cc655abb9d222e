// Numbers as readers like them: no more digits than they say something, a true minus, powers of ten raised.

const RAISED = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

function raised(n) {
  return String(n).replace(/[-0-9]/g, (letter) => RAISED[letter]);
}

function signed(text) {
  return text.replace('-', '−');
}

function grouped(whole) {
  return whole.length > 4 ? whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009') : whole;
}

function powered(value, digits) {
  let exponent = Math.floor(Math.log10(Math.abs(value)));
  let mantissa = +(value / 10 ** exponent).toPrecision(digits);
  if (Math.abs(mantissa) >= 10) [mantissa, exponent] = [mantissa / 10, exponent + 1];
  if (mantissa === 1) return `10${raised(exponent)}`;
  return `${signed(String(mantissa))}·10${raised(exponent)}`;
}

// A number of its own, with four digits that count.
function numberText(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return powered(value, 3);
  const rounded = Number.isInteger(value) || size >= 1e4 ? String(Math.round(value)) : String(+value.toPrecision(4));
  const [whole, rest] = rounded.split('.');
  return signed(rest ? `${grouped(whole)}.${rest}` : grouped(whole));
}

// A number of an axis whose ticks lie a step apart.
function tickText(value, step) {
  const size = Math.abs(value);
  if (size < step * 1e-6) return '0';
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (size >= 1e6 || places > 5) {
    const exponent = Math.floor(Math.log10(size));
    return powered(value, Math.max(1, exponent - Math.floor(Math.log10(step) + 1e-9) + 1));
  }
  const [whole, rest] = value.toFixed(places).split('.');
  return signed(rest ? `${grouped(whole)}.${rest}` : grouped(whole));
}
