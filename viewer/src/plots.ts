// plots.ts - cards of curves over time, with one cursor that all of them share with the replay

import uPlot from "uplot";
import { format, h, iconButton } from "./dom";
import type { SignalBook } from "./signals";
import type { Theme } from "./theme";
import { findNearestRow, type Track } from "./track";

export interface CardSpec {
  title: string;
  signals: string[];
  log?: boolean;
  difference?: boolean;
}

interface Host {
  tracks: Track[];
  book: SignalBook;
  theme: Theme;
  seek(time: number): void;
  choose(chosen: string[], at: HTMLElement, change: (names: string[]) => void): void;
}

const kHeight = 132;

class Card {
  readonly element: HTMLElement;
  private plot?: uPlot;
  private readonly place = h("div.plot");
  private readonly legend = h("div.legend");
  private readonly cursor = h("div.plot-cursor", { "aria-hidden": "true" });
  private readonly title: HTMLElement;
  private readonly logButton: HTMLButtonElement;
  private readonly differenceButton?: HTMLElement;
  private curves: (() => ArrayLike<number>)[] = []; // values of each series, as many as there are rows
  private values: { of: ArrayLike<number>; text: HTMLElement }[] = [];
  private row = 0;
  private time = 0;
  private width = 0;

  constructor(
    private readonly host: Host,
    readonly spec: CardSpec,
    private readonly zoom: { range: [number, number] | null },
    private readonly all: PlotPanel,
  ) {
    this.title = h("h3", {}, spec.title);
    this.logButton = iconButton("log", "Logarithmic scale", () => {
      spec.log = !spec.log;
      this.make();
    });
    const choose = iconButton("plus", "Choose the signals of this plot", () =>
      host.choose(spec.signals, choose, (names) => {
        spec.signals = names;
        this.make();
      }),
    );
    if (host.tracks.length > 1) {
      this.differenceButton = h("button.chip-button", { type: "button", title: "Difference to the first run" }, "Δ");
      this.differenceButton.addEventListener("click", () => {
        spec.difference = !spec.difference;
        this.make();
      });
    }
    const remove = iconButton("close", "Remove this plot", () => all.remove(this));
    const tools = h("div.card-tools", {}, this.differenceButton, this.logButton, choose, remove);
    this.element = h("section.card", { "aria-label": `Plot: ${spec.title}` }, h("header", {}, this.title, tools), this.legend, this.place);
    this.watch();
  }

