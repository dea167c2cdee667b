// tree.ts - the model: a tree of bodies with masses and joints, and what is known of the selected one at the cursor

import { format, h } from "./dom";
import type { SignalBook } from "./signals";
import type { Joint } from "./scene";
import type { Track } from "./track";

interface Host {
  track: Track;
  book: SignalBook;
  select(body: number): void;
  follow(body: number): void;
  plot(title: string, names: string[]): void;
}

export class TreePanel {
  readonly element = h("div.panel.model", { role: "tabpanel", "aria-label": "Model" });
  private readonly detail = h("section.card.detail", { "aria-live": "off" });
  private readonly tree = h("ul.tree", { role: "tree", "aria-label": "Bodies" });
  private readonly rows: HTMLElement[] = [];
  private readonly joints: Joint[] = []; // by child
  private readonly poses: Float32Array;
  private selected = -1;
  private values: { text: HTMLElement; get: (row: number) => string }[] = [];
  private row = 0;

  constructor(private readonly host: Host) {
    const { scene } = host.track;
    this.poses = new Float32Array(7 * scene.bodies.length);
    for (const j of scene.joints) this.joints[j.child] = j;
    const search = h("input", { type: "search", placeholder: "Search bodies and joints", "aria-label": "Search bodies and joints" });
    search.addEventListener("input", () => this.filter((search as HTMLInputElement).value.toLowerCase()));
    search.addEventListener("keydown", (e) => e.stopPropagation());
    const mass = scene.bodies.reduce((sum, b, i) => sum + (i > 0 ? b.mass : 0), 0);
    const freedoms = scene.joints.reduce((sum, j) => sum + j.nv, 0);
    const about = `${scene.bodies.length - 1} bodies, ${freedoms} freedoms, ${format(mass, 4)} kg`;
    const children: number[][] = scene.bodies.map(() => []);
    scene.bodies.forEach((b, i) => i > 0 && children[Math.max(0, b.parent)].push(i));
    // Without recursion: a chain may have a thousand links.
    const stack = [{ body: 0, depth: 0 }];
    while (stack.length > 0) {
      const { body, depth } = stack.pop()!;
      this.tree.append(this.makeRow(body, depth));
      for (const c of children[body].slice().reverse()) stack.push({ body: c, depth: depth + 1 });
    }
    this.element.append(this.detail, h("div.tree-head", {}, search, h("span.hint", {}, about)), this.tree);
    this.select(-1);
  }

  private makeRow(body: number, depth: number): HTMLElement {
    const { scene } = this.host.track;
    const b = scene.bodies[body];
    const j = this.joints[body];
    const row = h(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": depth + 1, "aria-selected": "false", "data-body": body },
      h("span.body", {}, b.name),
      j ? h("span.joint", {}, j.kind === "fixed" ? "fixed" : `${j.name} · ${j.kind}`) : null,
      h("span.mass", {}, body > 0 ? `${format(b.mass, 3)} kg` : ""),
    );
    row.style.setProperty("--depth", String(Math.min(depth, 14)));
    row.addEventListener("click", () => this.host.select(body > 0 && body !== this.selected ? body : -1));
    row.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.host.select(body);
      const next = e.key === "ArrowDown" ? row.nextElementSibling : e.key === "ArrowUp" ? row.previousElementSibling : null;
      if (!(next instanceof HTMLElement)) return;
      e.stopPropagation();
      e.preventDefault();
      next.focus();
    });
    this.rows[body] = row;
    return row;
  }

  private filter(text: string): void {
    this.rows.forEach((row) => (row.hidden = !(row.textContent ?? "").toLowerCase().includes(text)));
  }

  select(body: number): void {
    this.rows[this.selected]?.setAttribute("aria-selected", "false");
    this.selected = body;
    const row = this.rows[body];
    row?.setAttribute("aria-selected", "true");
    (this.rows[Math.max(0, body)] ?? this.rows[0]).tabIndex = 0;
    if (row && this.element.offsetParent) row.scrollIntoView({ block: "nearest" });
    this.fillDetail();
  }

  private fillDetail(): void {
    this.values = [];
    this.detail.replaceChildren();
    if (this.selected < 0) {
      this.detail.append(h("p.hint", {}, "Pick a body here or in the picture to see where it is and how it moves."));
      return;
    }
    const { track, book } = this.host;
    const body = this.selected;
    const b = track.scene.bodies[body];
    const j = this.joints[body];
    const button = (text: string, run: () => void): HTMLElement => h("button.quiet", { type: "button", onclick: run }, text);
    const facts = h("dl.facts");
    const add = (word: string, get: (row: number) => string): void => {
      const text = h("dd");
      facts.append(h("dt", {}, word), text);
      this.values.push({ text, get });
    };
    add("mass", () => `${format(b.mass)} kg`);
    add("position", () => [0, 1, 2].map((k) => format(this.poses[7 * body + k], 5)).join(", ") + " m");
    const coordinates: string[] = [];
    if (j && j.nv > 0) {
      add("joint", () => `${j.name}, ${j.kind}, on ${track.scene.bodies[j.parent].name}`);
      const show = (word: string, names: string[], unit: string): void => {
        const columns = names.map((n) => book.values(n));
        if (columns.every((c) => c === null)) return;
        coordinates.push(...names);
        add(word, (row) => columns.map((c) => (c ? format(c[row], 5) : "–")).join(", ") + unit);
      };
      const names = (letter: string, n: number): string[] =>
        n === 1 ? [`${letter}.${j.name}`] : Array.from({ length: n }, (_, k) => `${letter}.${j.name}[${k}]`);
      show("q", names("q", j.nq), "");
      show("v", names("v", j.nv), "");
      const limits = j.limits[0];
      if (limits) add("limits", () => `${format(limits[0], 4)} to ${format(limits[1], 4)}`);
    }
    add("touches", (row) => this.describeContacts(row, body));
    this.detail.append(
      h("header", {}, h("h3", {}, b.name)),
      facts,
      h(
        "div.buttons",
        {},
        button("Follow", () => this.host.follow(body)),
        button("Plot height and speed", () => this.host.plot(b.name, [`body.${b.name}.z`, `body.${b.name}.speed`])),
        coordinates.length > 0 && button("Plot joint", () => this.host.plot(j.name, coordinates.slice(0, 8))),
      ),
    );
    this.setRow(this.row);
  }

  private describeContacts(row: number, body: number): string {
    const { track } = this.host;
    const c = track.contacts(row);
    const found = new Map<string, number>();
    for (let i = 0; i < c.count; ++i) {
      const pair = track.pairs[c.pair[i]];
      if (!pair || (pair.a !== body && pair.b !== body)) continue;
      const other = track.scene.bodies[pair.a === body ? pair.b : pair.a].name;
      found.set(other, (found.get(other) ?? 0) + Math.hypot(c.force[3 * i], c.force[3 * i + 1], c.force[3 * i + 2]));
    }
    if (found.size === 0) return "nothing";
    return [...found].map(([name, force]) => `${name} (${format(force, 4)} N)`).join(", ");
  }

  setRow(row: number): void {
    this.row = row;
    if (this.selected < 0 || !this.element.offsetParent) return;
    this.host.track.poses(row, this.poses);
    for (const v of this.values) {
      const text = v.get(row);
      if (v.text.textContent !== text) v.text.textContent = text;
    }
  }
}
