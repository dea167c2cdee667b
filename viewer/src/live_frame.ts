// live_frame.ts - one picture of a running simulation, out of the bytes of apps/view/frame.cpp

export interface Frame {
  paused: boolean;
  recording: boolean;
  unsolved: boolean; // a problem of the last step
  run: number; // counts resets
  time: number; // [s]
  step: number;
  rate: number; // simulated seconds per second
  // [J]
  kinetic: number;
  potential: number;
  work: number;
  dragged: number;
  edits: number;
  unaccounted: number;
  residual: number;
  penetration: number; // [m]
  poses: Float32Array; // 7 per body
  positions: Float32Array; // q
  controls: Float32Array; // one per actuator
  contacts: Float32Array; // 12 each: bodies a and b, point, normal, force, gap
  drags: Float32Array; // 6 each: the point, and where it is drawn to
}

const kMagic = 0x31574e53; // "SNW1"
const kLists = 5;
const kNumbers = 11;
const kHead = 4 * (1 + kLists + 2) + 8 * kNumbers;

/** Throws where the bytes are not a frame. */
export function readFrame(bytes: ArrayBuffer): Frame {
  const view = new DataView(bytes);
  if (bytes.byteLength < kHead || view.getUint32(0, true) !== kMagic) throw new Error("the server sent something that is no frame");
  const sizes: number[] = [];
  for (let i = 0; i < kLists; ++i) sizes.push(view.getUint32(4 + 4 * i, true));
  if (bytes.byteLength !== kHead + 4 * sizes.reduce((a, b) => a + b, 0)) throw new Error("the server sent a frame of a wrong length");
  const flags = view.getUint32(4 + 4 * kLists, true);
  const run = view.getUint32(8 + 4 * kLists, true);
  const numbers: number[] = [];
  for (let i = 0; i < kNumbers; ++i) numbers.push(view.getFloat64(12 + 4 * kLists + 8 * i, true));
  const [time, step, rate, kinetic, potential, work, dragged, edits, unaccounted, residual, penetration] = numbers;
  let at = kHead;
  const list = (i: number): Float32Array => {
    const out = new Float32Array(bytes, at, sizes[i]);
    at += 4 * sizes[i];
    return out;
  };
  return {
    paused: (flags & 1) !== 0,
    recording: (flags & 2) !== 0,
    unsolved: (flags & 4) !== 0,
    run, time, step, rate, kinetic, potential, work, dragged, edits, unaccounted, residual, penetration,
    poses: list(0),
    positions: list(1),
    controls: list(2),
    contacts: list(3),
    drags: list(4),
  };
}
