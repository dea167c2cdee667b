// app.ts - the page: it holds the cursor, plays, and tells every part where the cursor stands

import { openChooser } from "./chooser";
import { h, icon, iconButton } from "./dom";
import { EventPanel } from "./events";
import { showHelp, watchKeys } from "./keys";
import { ViewMenu } from "./menu";
import { PlotPanel, type CardSpec } from "./plots";
import { SignalBook } from "./signals";
import { Stage } from "./stage";
import { Theme } from "./theme";
import { Timeline } from "./timeline";
import { findNearestRow, findRow, type Track } from "./track";
import { TreePanel } from "./tree";
import { makeAboutPanel, makeCertificatePanel } from "./words";

interface Tab {
  name: string;
  panel: HTMLElement;
  button: HTMLElement;
  shown?: () => void;
}

function defaultCards(book: SignalBook): CardSpec[] {
  const cards: CardSpec[] = [
    { title: "Energy", signals: ["energy/kinetic", "energy/potential", "energy/total"] },
    { title: "Contacts", signals: ["certificates/contacts", "certificates/collisions"] },
    { title: "Residual", signals: ["certificates/residual"], log: true },
    { title: "Deepest overlap", signals: ["certificates/penetration"] },
    { title: "Centre of mass", signals: ["centre.z"] },
  ];
  return cards.filter((c) => c.signals.some((s) => book.find(s)));
}

export class App {
  readonly stage: Stage;
  readonly theme = new Theme();
  readonly book: SignalBook;
  readonly timeline: Timeline;
  readonly plots: PlotPanel;
  readonly menu: ViewMenu;
  readonly head = h("header.top");
  readonly stageBox = h("main.stage", { "aria-label": "3D view" });
  time = 0;
  row = 0;
  playing = false;
  speed = 1;
  loop = true;
  selected = -1;

  private readonly events: EventPanel;
  private readonly tree: TreePanel;
  private readonly side = h("aside.side", { "aria-label": "Panels" });
  private readonly tabBar = h("div.tabs", { role: "tablist" });
  private readonly chip = h("div.selection", { hidden: true });
  private readonly tabs: Tab[] = [];
  private readonly buffers: { a: Float32Array; b: Float32Array }[];
  private lastTick = 0;

  constructor(
    readonly tracks: Track[],
    root: HTMLElement,
  ) {
    const first = tracks[0];
    this.book = new SignalBook(tracks);
    this.buffers = tracks.map((t) => ({
      a: new Float32Array(7 * t.scene.bodies.length),
      b: new Float32Array(7 * t.scene.bodies.length),
    }));
    this.timeline = new Timeline(first, {
      toggle: () => this.toggle(),
      seek: (t) => this.seek(t),
      stepRows: (n) => this.stepRows(n),
      seekRow: (r) => this.seekRow(r),
      setSpeed: (s) => this.setSpeed(s),
      setLoop: (on) => this.setLoop(on),
    });
    this.plots = new PlotPanel(
      {
        tracks,
        book: this.book,
        theme: this.theme,
        seek: (t) => this.seek(t),
        choose: (chosen, at, change) => openChooser(this.book, chosen, at, change),
      },
      defaultCards(this.book),
    );
    this.events = new EventPanel(first, (r) => this.seekRow(r));
    this.tree = new TreePanel({
      track: first,
      book: this.book,
      select: (b) => this.select(b),
      follow: (b) => this.follow(b),
      plot: (title, signals) => {
        this.plots.show({ title, signals });
        this.openTab("Plots");
      },
    });
    this.side.append(this.tabBar);
    root.replaceChildren(this.head, this.stageBox, this.side, this.timeline.element);
    this.stage = new Stage(this.stageBox);
    this.menu = new ViewMenu(
      this.stage,
      tracks.length > 1,
      () => this.toggleFollow(),
      () => this.savePicture(),
    );
    this.menu.onChange = () => this.showPath();
    this.stageBox.append(this.menu.element, this.chip, this.makeLegend());
    this.addTab("Plots", this.plots.element, () => this.plots.make());
    if (!first.live) this.addTab("Events", this.events.element);
    this.addTab("Model", this.tree.element, () => this.tree.setRow(this.row));
    if (!first.live) this.addTab("Certificate", makeCertificatePanel(tracks));
    this.addTab("About", makeAboutPanel(tracks));
    this.fillHead();
    this.stage.setTracks(tracks);
    this.stage.onPick = (b) => this.select(b);
    this.theme.onChange = () => this.paint();
    this.paint();
    this.setLoop(true);
    this.watchDivider(root);
    watchKeys(this);
    this.openTab("Plots", false);
    this.seekRow(0);
    this.stage.resetCamera();
  }
  /** The plots take longer than the picture: they are drawn after it. */
  drawPlots(): void {
    if (!this.plots.element.hidden) this.plots.make();
    this.plots.setRow(this.row, this.time);
  }

