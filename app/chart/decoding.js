// Bytes of app/chart/packing.py as an object with typed arrays.

function decode(bytes) {
  // A copy begins at offset 0, where numbers of eight bytes may lie.
  const data = bytes.slice();
  const length = new DataView(data.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  return revived(header, data.buffer, Math.ceil((4 + length) / 8) * 8);
}

const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array };

function revived(value, buffer, start) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.length && typeof value[0] === 'object' ? value.map((v) => revived(v, buffer, start)) : value;
  }
  if (Array.isArray(value.$)) {
    const [offset, length, kind, shape] = value.$;
    const array = new ARRAYS[kind](buffer, start + offset, length);
    array.shape = shape;
    return array;
  }
  for (const name of Object.keys(value)) value[name] = revived(value[name], buffer, start);
  return value;
}

function sameBytes(a, b) {
  if (!a || !b || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768) {
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + 32768));
  }
  return btoa(text);
}

function fromBase64(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