  make(): void {
    const { host, spec } = this;
    const { book, theme } = host;
    this.plot?.destroy();
    this.values = [];
    this.legend.replaceChildren();
    this.logButton.setAttribute("aria-pressed", String(!!spec.log));
    this.differenceButton?.setAttribute("aria-pressed", String(!!spec.difference));
    const first = host.tracks[0];
    const n = first.rows;
    this.curves = [];
    const series: uPlot.Series[] = [{}];
    const units = new Set<string>();
    const colours = theme.series;
    const palette = (i: number): string => colours[i % colours.length];
    spec.signals.forEach((name, i) => {
      const signal = book.find(name);
      if (!signal) return;
      units.add(signal.unit);
      const add = (find: () => ArrayLike<number>, label: string, dash: number[] | undefined): void => {
        this.curves.push(find);
        series.push({ stroke: palette(i), width: 1.4, dash, points: { show: false }, spanGaps: true });
        const text = h("output");
        const name_ = h("span.name", { title: `${signal.meaning}${signal.unit ? ` [${signal.unit}]` : ""}` }, label);
        const swatch = h("span.swatch");
        swatch.style.setProperty("--ink", palette(i));
        if (dash) swatch.classList.add("dashed");
        this.legend.append(h("span.item", { "data-signal": name }, swatch, name_, text, h("span.unit", {}, signal.unit)));
        this.values.push({ of: [], text });
      };
      const mine = book.values(name);
      for (let t = 1; t < host.tracks.length; ++t) {
        const other = book.resampled(name, t);
        if (!other) continue;
        if (spec.difference && mine) add(() => Float64Array.from(other, (x, k) => x - mine[k]), `Δ ${signal.label}`, undefined);
        else add(() => other, host.tracks[t].title, [5, 4]);
      }
      if (mine && !(spec.difference && host.tracks.length > 1)) add(() => book.values(name) ?? [], signal.label, undefined);
    });
    const ink = getComputedStyle(document.documentElement);
    const muted = ink.getPropertyValue("--muted").trim();
    const line = ink.getPropertyValue("--line").trim();
    const font = "11px " + ink.getPropertyValue("--sans").trim();
    const axis: uPlot.Axis = { stroke: muted, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
    this.width = Math.max(120, this.place.clientWidth);
    const tiny = (u: uPlot, values: (number | null)[]): string[] => (void u, values.map((x) => (x === null ? "" : format(x, 4))));
    this.plot = new uPlot(
      {
        width: this.width,
        height: kHeight,
        padding: [8, 10, 0, 0],
        pxAlign: 0,
        legend: { show: false },
        cursor: { show: false },
        hooks: { draw: [() => this.placeCursor()] }, // scales are known then
        series,
        scales: {
          x: { time: false, range: () => this.zoom.range ?? this.all.wholeRange() },
          y: { range: (_u, low, high) => (spec.log ? decades(low, high) : roomy(low, high)) },
        },
        axes: [
          { ...axis, size: 22, gap: 4, values: tiny },
          spec.log
            ? { ...axis, size: 54, gap: 4, splits: (_u, _i, low, high) => wholes(low, high), values: (_u, v) => v.map((x) => `1e${x}`.replace("-", "−")) }
            : { ...axis, size: 54, gap: 4, values: tiny },
        ],
      },
      this.collect(),
      this.place,
    );
    this.plot.over.append(this.cursor);
    if (spec.signals.length === 0) this.legend.append(h("span.hint", {}, "Choose signals with +"));
    this.setRow(Math.min(this.row, n - 1), this.time);
  }

  /** Times and values of the rows there are now. */
  private collect(): uPlot.AlignedData {
    const first = this.host.tracks[0];
    const times = new Float64Array(first.rows);
    for (let i = 0; i < times.length; ++i) times[i] = first.time(i);
    const data: (ArrayLike<number> | (number | null)[])[] = [times];
    this.curves.forEach((find, i) => {
      const values = find();
      this.values[i].of = values;
      data.push(this.spec.log ? Array.from(values, (x) => (Math.abs(x) > 0 ? Math.log10(Math.abs(x)) : null)) : values);
    });
    return data as uPlot.AlignedData;
  }
  /** The track has more rows. */
  grow(): void {
    this.plot?.setData(this.collect());
  }

  setRow(row: number, time: number): void {
    this.row = row;
    this.time = time;
    for (const v of this.values) v.text.textContent = format(v.of[Math.min(row, v.of.length - 1)] ?? NaN);
    this.placeCursor();
  }
  private placeCursor(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.time, "x");
    const inside = x >= -0.5 && x <= this.plot.over.clientWidth + 0.5;
    this.cursor.style.display = inside ? "" : "none";
    this.cursor.style.transform = `translateX(${x}px)`;
  }
  rescale(): void {
    this.plot?.redraw(true, true);
    const range = this.zoom.range ?? this.all.wholeRange();
    this.plot?.setScale("x", { min: range[0], max: range[1] });
  }
  fit(): void {
    const w = this.place.clientWidth;
    if (!this.plot || w < 20 || w === this.width) return;
    this.width = w;
    this.plot.setSize({ width: w, height: kHeight });
  }
  destroy(): void {
    this.plot?.destroy();
    this.element.remove();
  }