  private fillHead(): void {
    const first = this.tracks[0];
    document.title = `${first.title} · Sinew`;
    const mark = h("span.mark", { "aria-hidden": "true" });
    mark.innerHTML =
      '<svg viewBox="0 0 32 32"><path d="M7 6v7l9 6 9-5"/><circle cx="7" cy="6" r="3.4"/><circle cx="16" cy="19" r="3.4"/><circle cx="25" cy="14" r="3.4"/></svg>';
    const end = first.rows > 0 ? first.time(first.rows - 1) : 0;
    const facts = first.live ? "live" : `${Number(end.toPrecision(4))} s · ${first.scene.bodies.length - 1} bodies`;
    const theme = iconButton("moon", "Light or dark (d)", () => this.theme.toggle());
    this.head.append(
      mark,
      h("h1", {}, this.tracks.map((t) => t.title).join(" and ")),
      h("span.hint", {}, facts),
      h("span.grow"),
      theme,
      iconButton("keys", "Keys (?)", () => showHelp()),
    );
  }
  private makeLegend(): HTMLElement {
    const box = h("div.runs");
    if (this.tracks.length < 2) return box;
    this.tracks.forEach((t, i) => {
      const dot = h("span.dot");
      dot.dataset.run = String(i);
      box.append(h("span", {}, dot, t.title));
    });
    return box;
  }

  addTab(name: string, panel: HTMLElement, shown?: () => void, first = false): void {
    const button = h("button", { type: "button", role: "tab", "aria-selected": "false", id: `tab-${name}` }, name);
    button.addEventListener("click", () => this.openTab(name));
    panel.hidden = true;
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    const tab = { name, panel, button, shown };
    if (first) this.tabs.unshift(tab);
    else this.tabs.push(tab);
    if (first) this.tabBar.prepend(button);
    else this.tabBar.append(button);
    this.side.append(panel);
  }
  openTab(name: string | number, draw = true): void {
    const tab = typeof name === "number" ? this.tabs[name] : this.tabs.find((t) => t.name.toLowerCase() === name.toLowerCase());
    if (!tab) return;
    for (const t of this.tabs) {
      t.panel.hidden = t !== tab;
      t.button.setAttribute("aria-selected", String(t === tab));
    }
    if (draw) tab.shown?.();
  }

  // --- the cursor ------------------------------------------------------------------------------------------------
  /** Puts the cursor on the row nearest to a time. */
  seek(time: number): void {
    this.seekRow(findNearestRow(this.tracks[0], time));
  }
  seekRow(row: number): void {
    const first = this.tracks[0];
    if (first.rows === 0) return;
    this.row = Math.min(Math.max(0, row), first.rows - 1);
    this.time = first.time(this.row);
    this.show();
  }
  /** Shows a time between rows, as playing does; numbers are those of the row before it. */
  showTime(time: number): void {
    this.row = findRow(this.tracks[0], time);
    this.time = time;
    this.show();
  }
  stepRows(n: number): void {
    this.pause();
    this.seekRow(this.row + n);
  }
  /** To the next event after the cursor, or the one before it. */
  stepEvents(direction: number): void {
    const { events } = this.tracks[0];
    const found = direction > 0 ? events.find((e) => e.row > this.row) : events.filter((e) => e.row < this.row).pop();
    if (!found) return;
    this.pause();
    this.seekRow(found.row);
  }

  /** The track has more rows, or began again. `follow`: the cursor goes to its end. */
  grow(follow: boolean): void {
    this.timeline.grow();
    if (follow) this.seekRow(this.tracks[0].rows - 1);
  }

  private show(): void {
    const { row, time } = this;
    this.tracks.forEach((t, i) => this.stage.setPoses(i, this.posesAt(i, t, time)));
    this.stage.setContacts(this.tracks[0].contacts(row));
    this.timeline.set(time, row);
    this.plots.setRow(row, time);
    this.events.setRow(row);
    this.tree.setRow(row);
  }

