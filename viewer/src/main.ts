// main.ts - finds the data of the page and starts it

import { App } from "./app";
import { h } from "./dom";
import { applyHash, makeInterface } from "./interface";
import { startLive } from "./live";
import { StoredTrack } from "./stored";

async function startReport(root: HTMLElement, runs: HTMLElement[]): Promise<void> {
  const tracks = await Promise.all(runs.map((e) => StoredTrack.read(e.textContent ?? "")));
  for (const e of runs) e.remove(); // the text is not needed any more
  const app = new App(tracks, root);
  applyHash(app);
  makeInterface(app);
}

const root = document.getElementById("app")!;
const runs = [...document.querySelectorAll<HTMLElement>('script[type="application/x-sinew-run"]')];
const live = document.querySelector('script[type="application/x-sinew-live"]') !== null;
const start = live
  ? Promise.resolve(startLive(root))
  : runs.length > 0
    ? startReport(root, runs)
    : Promise.reject(new Error("this page holds no run"));
start.catch((e: unknown) => {
  console.error(e);
  root.replaceChildren(h("p.failure", {}, `This report cannot be shown: ${e instanceof Error ? e.message : String(e)}`));
});
