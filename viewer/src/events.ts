// events.ts - the table of events: a click moves the cursor there

import { format, h } from "./dom";
import type { EventKind, RunEvent, Track } from "./track";

export const eventWords: Record<EventKind, string> = {
  collision: "Collision",
  touch: "Touch",
  stop: "Stop",
  unsolved: "Not solved",
  close: "Close",
  stuck: "Stuck",
  slowed: "Slowed",
  end: "End",
};

export class EventPanel {
  readonly element = h("div.panel.events", { role: "tabpanel", "aria-label": "Events" });
  private readonly list = h("div.event-list");
  private readonly hidden = new Set<EventKind>();
  private rows: { event: RunEvent; line: HTMLElement }[] = [];
  private current?: HTMLElement;

  constructor(
    private readonly track: Track,
    private readonly seekRow: (row: number) => void,
  ) {
    const counts = new Map<EventKind, number>();
    for (const e of track.events) counts.set(e.kind, (counts.get(e.kind) ?? 0) + 1);
    const filters = h("div.filters", { role: "group", "aria-label": "Kinds of events" });
    for (const [kind, count] of counts) {
      const b = h("button.chip-button", { type: "button", "aria-pressed": "true", "data-kind": kind }, `${eventWords[kind]} ${count}`);
      b.addEventListener("click", () => {
        if (!this.hidden.delete(kind)) this.hidden.add(kind);
        b.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
        this.fill();
      });
      filters.append(b);
    }
    this.element.append(filters, this.list);
    this.fill();
  }

  private fill(): void {
    this.rows = [];
    this.current = undefined;
    this.list.replaceChildren();
    for (const event of this.track.events) {
      if (this.hidden.has(event.kind)) continue;
      const line = h(
        "button.event",
        { type: "button", "data-row": event.row },
        h("span.when", {}, `${format(this.track.time(event.row), 5)} s`),
        h("span.kind", { "data-kind": event.kind }, eventWords[event.kind]),
        h("span.what", {}, event.text),
      );
      line.addEventListener("click", () => this.seekRow(event.row));
      this.rows.push({ event, line });
      this.list.append(line);
    }
    if (this.rows.length === 0)
      this.list.append(h("p.hint", {}, this.track.events.length === 0 ? "Nothing happened that is called an event." : "All kinds are hidden."));
  }

  setRow(row: number): void {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].event.row <= row) low = middle + 1;
      else high = middle;
    }
    const line = low > 0 ? this.rows[low - 1].line : undefined;
    if (line === this.current) return;
    this.current?.removeAttribute("aria-current");
    line?.setAttribute("aria-current", "true");
    this.current = line;
    if (line && this.element.offsetParent) line.scrollIntoView({ block: "nearest" });
  }
}
