// track.ts - where the page gets its frames from: a whole run out of a report, or one that still grows
// A track has rows. Each has a time, a pose per body, contacts, and a number per signal. Rows never change once they
// are there; a live track only appends (and may begin again: see `reset`).

import type { Scene } from "./scene";

export interface Signal {
  name: string; // unique: "energy/kinetic", "q.knee"
  group: string; // "Energy", "Joints: position", ...: a heading of the list
  label: string; // short, for legends
  unit: string;
  meaning: string;
}

/** The contacts of one row, as flat arrays. Forces are on body a. */
export interface Contacts {
  count: number;
  point: Float32Array; // 3 each, world [m]
  normal: Float32Array; // 3 each, from b to a
  force: Float32Array; // 3 each [N]
  gap: Float32Array; // [m]
  pair: Int32Array; // index into `pairs`
}

export interface Pair {
  name: string; // of the two shapes
  a: number; // bodies
  b: number;
}

export type EventKind = "collision" | "touch" | "stop" | "unsolved" | "close" | "stuck" | "slowed" | "end";

export interface RunEvent {
  row: number;
  kind: EventKind;
  text: string;
}

/** A line of a panel: a word and what there is to say. `state` colours it. */
export interface Fact {
  word: string;
  text: string;
  state?: "good" | "warn" | "bad";
}

export interface Track {
  readonly title: string;
  readonly scene: Scene;
  readonly pairs: Pair[];
  readonly signals: Signal[];
  readonly events: RunEvent[];
  readonly certificate: Fact[]; // the run in words
  readonly about: Fact[]; // versions, options, hashes, the command, losses
  readonly rows: number;
  readonly live: boolean; // it grows: the page follows its end

  time(row: number): number; // [s]
  step(row: number): number;
  /** Writes 7 numbers per body: x y z, w x y z. */
  poses(row: number, out: Float32Array): void;
  contacts(row: number): Contacts;
  /** All rows of a signal; at least `rows` long. The array may be replaced by a longer one when the track grows. */
  column(signal: number): Float32Array | Float64Array;
}

/** The last row whose time is not after t; row 0 if there is none. */
export function findRow(track: Track, t: number): number {
  let low = 0;
  let high = track.rows - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (track.time(middle) <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The row whose time is nearest to t. */
export function findNearestRow(track: Track, t: number): number {
  const row = findRow(track, t);
  if (row + 1 >= track.rows) return row;
  return track.time(row + 1) - t < t - track.time(row) ? row + 1 : row;
}
