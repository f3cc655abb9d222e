// From values to pixels and back, and where an axis has its ticks.

function makeScale(low, high, log, from, to) {
  const f = log ? Math.log : (v) => v;
  const g = log ? Math.exp : (v) => v;
  const start = f(low);
  const slope = (to - from) / (f(high) - start);
  return {
    low, high, log, from, to,
    pixel: (value) => from + (f(value) - start) * slope,
    value: (pixel) => g(start + (pixel - from) / slope),
    length: Math.abs(to - from),
  };
}

// The ends of an axis, made such that something lies between them.
function ends(axis) {
  let { low, high } = axis;
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [axis.log ? 0.1 : 0, 1];
  if (low > high) [low, high] = [high, low];
  if (axis.log && low <= 0) low = high > 0 ? high / 1000 : 0.1;
  if (axis.log && high <= 0) high = 1;
  if (low < high) return [low, high];
  const half = (Math.abs(low) || 1) / 2;
  return axis.log ? [low / 2, high * 2] : [low - half, high + half];
}

function niceStep(width, count) {
  const raw = width / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1.02 ? 1 : lead <= 2.04 ? 2 : lead <= 5.1 ? 5 : 10);
}

function linearTicks(low, high, count) {
  const step = niceStep(high - low, count);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    found.push({ value: i * step, label: tickText(i * step, step) });
  }
  return found;
}

function powerText(exponent) {
  return exponent >= -3 && exponent <= 4 ? tickText(10 ** exponent, 10 ** exponent) : `10${raised(exponent)}`;
}

// Powers of ten where they are enough; else 1, 2, 5; the rest are lines without a number.
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const decades = Math.log10(high / low);
  if (decades < 0.7) return linearTicks(low, high, count).filter((tick) => tick.value > 0);
  // Powers of ten are short words, and may stand closer.
  const stride = Math.max(1, Math.ceil(decades / Math.max(2, count * 1.6)));
  const dense = decades * 3 <= count * 1.25;
  const found = [];
  for (let e = first; e <= last; e++) {
    for (let lead = 1; lead < (stride > 1 ? 2 : 10); lead++) {
      const value = lead * 10 ** e;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const named = lead === 1 ? (e - first) % stride === 0 : dense && (lead === 2 || lead === 5);
      const label = lead === 1 ? powerText(e) : tickText(value, 10 ** e);
      found.push({ value, label: named ? label : '', minor: !named });
    }
  }
  if (found.filter((tick) => tick.label).length >= 2) return found;
  return linearTicks(low, high, count).filter((tick) => tick.value > 0);
}

// Ticks of an axis on a scale: its own where it has them.
function ticksOf(axis, scale, apart) {
  const count = Math.max(2, Math.floor(scale.length / apart));
  if (axis.ticks.length) {
    const step = Math.min(...axis.ticks.slice(1).map((v, i) => Math.abs(v - axis.ticks[i])).filter((d) => d > 0));
    return axis.ticks
      .map((value, i) => ({ value, label: axis.labels[i] ?? ownText(value, axis, step), own: true }))
      .filter((tick) => tick.value >= scale.low && tick.value <= scale.high);
  }
  return scale.log ? logTicks(scale.low, scale.high, count) : linearTicks(scale.low, scale.high, count);
}

function ownText(value, axis, step) {
  return axis.log || !Number.isFinite(step) ? numberText(value) : String(+tickPlaces(value, step)).replace('-', '−');
}

function tickPlaces(value, step) {
  return value.toFixed(Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(step)))));
}
