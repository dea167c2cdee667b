// main.ts - finds the data of the page and starts it

import { App } from "./app";
import { h } from "./dom";
import { applyHash, makeInterface } from "./interface";
import { startLive } from "./live";
import { StoredTrack } from "./stored";

/** Runs of the same bodies belong together. */
function groupRuns(runs: HTMLElement[]): HTMLElement[][] {
  const groups = new Map<string, HTMLElement[]>();
  for (const e of runs) {
    const bodies = e.dataset.bodies ?? "";
    groups.set(bodies, [...(groups.get(bodies) ?? []), e]);
  }
  return [...groups.values()];
}

/** A list of the scenes of the page. Another one starts the page anew: nothing of the last one stays. */
function makeSceneList(groups: HTMLElement[][], shown: number): HTMLElement {
  const list = h("select.scenes", { "aria-label": "Scene", title: "Scene" }) as HTMLSelectElement;
  groups.forEach((g, i) => {
    const option = h("option", { value: String(i) }, g.map((e) => e.dataset.title ?? "").join(" and "));
    list.append(option);
  });
  list.value = String(shown);
  list.addEventListener("change", () => {
    location.hash = `scene=${list.value}`;
    location.reload();
  });
  return list;
}

/** When the browser has shown a picture; in a page that is not seen, soon. */
function nextPicture(): Promise<void> {
  return new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
    setTimeout(done, 1000);
  });
}

async function startReport(root: HTMLElement, runs: HTMLElement[]): Promise<void> {
  const groups = groupRuns(runs);
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("scene") ?? 0);
  const shown = groups[wanted] ? wanted : 0;
  const tracks = await Promise.all(groups[shown].map((e) => StoredTrack.read(e.textContent ?? "")));
  for (const e of runs) e.remove(); // the text is not needed any more
  const app = new App(tracks, root);
  await nextPicture();
  app.drawPlots();
  if (groups.length > 1) app.head.querySelector("h1")!.replaceChildren(makeSceneList(groups, shown));
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