  /** On the line between two rows where the time lies between them: only for drawing. */
  private posesAt(index: number, track: Track, time: number): Float32Array {
    const { a, b } = this.buffers[index];
    const row = findRow(track, time);
    track.poses(row, a);
    const next = Math.min(row + 1, track.rows - 1);
    const span = track.time(next) - track.time(row);
    const share = span > 0 ? (time - track.time(row)) / span : 0;
    if (!(share > 1e-6) || share > 1) return a;
    track.poses(next, b);
    for (let at = 0; at < a.length; at += 7) {
      const dot = a[at + 3] * b[at + 3] + a[at + 4] * b[at + 4] + a[at + 5] * b[at + 5] + a[at + 6] * b[at + 6];
      const sign = dot < 0 ? -1 : 1;
      let norm = 0;
      for (let k = 0; k < 7; ++k) {
        const to = k < 3 ? b[at + k] : sign * b[at + k];
        a[at + k] += share * (to - a[at + k]);
        if (k > 2) norm += a[at + k] * a[at + k];
      }
      norm = Math.sqrt(norm) || 1;
      for (let k = 3; k < 7; ++k) a[at + k] /= norm;
    }
    return a;
  }

  // --- playing ---------------------------------------------------------------------------------------------------
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    const first = this.tracks[0];
    if (this.playing || first.rows < 2) return;
    if (this.row >= first.rows - 1) this.seekRow(0);
    this.playing = true;
    this.lastTick = 0;
    this.timeline.setPlaying(true);
    requestAnimationFrame((now) => this.tick(now));
  }
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.timeline.setPlaying(false);
    this.seekRow(this.row);
  }
  private tick(now: number): void {
    if (!this.playing) return;
    const first = this.tracks[0];
    // A page that was hidden goes on where it was.
    const passed = this.lastTick === 0 ? 0 : Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    const end = first.time(first.rows - 1);
    this.time += this.speed * passed;
    if (this.time >= end) {
      if (this.loop) this.time = first.time(0);
      else return this.pause(), this.seekRow(first.rows - 1);
    }
    this.row = findRow(first, this.time);
    this.show();
    requestAnimationFrame((t) => this.tick(t));
  }
  setSpeed(speed: number): void {
    this.speed = speed;
    this.timeline.setSpeed(speed);
  }
  setLoop(on: boolean): void {
    this.loop = on;
    this.timeline.setLoop(on);
  }

  // --- bodies ----------------------------------------------------------------------------------------------------
  select(body: number): void {
    this.selected = body;
    this.stage.select(body);
    this.tree.select(body);
    this.chip.hidden = body < 0;
    this.chip.textContent = body < 0 ? "" : this.tracks[0].scene.bodies[body].name;
    if (body < 0 && this.stage.followed >= 0) this.follow(-1);
    this.showPath();
  }
  follow(body: number): void {
    this.stage.follow(body);
    this.menu.show();
  }
  toggleFollow(): void {
    if (this.stage.followed >= 0) return this.follow(-1);
    if (this.selected < 0) this.select(Math.min(1, this.tracks[0].scene.bodies.length - 1));
    if (this.selected > 0) this.follow(this.selected);
  }
  private showPath(): void {
    const track = this.tracks[0];
    if (!this.stage.look.path || this.selected < 0) return this.stage.setPath(null);
    const columns = ["x", "y", "z"].map((axis) => this.book.values(`body.${track.scene.bodies[this.selected].name}.${axis}`));
    const stride = Math.max(1, Math.ceil(track.rows / 4000));
    const n = Math.ceil(track.rows / stride);
    const points = new Float32Array(3 * n);
    for (let i = 0; i < n; ++i) for (let k = 0; k < 3; ++k) points[3 * i + k] = columns[k]?.[i * stride] ?? 0;
    this.stage.setPath(points);
  }

  // --- looks -----------------------------------------------------------------------------------------------------
  private paint(): void {
    this.stage.setPalette(this.theme.palette);
    const button = this.head.querySelector<HTMLButtonElement>('[aria-label^="Light"]');
    button?.replaceChildren(icon(this.theme.name === "dark" ? "sun" : "moon"));
    this.timeline.drawMarks();
    if (!this.plots.element.hidden) this.plots.make();
  }
  savePicture(): void {
    this.stage.drawNow();
    const link = h("a", { href: this.stage.canvas.toDataURL("image/png"), download: `${this.tracks[0].title}.png` });
    link.click();
  }

  // The border between picture and panels can be dragged.
  private watchDivider(root: HTMLElement): void {
    const handle = h("div.divider", { role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the panels" });
    this.side.prepend(handle);
    let dragging = false;
    handle.addEventListener("pointerdown", (e) => {
      dragging = true;
      handle.setPointerCapture(e.pointerId);
    });
    handle.addEventListener("pointermove", (e) => {
      if (!dragging) return;
      const width = Math.min(Math.max(280, window.innerWidth - e.clientX), 0.75 * window.innerWidth);
      root.style.setProperty("--side", `${width}px`);
    });
    handle.addEventListener("pointerup", () => (dragging = false));
  }
}
