// keys.ts - the keyboard, and the page that explains it

import type { App } from "./app";
import { h, iconButton } from "./dom";
import { Timeline } from "./timeline";

const help: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one row back or on; with Shift, a fiftieth of the run"],
  ["[ ]", "event before, event after"],
  ["Home End", "to the start, to the end"],
  ["− +", "slower, faster"],
  ["l", "begin again at the end"],
  ["f", "follow the selected body"],
  ["r", "camera to its start"],
  ["c", "contact points"],
  ["a", "contact forces"],
  ["b", "body frames"],
  ["m", "centre of mass"],
  ["p", "path of the selected body"],
  ["s", "visual shapes, collision shapes, both"],
  ["o", "transparent bodies"],
  ["g", "ground"],
  ["h", "other runs"],
  ["1 … 5", "panels"],
  ["d", "light or dark"],
  ["Esc", "close, deselect"],
  ["?", "this list"],
];

export function showHelp(): void {
  if (document.querySelector(".help")) return;
  const close = (): void => sheet.remove();
  const list = h("dl.keys");
  for (const [keys, what] of help) {
    const cell = h("dt");
    for (const k of keys.split(" ")) cell.append(h("kbd", {}, k));
    list.append(cell, h("dd", {}, what));
  }
  const x = iconButton("close", "Close", close);
  const sheet = h(
    "div.help",
    { role: "dialog", "aria-modal": "true", "aria-label": "Keys" },
    h("div.sheet", {}, h("header", {}, h("h2", {}, "Keys"), x), list),
  );
  sheet.addEventListener("click", (e) => e.target === sheet && close());
  document.body.append(sheet);
  x.focus();
}

export function watchKeys(app: App): void {
  const actions: Record<string, () => void> = {
    " ": () => app.toggle(),
    ArrowLeft: () => app.stepRows(-1),
    ArrowRight: () => app.stepRows(1),
    "[": () => app.stepEvents(-1),
    "]": () => app.stepEvents(1),
    Home: () => (app.pause(), app.seekRow(0)),
    End: () => (app.pause(), app.seekRow(app.tracks[0].rows - 1)),
    "-": () => app.setSpeed(Timeline.faster(app.speed, -1)),
    "+": () => app.setSpeed(Timeline.faster(app.speed, 1)),
    "=": () => app.setSpeed(Timeline.faster(app.speed, 1)),
    l: () => app.setLoop(!app.loop),
    f: () => app.toggleFollow(),
    r: () => app.stage.resetCamera(),
    c: () => app.menu.toggle("contacts"),
    a: () => app.menu.toggle("forces"),
    b: () => app.menu.toggle("frames"),
    m: () => app.menu.toggle("centre"),
    p: () => app.menu.toggle("path"),
    g: () => app.menu.toggle("grid"),
    h: () => app.menu.toggle("ghosts"),
    s: () => app.menu.cycleShapes(),
    o: () => app.menu.toggleOpacity(),
    d: () => app.theme.toggle(),
    "?": () => showHelp(),
    Escape: () => {
      const open = document.querySelector(".help, .chooser");
      if (open) open.remove();
      else app.select(-1);
    },
  };
  document.addEventListener("keydown", (e) => {
    const at = e.target as HTMLElement;
    const writes = at.tagName === "SELECT" || (at instanceof HTMLInputElement && at.type !== "range" && at.type !== "checkbox" && at.type !== "radio");
    if (writes || e.ctrlKey || e.metaKey || e.altKey) return;
    // A button keeps its own space and Enter.
    if (e.key === " " && at.tagName === "BUTTON" && !at.classList.contains("play")) return;
    if (e.shiftKey && e.key.startsWith("Arrow")) {
      const t = app.tracks[0];
      const far = (t.time(t.rows - 1) - t.time(0)) / 50;
      app.pause();
      app.seek(app.time + (e.key === "ArrowLeft" ? -far : far));
      return e.preventDefault();
    }
    const digit = Number(e.key);
    const action = digit >= 1 && digit <= 9 ? () => app.openTab(digit - 1) : actions[e.key];
    if (!action) return;
    action();
    e.preventDefault();
  });
}
