// dom.ts - elements in one line

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

/** h("button.small", { title: "Play", onclick: f }, "Play"). "on..." are listeners; true is an empty attribute. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const [name, ...classes] = tag.split(".");
  const e = document.createElement(name || "div");
  if (classes.length > 0) e.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) e.append(child);
  return e;
}

const icons: Record<string, string> = {
  play: '<path d="M7 4.8v14.4L19 12z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3"/>',
  first: '<path d="M6 5v14M19 5.5 10 12l9 6.5z"/>',
  back: '<path d="m15 5-8 7 8 7"/>',
  forward: '<path d="m9 5 8 7-8 7"/>',
  last: '<path d="M18 5v14M5 5.5 14 12l-9 6.5z"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4"/>',
  moon: '<path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z"/>',
  keys: '<rect x="3" y="6.5" width="18" height="11" rx="2"/><path d="M7 10.5h.01M11 10.5h.01M15 10.5h.01M17.5 14h.01M6.5 14h.01M9.5 14h5"/>',
  eye: '<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>',
  follow: '<circle cx="12" cy="12" r="6"/><path d="M12 2.5v5M12 16.5v5M2.5 12h5M16.5 12h5"/>',
  camera: '<path d="M4 8.5h3l1.6-2.5h6.8L17 8.5h3v10H4z"/><circle cx="12" cy="13" r="3.2"/>',
  home: '<path d="m4 11 8-6.5 8 6.5"/><path d="M6.5 9.5V19h11V9.5"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  log: '<path d="M4 4v16h16"/><path d="M7 17c7 0 11-4 12-12"/>',
  loop: '<path d="M4.5 11.5a6 6 0 0 1 6-6H18l-3-3M19.5 12.5a6 6 0 0 1-6 6H6l3 3"/>',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = icons[name] ?? "";
  return svg;
}

export function iconButton(name: string, label: string, run: () => void): HTMLButtonElement {
  const b = h("button.icon-button", { type: "button", "aria-label": label, title: label, onclick: run }, icon(name));
  return b as HTMLButtonElement;
}

/** A number as people read it: six significant digits. */
export function format(x: number, digits = 6): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4 ? x.toExponential(Math.max(0, digits - 3)) : String(Number(x.toPrecision(digits)));
  return text.replace("e+", "e").replace(/-/g, "−");
}
