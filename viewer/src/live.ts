// live.ts - the page of sinew view: the page of a report, on a run that goes on

import { App } from "./app";
import { h } from "./dom";
import { applyHash, makeInterface } from "./interface";
import { CameraPath } from "./live_camera";
import { watchDrags } from "./live_drag";
import type { Frame } from "./live_frame";
import { Link, type Hello, type Note, type Settings } from "./live_link";
import { LivePanel } from "./live_panel";
import { LiveTrack } from "./live_track";

const kPlotPeriod = 500; // [ms] between drawings of growing plots

/** Play, pause, steps and speed are those of the simulation; the cursor follows its end until somebody moves it. */
class LiveApp extends App {
  settings?: Settings;
  following = true;
  constructor(
    readonly track: LiveTrack,
    root: HTMLElement,
    readonly link: Link,
  ) {
    super([track], root);
  }
  override toggle(): void {
    this.link?.send({ do: "pause", on: !this.settings?.paused });
  }
  override play(): void {
    this.link?.send({ do: "pause", on: false });
  }
  override pause(): void {} // looking back does not stop the run
  override stepRows(n: number): void {
    if (n > 0 && this.settings?.paused && this.row >= this.track.rows - 1) return this.link.send({ do: "step", count: n });
    super.stepRows(n);
  }
  override seekRow(row: number): void {
    super.seekRow(row);
    if (!this.track) return; // while the page is made
    this.following = row >= this.track.rows - 1;
    this.onFollow();
  }
  override setSpeed(speed: number): void {
    this.link?.send({ do: "speed", factor: speed });
  }
  onFollow: () => void = () => {};
}

class LiveView {
  private app?: LiveApp;
  private track?: LiveTrack;
  private panel?: LivePanel;
  private hello?: Hello;
  private settings?: Settings;
  private readonly notes = h("div.live-notes", { role: "status", "aria-live": "polite" });
  private readonly follow = h("button.quiet.live-follow", { type: "button", title: "Follow the run" }, "Live");
  private latest: Frame | null = null;
  private drawn = 0; // when the plots were
  private frames = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly link = new Link(),
  ) {
    link.onHello = (hello) => this.meet(hello);
    link.onSettings = (s) => this.setSettings(s);
    link.onFrame = (f) => this.take(f);
    link.onNote = (n) => this.show(n);
    link.onEnd = (why) => this.end(why);
    root.replaceChildren(h("p.failure", {}, "Connecting…"));
    link.connect();
  }

  // Again after a lost connection: another run of the same scene, or another scene.
  private meet(hello: Hello): void {
    if (this.app) return location.reload();
    this.hello = hello;
    this.track = new LiveTrack(hello.title, hello.scene, [
      { word: "scene", text: hello.title },
      { word: "command", text: hello.command },
      { word: "Sinew", text: hello.sinew },
    ]);
  }

  private take(f: Frame): void {
    const { track } = this;
    if (!track) return;
    this.frames += 1;
    track.append(f);
    if (!this.app) this.begin();
    // Frames that come faster than pictures are drawn are kept, not drawn.
    if (!this.latest) requestAnimationFrame((now) => this.draw(now));
    this.latest = f;
  }

  private begin(): void {
    const hello = this.hello!;
    const app = new LiveApp(this.track!, this.root, this.link);
    this.app = app;
    this.panel = new LivePanel(hello, this.link);
    app.addTab("Control", this.panel.element, undefined, true);
    document.documentElement.dataset.live = "true";
    this.panel.element.append(new CameraPath(app.stage, hello.title).element);
    app.openTab("Control");
    app.plots.add({ title: "Work", signals: ["energy/work", "energy/mouse", "energy/edits", "energy/unaccounted"] });
    app.timeline.extra.append(this.follow);
    this.follow.addEventListener("click", () => app.seekRow(app.track.rows - 1));
    app.onFollow = () => this.follow.setAttribute("aria-pressed", String(app.following));
    app.stageBox.append(this.notes);
    watchDrags(app.stage, app.stageBox, this.link);
    if (this.settings) this.setSettings(this.settings);
    applyHash(app);
    makeInterface(app);
    const view = this;
    Object.assign((window as unknown as { sinew: object }).sinew, {
      link: this.link,
      live: {
        get frame(): Frame | null {
          return view.shown;
        },
        get frames(): number {
          return view.frames;
        },
        get settings(): Settings | undefined {
          return view.settings;
        },
      },
    });
  }
  private shown: Frame | null = null;

  private draw(now: number): void {
    const frame = this.latest;
    const { app, panel } = this;
    this.latest = null;
    if (!frame || !app || !panel) return;
    this.shown = frame;
    app.stage.setPulls(frame.drags);
    panel.setFrame(frame, now);
    if (!app.following) return app.timeline.grow();
    app.grow(true);
    if (!app.plots.element.hidden && now - this.drawn > kPlotPeriod) {
      this.drawn = now;
      app.plots.grow();
    }
  }

  private setSettings(s: Settings): void {
    this.settings = s;
    if (!this.app) return;
    this.app.settings = s;
    this.app.speed = s.speed;
    this.app.timeline.setSpeed(s.speed);
    this.app.timeline.setPlaying(!s.paused);
    this.panel?.setSettings(s);
  }

  private show(n: Note): void {
    const line = h("p", { class: n.type }, n.text);
    this.notes.append(line);
    while (this.notes.children.length > 4) this.notes.firstChild?.remove();
    setTimeout(() => line.remove(), n.type === "error" ? 12_000 : 6_000);
  }

  /** What has been seen stays on the page. */
  private end(why: string): void {
    const again = h("button.quiet", { type: "button" }, "Connect again");
    const banner = h("div.live-end", { role: "alert" }, h("p", {}, why), again);
    again.addEventListener("click", () => {
      banner.remove();
      this.link.connect();
    });
    if (this.app) this.app.stageBox.append(banner);
    else this.root.replaceChildren(banner);
  }
}

export function startLive(root: HTMLElement): void {
  new LiveView(root);
}
