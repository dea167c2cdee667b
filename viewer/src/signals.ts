// signals.ts - everything that can be plotted: the signals of a track, and what follows from its poses

import type { Signal, Track } from "./track";

export interface Listed extends Signal {
  derived: boolean; // calculated by the page
}

type Values = Float32Array | Float64Array;

function makeHeights(track: Track, body: number, axis: number): Values {
  const out = new Float32Array(track.rows);
  const poses = new Float32Array(7 * track.scene.bodies.length);
  for (let i = 0; i < out.length; ++i) {
    track.poses(i, poses);
    out[i] = poses[7 * body + axis];
  }
  return out;
}

/** Of the origin of a body, over the two intervals around a row. */
function makeSpeeds(track: Track, body: number): Values {
  const xyz = [0, 1, 2].map((axis) => makeHeights(track, body, axis));
  const out = new Float32Array(track.rows);
  for (let i = 0; i < out.length; ++i) {
    const a = Math.max(0, i - 1);
    const b = Math.min(out.length - 1, i + 1);
    const dt = track.time(b) - track.time(a);
    out[i] = dt > 0 ? Math.hypot(...xyz.map((x) => x[b] - x[a])) / dt : 0;
  }
  return out;
}

function makeCentreHeights(track: Track): Values {
  const out = new Float32Array(track.rows);
  const { bodies } = track.scene;
  const poses = new Float32Array(7 * bodies.length);
  const mass = bodies.reduce((sum, b, i) => sum + (i > 0 ? b.mass : 0), 0) || 1;
  for (let row = 0; row < out.length; ++row) {
    track.poses(row, poses);
    let sum = 0;
    for (let i = 1; i < bodies.length; ++i) {
      const [x, y, z] = bodies[i].com;
      const [w, a, b, c] = poses.subarray(7 * i + 3, 7 * i + 7);
      sum += bodies[i].mass * (poses[7 * i + 2] + 2 * (a * c - w * b) * x + 2 * (b * c + w * a) * y + (1 - 2 * (a * a + b * b)) * z);
    }
    out[row] = sum / mass;
  }
  return out;
}

/** The list of signals of the first track, and their values in any track that has them. */
export class SignalBook {
  readonly list: Listed[] = [];
  private readonly byName = new Map<string, number>();
  private readonly kept = new Map<string, { rows: number; values: Values }>();

  constructor(private readonly tracks: Track[]) {
    const first = tracks[0];
    for (const s of first.signals) this.add({ ...s, derived: false });
    this.add({
      name: "centre.z",
      group: "Centre of mass",
      label: "height of the centre of mass",
      unit: "m",
      meaning: "of all bodies, from their poses",
      derived: true,
    });
    first.scene.bodies.forEach((b, i) => {
      if (i === 0) return;
      for (const axis of ["x", "y", "z"])
        this.add({
          name: `body.${b.name}.${axis}`,
          group: "Bodies: position",
          label: axis === "z" ? `${b.name} height` : `${b.name} ${axis}`,
          unit: "m",
          meaning: "of the origin of the body's frame",
          derived: true,
        });
      this.add({
        name: `body.${b.name}.speed`,
        group: "Bodies: speed",
        label: `${b.name} speed`,
        unit: "m/s",
        meaning: "of the origin of the body's frame, from differences of its positions",
        derived: true,
      });
    });
  }

  private add(s: Listed): void {
    if (this.byName.has(s.name)) return;
    this.byName.set(s.name, this.list.length);
    this.list.push(s);
  }
  find(name: string): Listed | undefined {
    const i = this.byName.get(name);
    return i === undefined ? undefined : this.list[i];
  }

  /** All rows of a track; null where it has no such signal. */
  values(name: string, track = 0): Values | null {
    const of = this.tracks[track];
    const index = of.signals.findIndex((s) => s.name === name);
    if (index >= 0) return of.column(index);
    const key = `${track} ${name}`;
    const kept = this.kept.get(key);
    if (kept && kept.rows === of.rows) return kept.values;
    const values = this.derive(name, of);
    if (values) this.kept.set(key, { rows: of.rows, values });
    return values;
  }

  private derive(name: string, track: Track): Values | null {
    if (name === "centre.z") return makeCentreHeights(track);
    const match = /^body\.(.*)\.(x|y|z|speed)$/.exec(name);
    if (!match) return null;
    const body = track.scene.bodies.findIndex((b) => b.name === match[1]);
    if (body < 0) return null;
    return match[2] === "speed" ? makeSpeeds(track, body) : makeHeights(track, body, "xyz".indexOf(match[2]));
  }

  /** Values of another track at the times of the first one's rows: on the line between its rows, NaN outside. */
  resampled(name: string, track: number): Values | null {
    const values = this.values(name, track);
    if (!values) return null;
    const first = this.tracks[0];
    const other = this.tracks[track];
    const out = new Float64Array(first.rows);
    let k = 0;
    for (let i = 0; i < out.length; ++i) {
      const t = first.time(i);
      while (k + 2 < other.rows && other.time(k + 1) <= t) ++k;
      const a = other.time(k);
      const b = other.time(Math.min(k + 1, other.rows - 1));
      const share = b > a ? (t - a) / (b - a) : 0;
      const next = Math.min(k + 1, other.rows - 1);
      out[i] = share < -1e-9 || share > 1 + 1e-9 ? NaN : values[k] + share * (values[next] - values[k]);
    }
    return out;
  }
}
