// timeline.ts - play, scrub, speed; marks of events over the time of the run

import { format, h, icon, iconButton } from "./dom";
import type { EventKind, Track } from "./track";

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

interface Host {
  toggle(): void;
  seek(time: number): void;
  stepRows(rows: number): void;
  seekRow(row: number): void;
  setSpeed(speed: number): void;
  setLoop(on: boolean): void;
}

export class Timeline {
  readonly element: HTMLElement;
  readonly extra = h("div.timeline-extra"); // for a live view
  private readonly range: HTMLInputElement;
  private readonly marks = document.createElement("canvas");
  private readonly playButton: HTMLButtonElement;
  private readonly clock = h("output.clock", { "aria-live": "off" });
  private readonly stepText = h("output.step");
  private readonly speed: HTMLSelectElement;
  private readonly loop: HTMLButtonElement;

  constructor(
    private readonly track: Track,
    host: Host,
  ) {
    this.playButton = h("button.play", { type: "button", "aria-label": "Play", title: "Play (space)" }, icon("play")) as HTMLButtonElement;
    this.playButton.addEventListener("click", () => host.toggle());
    this.range = h("input.scrub", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time" }) as HTMLInputElement;
    this.range.addEventListener("input", () => host.seek(Number(this.range.value)));
    this.range.addEventListener("keydown", (e) => e.key.startsWith("Arrow") && e.preventDefault());
    this.marks.className = "marks";
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" }) as HTMLSelectElement;
    for (const s of kSpeeds) this.speed.append(h("option", { value: s }, `${s}×`));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => host.setSpeed(Number(this.speed.value)));
    this.loop = iconButton("loop", "Begin again at the end (l)", () => host.setLoop(this.loop.getAttribute("aria-pressed") !== "true"));
    this.element = h(
      "footer.timeline",
      { role: "group", "aria-label": "Replay" },
      h(
        "div.transport",
        {},
        iconButton("first", "To the start (Home)", () => host.seekRow(0)),
        iconButton("back", "One row back (left)", () => host.stepRows(-1)),
        this.playButton,
        iconButton("forward", "One row on (right)", () => host.stepRows(1)),
        iconButton("last", "To the end (End)", () => host.seekRow(track.rows - 1)),
      ),
      h("div.readout", {}, this.clock, this.stepText),
      h("div.track", {}, this.marks, this.range),
      h("div.rate", {}, this.speed, this.loop, this.extra),
    );
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
    this.grow();
  }

  /** The track has more rows. */
  grow(): void {
    const last = Math.max(0, this.track.rows - 1);
    this.range.min = String(this.track.rows > 0 ? this.track.time(0) : 0);
    this.range.max = String(this.track.rows > 0 ? this.track.time(last) : 1);
    this.drawMarks();
  }
  set(time: number, row: number): void {
    if (document.activeElement !== this.range || Number(this.range.value) !== time) this.range.value = String(time);
    const low = Number(this.range.min);
    const high = Number(this.range.max);
    const share = high > low ? (time - low) / (high - low) : 0;
    this.range.style.setProperty("--share", String(share));
    this.clock.textContent = `${format(this.track.time(row), 5)} s`;
    this.range.setAttribute("aria-valuetext", this.clock.textContent);
    this.stepText.textContent = `of ${format(high, 4)} s · step ${this.track.step(row)}`;
  }
  setPlaying(on: boolean): void {
    this.playButton.replaceChildren(icon(on ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", on ? "Pause" : "Play");
  }
  setSpeed(speed: number): void {
    if (![...this.speed.options].some((o) => Number(o.value) === speed)) this.speed.append(h("option", { value: speed }, `${speed}×`));
    this.speed.value = String(speed);
  }
  setLoop(on: boolean): void {
    this.loop.setAttribute("aria-pressed", String(on));
  }
  static faster(speed: number, by: number): number {
    const i = kSpeeds.indexOf(speed);
    return kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, (i < 0 ? 6 : i) + by))];
  }

  drawMarks(): void {
    const { clientWidth: w, clientHeight: hgt } = this.marks;
    if (w === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.marks.width = w * ratio;
    this.marks.height = hgt * ratio;
    const g = this.marks.getContext("2d");
    if (!g) return;
    g.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const low = Number(this.range.min);
    const span = Number(this.range.max) - low || 1;
    const colour = (kind: EventKind): string => style.getPropertyValue(`--event-${kind}`).trim() || style.getPropertyValue("--muted");
    const inset = 7; // half the thumb
    for (const e of this.track.events) {
      const bad = e.kind === "unsolved" || e.kind === "stuck";
      g.fillStyle = colour(e.kind);
      g.globalAlpha = bad ? 1 : 0.55;
      const x = inset + ((this.track.time(e.row) - low) / span) * (w - 2 * inset);
      g.fillRect(x - 0.5, bad ? 0 : 3, bad ? 2 : 1, bad ? hgt : hgt - 6);
    }
  }
}
