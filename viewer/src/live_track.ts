// live_track.ts - the frames of a running simulation as a track that grows; the oldest half goes when it is full

import type { Frame } from "./live_frame";
import type { Scene } from "./scene";
import type { Contacts, Fact, Pair, RunEvent, Signal, Track } from "./track";

const kMostRows = 36_000; // ten minutes at 60 frames per second
const kMostNumbers = 24e6; // of poses: about 100 MB
const kContact = 12;

interface Source {
  signal: Signal;
  read: (f: Frame) => number;
}

function makeSources(scene: Scene): Source[] {
  const energy = (name: string, label: string, meaning: string, read: (f: Frame) => number): Source => ({
    signal: { name: `energy/${name}`, group: "Energy", label, unit: "J", meaning },
    read,
  });
  const certificate = (name: string, label: string, unit: string, meaning: string, read: (f: Frame) => number): Source => ({
    signal: { name: `certificates/${name}`, group: "Certificates", label, unit, meaning },
    read,
  });
  const out = [
    energy("kinetic", "kinetic", "of all bodies", (f) => f.kinetic),
    energy("potential", "potential", "of gravity", (f) => f.potential),
    energy("total", "total", "kinetic and potential", (f) => f.kinetic + f.potential),
    energy("work", "work", "of everything that acts on the mechanism", (f) => f.work),
    energy("mouse", "mouse", "work of forces on bodies: what the mouse did", (f) => f.dragged),
    energy("edits", "edits", "what setting joints or gravity did to the energy at once", (f) => f.edits),
    energy("unaccounted", "unaccounted", "energy less work and edits: the error of the steps", (f) => f.unaccounted),
    certificate("contacts", "contacts", "", "points that touch, or nearly", (f) => f.contacts.length / kContact),
    certificate("residual", "residual", "", "of the worst problem of the last step, relative", (f) => f.residual),
    certificate("penetration", "overlap", "m", "deepest, after the last step", (f) => f.penetration),
    certificate("rate", "speed", "×", "simulated seconds per second", (f) => f.rate),
  ];
  for (const j of scene.joints)
    for (let k = 0; k < j.nq; ++k)
      out.push({
        signal: {
          name: j.nq === 1 ? `q.${j.name}` : `q.${j.name}.${k}`,
          group: "Joints: position",
          label: j.nq === 1 ? j.name : `${j.name} ${k}`,
          unit: j.nq > 1 ? "" : j.kind === "prismatic" ? "m" : "rad",
          meaning: `of joint ${j.name}`,
        },
        read: (f) => f.positions[j.q + k],
      });
  scene.actuators.forEach((a, i) =>
    out.push({
      signal: { name: `control.${a.name}`, group: "Controls", label: a.name, unit: "", meaning: `of actuator ${a.name}` },
      read: (f) => f.controls[i],
    }),
  );
  return out;
}

export class LiveTrack implements Track {
  readonly live = true;
  readonly pairs: Pair[] = [];
  readonly signals: Signal[];
  readonly events: RunEvent[] = [];
  readonly certificate: Fact[] = [];
  rows = 0;
  /** The run that the rows belong to: a reset begins another one. */
  run = -1;

  private readonly sources: Source[];
  private readonly most: number;
  private readonly pairOf = new Map<number, number>();
  private times = new Float64Array(1024);
  private steps = new Float64Array(1024);
  private poseData: Float32Array;
  private columns: Float32Array[];
  private contactData: Float32Array[] = [];

  constructor(
    readonly title: string,
    readonly scene: Scene,
    readonly about: Fact[],
  ) {
    this.sources = makeSources(scene);
    this.signals = this.sources.map((s) => s.signal);
    this.columns = this.sources.map(() => new Float32Array(1024));
    this.poseData = new Float32Array(1024 * this.width);
    this.most = Math.max(600, Math.min(kMostRows, Math.floor(kMostNumbers / this.width)));
  }
  private get width(): number {
    return 7 * this.scene.bodies.length;
  }

  /** A frame that only says the same again, as those of a paused run do, replaces the last row. */
  append(f: Frame): void {
    if (f.run !== this.run) (this.run = f.run), (this.rows = 0);
    if (this.rows > 0 && f.time <= this.times[this.rows - 1]) {
      // Time stands still, or a joint was set.
      this.rows -= 1;
      while (this.rows > 0 && f.time <= this.times[this.rows - 1]) this.rows -= 1;
    }
    if (this.rows >= this.most) this.forgetHalf();
    if (this.rows >= this.times.length) this.widen();
    const row = this.rows;
    this.times[row] = f.time;
    this.steps[row] = f.step;
    this.poseData.set(f.poses.subarray(0, this.width), row * this.width);
    this.contactData[row] = f.contacts;
    this.sources.forEach((s, i) => (this.columns[i][row] = s.read(f)));
    this.rows = row + 1;
  }

  private forgetHalf(): void {
    const first = this.rows - Math.floor(this.most / 2);
    this.times.copyWithin(0, first, this.rows);
    this.steps.copyWithin(0, first, this.rows);
    this.poseData.copyWithin(0, first * this.width, this.rows * this.width);
    for (const c of this.columns) c.copyWithin(0, first, this.rows);
    this.contactData = this.contactData.slice(first, this.rows);
    this.rows -= first;
  }
  private widen(): void {
    const longer = <T extends Float32Array | Float64Array>(old: T, make: (n: number) => T): T => {
      const out = make(2 * old.length);
      out.set(old);
      return out;
    };
    this.times = longer(this.times, (n) => new Float64Array(n));
    this.steps = longer(this.steps, (n) => new Float64Array(n));
    this.poseData = longer(this.poseData, (n) => new Float32Array(n));
    this.columns = this.columns.map((c) => longer(c, (n) => new Float32Array(n)));
  }

  time(row: number): number {
    return this.times[row];
  }
  step(row: number): number {
    return this.steps[row];
  }
  poses(row: number, out: Float32Array): void {
    out.set(this.poseData.subarray(row * this.width, (row + 1) * this.width));
  }
  contacts(row: number): Contacts {
    const from = this.contactData[row] ?? new Float32Array(0);
    const count = from.length / kContact;
    const out: Contacts = {
      count,
      point: new Float32Array(3 * count),
      normal: new Float32Array(3 * count),
      force: new Float32Array(3 * count),
      gap: new Float32Array(count),
      pair: new Int32Array(count),
    };
    for (let i = 0; i < count; ++i) {
      const at = kContact * i;
      out.pair[i] = this.findPair(from[at], from[at + 1]);
      out.point.set(from.subarray(at + 2, at + 5), 3 * i);
      out.normal.set(from.subarray(at + 5, at + 8), 3 * i);
      out.force.set(from.subarray(at + 8, at + 11), 3 * i);
      out.gap[i] = from[at + 11];
    }
    return out;
  }
  private findPair(a: number, b: number): number {
    const key = a * this.scene.bodies.length + b;
    let index = this.pairOf.get(key);
    if (index === undefined) {
      index = this.pairs.length;
      this.pairs.push({ name: `${this.scene.bodies[a]?.name} and ${this.scene.bodies[b]?.name}`, a, b });
      this.pairOf.set(key, index);
    }
    return index;
  }
  column(signal: number): Float32Array {
    return this.columns[signal].subarray(0, this.rows);
  }
}
