// words.ts - the panels of words: the certificate of a run, and where it comes from

import { h } from "./dom";
import type { Fact, Track } from "./track";

function makeFacts(facts: Fact[], copied: string[]): HTMLElement {
  const list = h("dl.facts");
  for (const f of facts) {
    const text = h("dd", f.state ? { "data-state": f.state } : {}, f.text);
    if (copied.includes(f.word)) {
      text.className = "code";
      const copy = h("button.quiet.copy", { type: "button" }, "Copy");
      copy.addEventListener("click", () => {
        void navigator.clipboard?.writeText(f.text).then(() => (copy.textContent = "Copied"));
      });
      text.append(copy);
    }
    list.append(h("dt", {}, f.word), text);
  }
  return list;
}

export function makeCertificatePanel(tracks: Track[]): HTMLElement {
  const panel = h("div.panel.certificate", { role: "tabpanel", "aria-label": "Certificate" });
  for (const t of tracks) {
    const worst = t.certificate.some((f) => f.state === "bad") ? "bad" : t.certificate.some((f) => f.state === "warn") ? "warn" : "good";
    const head = { good: "Every step was solved.", warn: "Solved, with remarks.", bad: "Not everything was solved." }[worst];
    const section = h("section.card", {}, h("header", {}, h("h3", {}, t.title)));
    if (t.certificate.length > 0) section.append(h("p.verdict", { "data-state": worst }, head), makeFacts(t.certificate, []));
    panel.append(section);
  }
  panel.append(
    h(
      "p.hint",
      {},
      "Each step solves a problem of contacts, stops and loops. Its residual says how far the answer is from satisfying " +
        "the laws, relative to the size of the problem: 1e−10 is ten digits.",
    ),
  );
  return panel;
}

export function makeAboutPanel(tracks: Track[]): HTMLElement {
  const panel = h("div.panel.about", { role: "tabpanel", "aria-label": "About" });
  for (const t of tracks) {
    panel.append(h("section.card", {}, h("header", {}, h("h3", {}, t.title)), makeFacts(t.about, ["command"])));
    if (t.scene.left_out.length > 0) {
      const list = h("ul.notes");
      for (const s of t.scene.left_out) list.append(h("li", {}, s));
      panel.append(h("section.card", {}, h("header", {}, h("h3", {}, "Not drawn")), list));
    }
  }
  panel.append(
    h("p.hint", {}, "Made by Sinew, with three.js and uPlot, whose licences are in the source of this page. It asks for nothing from a network."),
  );
  return panel;
}
