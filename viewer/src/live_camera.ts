// live_camera.ts - a path of the camera: key frames at times, played back, and exported as JSON

import { Vector3 } from "three";
import { format, h } from "./dom";
import type { Stage } from "./stage";

interface Key {
  time: number; // [s] since the first
  position: [number, number, number];
  target: [number, number, number];
}

/** Between two keys along a curve that is smooth in both (Catmull and Rom). */
function mix(keys: Key[], t: number, of: "position" | "target"): Vector3 {
  let i = 0;
  while (i + 2 < keys.length && keys[i + 1].time <= t) ++i;
  const a = keys[i];
  const b = keys[Math.min(i + 1, keys.length - 1)];
  const s = b.time > a.time ? Math.min(1, Math.max(0, (t - a.time) / (b.time - a.time))) : 0;
  const p = [keys[Math.max(0, i - 1)], a, b, keys[Math.min(i + 2, keys.length - 1)]].map((k) => new Vector3(...k[of]));
  const out = new Vector3();
  for (const axis of ["x", "y", "z"] as const) {
    const [p0, p1, p2, p3] = p.map((v) => v[axis]);
    out[axis] = p1 + 0.5 * s * (p2 - p0 + s * (2 * p0 - 5 * p1 + 4 * p2 - p3 + s * (3 * (p1 - p2) + p3 - p0)));
  }
  return out;
}

export class CameraPath {
  readonly element = h("section.card", { "aria-label": "Camera path" });
  readonly keys: Key[] = [];
  private readonly list = h("p.hint", {}, "No key frames yet.");
  private playing = 0;

  constructor(
    private readonly stage: Stage,
    private readonly title: string,
  ) {
    const button = (text: string, run: () => void): HTMLElement => h("button.quiet", { type: "button", onclick: run }, text);
    this.element.append(
      h("header", {}, h("h3", {}, "Camera path")),
      h(
        "div.buttons",
        {},
        button("Add key frame", () => this.add()),
        button("Play", () => this.play()),
        button("Clear", () => this.clear()),
        button("Export", () => this.save()),
      ),
      this.list,
    );
  }

  /** Two seconds after the one before. */
  add(): void {
    const time = this.keys.length > 0 ? this.keys[this.keys.length - 1].time + 2 : 0;
    this.keys.push({ time, position: this.stage.camera.position.toArray(), target: this.stage.controls.target.toArray() });
    this.show();
  }
  clear(): void {
    this.keys.length = 0;
    this.playing = 0;
    this.show();
  }
  private show(): void {
    const n = this.keys.length;
    this.list.textContent = n === 0 ? "No key frames yet." : `${n} key frame${n > 1 ? "s" : ""}, ${format(this.keys[n - 1].time)} s`;
  }
  play(): void {
    if (this.keys.length < 2) return;
    const begun = performance.now();
    const ticket = ++this.playing;
    const tick = (now: number): void => {
      if (ticket !== this.playing) return;
      const t = Math.max(0, (now - begun) / 1000);
      this.stage.camera.position.copy(mix(this.keys, t, "position"));
      this.stage.controls.target.copy(mix(this.keys, t, "target"));
      this.stage.draw();
      if (t < this.keys[this.keys.length - 1].time) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  toJson(): string {
    return JSON.stringify({ format: "sinew camera path", version: 1, fov: this.stage.camera.fov, up: [0, 0, 1], keys: this.keys }, null, 1);
  }
  save(): void {
    const link = h("a", { download: `${this.title}-camera.json` }) as HTMLAnchorElement;
    link.href = URL.createObjectURL(new Blob([this.toJson()], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
