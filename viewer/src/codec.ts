// codec.ts - the bytes of a report: base64, zlib, and columns of integers (docs/report.md, "The run")

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export interface ColumnSpec {
  name: string;
  length: number;
  order: number;
}

/** Differences as they were written: four planes of bytes, zigzag. */
function readDifferences(bytes: Uint8Array, at: number, n: number): Int32Array {
  const out = new Int32Array(n);
  for (let i = 0; i < n; ++i) {
    const z = bytes[at + i] | (bytes[at + n + i] << 8) | (bytes[at + 2 * n + i] << 16) | (bytes[at + 3 * n + i] << 24);
    out[i] = (z >>> 1) ^ -(z & 1);
  }
  return out;
}

/** Where the contact of the row before is that each contact is like; -1: none. */
export function findAncestors(counts: Int32Array, like: Int32Array): Int32Array {
  const out = new Int32Array(like.length);
  let before = 0; // first contact of the row before
  let at = 0;
  for (let row = 0; row < counts.length; ++row) {
    const n = counts[row];
    for (let i = 0; i < n; ++i) out[at + i] = like[at + i] === 0x40000000 ? -1 : before + i - like[at + i];
    before = at;
    at += n;
  }
  return out;
}

export function readColumn(bytes: Uint8Array, at: number, spec: ColumnSpec, ancestors?: Int32Array): Int32Array {
  const x = readDifferences(bytes, at, spec.length);
  if (spec.order === 1) {
    for (let i = 1; i < x.length; ++i) x[i] += x[i - 1];
  } else if (spec.order === 2) {
    if (x.length > 1) x[1] += 2 * x[0];
    for (let i = 2; i < x.length; ++i) x[i] += 2 * x[i - 1] - x[i - 2];
  } else if (spec.order === 3 && ancestors) {
    for (let i = 0; i < x.length; ++i) if (ancestors[i] >= 0) x[i] += x[ancestors[i]];
  }
  return x;
}

/** Integers in the order of their values, as float32. */
export function toFloats(x: Int32Array): Float32Array {
  const bits = new Int32Array(x.length);
  for (let i = 0; i < x.length; ++i) bits[i] = x[i] < 0 ? x[i] ^ 0x7fffffff : x[i];
  return new Float32Array(bits.buffer);
}
