// stored.ts - a whole run out of a report. Columns are decoded when they are first asked for.

import { findAncestors, fromBase64, inflate, readColumn, toFloats, type ColumnSpec } from "./codec";
import type { Pose, Scene } from "./scene";
import type { Contacts, Fact, Pair, RunEvent, Signal, Track } from "./track";

interface Header {
  title: string;
  scene: Scene;
  signals: Signal[];
  pairs: Pair[];
  events: RunEvent[];
  certificate: Fact[];
  about: Fact[];
  quantum: number; // [m] of positions
  moving: number[]; // bodies that have columns
  still: Pose[]; // where each body is that has none, by body
  columns: ColumnSpec[];
}

const kNothing = new Float32Array(0);
const kNoContacts: Contacts = { count: 0, point: kNothing, normal: kNothing, force: kNothing, gap: kNothing, pair: new Int32Array(0) };
const kMagic = "SINEWRUN";

export class StoredTrack implements Track {
  readonly title: string;
  readonly scene: Scene;
  readonly pairs: Pair[];
  readonly signals: Signal[];
  readonly events: RunEvent[];
  readonly certificate: Fact[];
  readonly about: Fact[];
  readonly rows: number;
  readonly live = false;

  private readonly header: Header;
  private readonly places = new Map<string, { at: number; spec: ColumnSpec }[]>();
  private readonly times: Float64Array;
  private readonly steps: Int32Array;
  private readonly recordRows: Int32Array;
  private readonly counts: Int32Array; // of contacts
  private readonly moving: Int32Array[] = [];
  private readonly decoded: (Float32Array | undefined)[] = [];
  private contactData?: { first: Int32Array; counts: Int32Array; data: Contacts };

  static async read(base64: string): Promise<StoredTrack> {
    return new StoredTrack(await inflate(fromBase64(base64.trim())));
  }

  constructor(private readonly bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const magic = new TextDecoder().decode(bytes.subarray(0, 8));
    if (magic !== kMagic || view.getUint32(8, true) !== 1) throw new Error("the data of this page are of another version");
    const length = view.getUint32(12, true);
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length))) as Header;
    let at = 16 + length;
    for (const spec of this.header.columns) {
      const list = this.places.get(spec.name) ?? [];
      list.push({ at, spec });
      this.places.set(spec.name, list);
      at += 4 * spec.length;
    }
    const { title, scene, pairs, signals, events, certificate, about } = this.header;
    this.title = title;
    this.scene = scene;
    this.pairs = pairs;
    this.signals = signals;
    this.events = events;
    this.certificate = certificate;
    this.about = about;
    this.steps = this.read("step");
    this.recordRows = this.read("row");
    this.counts = this.read("contact.count");
    this.rows = this.steps.length;
    const high = this.read("time.high");
    const low = this.read("time.low");
    const halves = new Int32Array(2 * this.rows);
    for (let i = 0; i < this.rows; ++i) (halves[2 * i] = low[i]), (halves[2 * i + 1] = high[i]);
    this.times = new Float64Array(halves.buffer);
    for (let i = 0; i < 7 * this.header.moving.length; ++i) this.moving.push(this.read("pose", i));
  }

  private read(name: string, i = 0, ancestors?: Int32Array): Int32Array {
    const place = this.places.get(name)?.[i];
    if (!place) return new Int32Array(0);
    return readColumn(this.bytes, place.at, place.spec, ancestors);
  }

  time(row: number): number {
    return this.times[row];
  }
  step(row: number): number {
    return this.steps[row];
  }
  /** The row of the record that this row is. */
  recordRow(row: number): number {
    return this.recordRows[row];
  }

  poses(row: number, out: Float32Array): void {
    const { still, moving, quantum } = this.header;
    for (let b = 0; b < still.length; ++b) out.set(still[b], 7 * b);
    for (let i = 0; i < moving.length; ++i) {
      const at = 7 * moving[i];
      for (let k = 0; k < 3; ++k) out[at + k] = quantum * this.moving[7 * i + k][row];
      let norm = 0;
      for (let k = 3; k < 7; ++k) {
        const x = this.moving[7 * i + k][row] / 32767;
        out[at + k] = x;
        norm += x * x;
      }
      norm = Math.sqrt(norm) || 1;
      for (let k = 3; k < 7; ++k) out[at + k] /= norm;
    }
  }

  contacts(row: number): Contacts {
    if (this.counts[row] === 0) return kNoContacts; // the first picture needs none decoded
    this.contactData ??= this.readContacts();
    const { first, counts, data } = this.contactData;
    const from = first[row];
    const to = from + counts[row];
    const three = (x: Float32Array): Float32Array => x.subarray(3 * from, 3 * to);
    return {
      count: counts[row],
      point: three(data.point),
      normal: three(data.normal),
      force: three(data.force),
      gap: data.gap.subarray(from, to),
      pair: data.pair.subarray(from, to),
    };
  }

  column(signal: number): Float32Array {
    return (this.decoded[signal] ??= toFloats(this.read("signal", signal)));
  }

  private readContacts(): { first: Int32Array; counts: Int32Array; data: Contacts } {
    const { counts } = this;
    const first = new Int32Array(counts.length + 1);
    for (let i = 0; i < counts.length; ++i) first[i + 1] = first[i] + counts[i];
    const ancestors = findAncestors(counts, this.read("contact.like"));
    const n = ancestors.length;
    const three = (name: string, convert: (x: Int32Array) => ArrayLike<number>): Float32Array => {
      const out = new Float32Array(3 * n);
      for (let k = 0; k < 3; ++k) {
        const x = convert(this.read(name, k, ancestors));
        for (let i = 0; i < n; ++i) out[3 * i + k] = x[i];
      }
      return out;
    };
    const scaled = (unit: number) => (x: Int32Array) => Float32Array.from(x, (value) => unit * value);
    return {
      first,
      counts,
      data: {
        count: n,
        point: three("contact.point", scaled(this.header.quantum)),
        normal: three("contact.normal", scaled(1 / 32767)),
        force: three("contact.force", toFloats),
        gap: toFloats(this.read("contact.gap", 0, ancestors)),
        pair: this.read("contact.pair", 0, ancestors),
      },
    };
  }
}