  private timeAt(clientX: number): number {
    const { plot } = this;
    if (!plot) return 0;
    const r = plot.over.getBoundingClientRect();
    return plot.posToVal(Math.min(Math.max(clientX - r.left, 0), r.width), "x");
  }
  // Drag: the cursor. Wheel: zoom about the pointer. Double click: the whole run.
  private watch(): void {
    let scrubbing = false;
    this.place.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      scrubbing = true;
      this.place.setPointerCapture(e.pointerId);
      this.host.seek(this.timeAt(e.clientX));
    });
    this.place.addEventListener("pointermove", (e) => scrubbing && this.host.seek(this.timeAt(e.clientX)));
    for (const end of ["pointerup", "pointercancel"] as const) this.place.addEventListener(end, () => (scrubbing = false));
    this.place.addEventListener("dblclick", () => this.all.setZoom(null));
    this.place.addEventListener(
      "wheel",
      (e) => {
        if (!(e.ctrlKey || e.shiftKey || e.altKey)) return; // a plain wheel scrolls the panel
        e.preventDefault();
        const [low, high] = this.zoom.range ?? this.all.wholeRange();
        const at = this.timeAt(e.clientX);
        const factor = Math.exp(0.002 * (e.deltaY || e.deltaX));
        this.all.setZoom([at - (at - low) * factor, at + (high - at) * factor]);
      },
      { passive: false },
    );
  }
}

function roomy(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - room, high + room];
}

/** Logarithms are plotted as numbers: zero has none, and is left out. */
function decades(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-16, 0];
  return [Math.max(Math.floor(low), Math.ceil(high) - 18), Math.max(Math.ceil(high), Math.floor(low) + 1)];
}
function wholes(low: number, high: number): number[] {
  const step = Math.max(1, Math.round((high - low) / 4));
  const out: number[] = [];
  for (let x = Math.ceil(low); x <= high; x += step) out.push(x);
  return out;
}

export class PlotPanel {
  readonly element = h("div.panel.plots", { role: "tabpanel", "aria-label": "Plots" });
  private readonly zoom: { range: [number, number] | null } = { range: null };
  private readonly list = h("div.cards");
  private cards: Card[] = [];
  private row = 0;
  private made = false;

  constructor(
    private readonly host: Host,
    specs: CardSpec[],
  ) {
    const add = h("button.quiet", { type: "button" }, "Add a plot");
    add.addEventListener("click", () => {
      const card = this.add({ title: "Signals", signals: [] });
      card.make();
      host.choose([], add, (names) => {
        card.spec.signals = names;
        card.make();
      });
    });
    const hint = h("p.hint", {}, "Drag in a plot to move the cursor; Shift and wheel zoom, a double click shows the whole run.");
    this.element.append(this.list, add, hint);
    for (const s of specs) this.add(s);
    new ResizeObserver(() => this.cards.forEach((c) => c.fit())).observe(this.element);
  }

  add(spec: CardSpec): Card {
    const card = new Card(this.host, spec, this.zoom, this);
    this.cards.push(card);
    this.list.append(card.element);
    return card;
  }
  /** A plot of these signals, made now. */
  show(spec: CardSpec): void {
    const card = this.add(spec);
    if (this.made) card.make();
    card.element.scrollIntoView({ block: "nearest" });
  }
  remove(card: Card): void {
    card.destroy();
    this.cards = this.cards.filter((c) => c !== card);
  }
  wholeRange(): [number, number] {
    const t = this.host.tracks[0];
    const end = t.time(Math.max(0, t.rows - 1));
    return t.time(0) < end ? [t.time(0), end] : [t.time(0), t.time(0) + 1];
  }
  setZoom(range: [number, number] | null): void {
    const whole = this.wholeRange();
    if (range) range = [Math.max(whole[0], range[0]), Math.min(whole[1], range[1])];
    if (range && range[1] - range[0] < 1e-9 * (whole[1] - whole[0])) return;
    this.zoom.range = range;
    this.cards.forEach((c) => c.rescale());
    this.setRow(this.row);
  }
  /** Draws the plots again: when they are first seen, in other colours, with more rows. */
  make(): void {
    this.made = true;
    this.cards.forEach((c) => c.make());
  }
  grow(): void {
    if (this.made) this.cards.forEach((c) => c.grow());
  }
  setRow(row: number, time = this.host.tracks[0].time(row)): void {
    this.row = row;
    if (this.made) this.cards.forEach((c) => c.setRow(row, time));
  }
  rowAt(time: number): number {
    return findNearestRow(this.host.tracks[0], time);
  }
}
