// interface.ts - the page from outside: the hash of its address, and window.sinew (docs/report.md)

import type { App } from "./app";

/** #t=1.5&tab=events&theme=dark&select=torso&follow=1&camera=-0.9,0.3,1&play=1 */
export function applyHash(app: App): void {
  const words = new URLSearchParams(location.hash.slice(1));
  const theme = words.get("theme");
  if (theme === "light" || theme === "dark") app.theme.set(theme);
  const tab = words.get("tab");
  if (tab) app.openTab(tab);
  const time = Number(words.get("t"));
  if (words.has("t") && Number.isFinite(time)) app.seek(time);
  const name = words.get("select");
  const body = app.tracks[0].scene.bodies.findIndex((b) => b.name === name);
  if (body > 0) app.select(body);
  if (words.has("follow") && body > 0) app.follow(body);
  const camera = (words.get("camera") ?? "").split(",").map(Number);
  if (camera.length >= 2 && camera.every(Number.isFinite)) app.stage.look3(camera[0], camera[1], camera[2] ?? 1);
  if (words.has("play")) app.play();
}

export function makeInterface(app: App): void {
  const first = app.tracks[0];
  const small = document.createElement("canvas");
  const api = {
    app,
    rows: first.rows,
    get row(): number {
      return app.row;
    },
    get time(): number {
      return app.time;
    },
    get playing(): boolean {
      return app.playing;
    },
    seek: (t: number) => app.seek(t),
    seekRow: (row: number) => app.seekRow(row),
    play: () => app.play(),
    pause: () => app.pause(),
    select: (name: string) => app.select(first.scene.bodies.findIndex((b) => b.name === name)),
    /** The number of a signal at the cursor, as it is stored. */
    value: (name: string): number => app.book.values(name)?.[app.row] ?? NaN,
    signals: app.book.list.map((s) => s.name),
    events: first.events,
    recordRow: (row: number): number => (first as unknown as { recordRow?: (r: number) => number }).recordRow?.(row) ?? row,
    poses: (row: number): number[] => {
      const out = new Float32Array(7 * first.scene.bodies.length);
      first.poses(row, out);
      return [...out];
    },
    contacts: (row: number) => first.contacts(row),
    /** A picture of the 3D view at a time, as a data URL. */
    frame: (t: number, width: number, height: number, type = "image/png"): string => {
      app.stage.setFixedSize(width, height);
      app.showTime(t);
      app.stage.drawNow();
      const { canvas } = app.stage;
      if (canvas.width === width) return canvas.toDataURL(type, 0.95);
      // Drawn with more pixels than asked for: smooth edges.
      small.width = width;
      small.height = height;
      const g = small.getContext("2d")!;
      g.imageSmoothingQuality = "high";
      g.drawImage(canvas, 0, 0, width, height);
      return small.toDataURL(type, 0.95);
    },
    duration: [first.time(0), first.time(first.rows - 1)],
    look: (azimuth: number, elevation: number, distance = 1) => app.stage.look3(azimuth, elevation, distance),
    follow: (name: string) => app.follow(first.scene.bodies.findIndex((b) => b.name === name)),
    has: (name: string): boolean => first.scene.bodies.some((b) => b.name === name),
    theme: (name: "light" | "dark") => app.theme.set(name),
    shapes: (choice: "visual" | "collision" | "both") => app.menu.set("shapes", choice),
    project: (name: string) => app.stage.project(first.scene.bodies.findIndex((b) => b.name === name)),
  };
  (window as unknown as { sinew: typeof api }).sinew = api;
  document.documentElement.dataset.ready = "true";
}
