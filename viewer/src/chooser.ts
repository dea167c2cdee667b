// chooser.ts - a searchable list of signals, to be ticked

import { h } from "./dom";
import type { SignalBook } from "./signals";

/** Opens beside `at`; `change` gets all ticked names after every tick. Escape or a click elsewhere closes it. */
export function openChooser(book: SignalBook, chosen: string[], at: HTMLElement, change: (names: string[]) => void): void {
  document.querySelector(".chooser")?.remove();
  const ticked = new Set(chosen);
  const search = h("input", { type: "search", placeholder: "Search signals", "aria-label": "Search signals" }) as HTMLInputElement;
  const list = h("div.choices", { role: "listbox", "aria-label": "Signals" });
  const box = h("div.chooser.popover", { role: "dialog", "aria-label": "Choose signals" }, search, list);

  const toggle = (name: string): void => {
    if (!ticked.delete(name)) ticked.add(name);
    change([...ticked]);
  };
  const fill = (): void => {
    list.replaceChildren();
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let group = "";
    let shown = 0;
    for (const s of book.list) {
      const text = `${s.group} ${s.label} ${s.name}`.toLowerCase();
      if (!words.every((w) => text.includes(w))) continue;
      if (++shown > 400) {
        list.append(h("p.hint", {}, "More match: type another word."));
        break;
      }
      if (s.group !== group) list.append(h("h4", {}, (group = s.group)));
      const tick = h("input", { type: "checkbox", ...(ticked.has(s.name) ? { checked: true } : {}) });
      tick.addEventListener("change", () => toggle(s.name));
      list.append(h("label", { title: s.meaning }, tick, h("span", {}, s.label), h("span.unit", {}, s.unit)));
    }
    if (shown === 0) list.append(h("p.hint", {}, "No signal has such a name."));
  };
  const close = (): void => {
    box.remove();
    document.removeEventListener("pointerdown", outside, true);
  };
  const outside = (e: Event): void => {
    if (!box.contains(e.target as Node)) close();
  };
  search.addEventListener("input", fill);
  box.addEventListener("keydown", (e) => {
    e.stopPropagation();
    if (e.key === "Escape") {
      close();
      at.focus();
    }
    if (e.key === "Enter" && e.target === search) list.querySelector<HTMLInputElement>("input")?.click();
  });
  fill();
  document.body.append(box);
  const r = at.getBoundingClientRect();
  const w = Math.min(320, window.innerWidth - 16);
  box.style.width = `${w}px`;
  box.style.left = `${Math.max(8, Math.min(r.right - w, window.innerWidth - w - 8))}px`;
  const height = Math.min(420, window.innerHeight - 16);
  box.style.maxHeight = `${height}px`;
  box.style.top = `${Math.max(8, Math.min(r.bottom + 6, window.innerHeight - height - 8))}px`;
  search.focus();
  setTimeout(() => document.addEventListener("pointerdown", outside, true));
}
