// menu.ts - what is drawn, and from where: the buttons over the picture

import { h, icon, iconButton } from "./dom";
import type { Look, ShapeChoice, Stage } from "./stage";

const toggles: [keyof Look, string, string][] = [
  ["contacts", "Contact points", "c"],
  ["forces", "Contact forces", "a"],
  ["frames", "Body frames", "b"],
  ["centre", "Centre of mass", "m"],
  ["path", "Path of the selected body", "p"],
  ["grid", "Ground", "g"],
  ["ghosts", "Other runs", "h"],
];

export class ViewMenu {
  readonly element = h("div.stage-tools", { role: "toolbar", "aria-label": "View" });
  private readonly pop = h("div.popover.view-menu", { role: "dialog", "aria-label": "What is drawn", hidden: true });
  private readonly checks = new Map<keyof Look, HTMLInputElement>();
  private readonly radios = new Map<ShapeChoice, HTMLInputElement>();
  private readonly opacity: HTMLInputElement;
  private readonly followButton: HTMLButtonElement;
  onChange: () => void = () => {};

  constructor(
    private readonly stage: Stage,
    several: boolean,
    followSelected: () => void,
    takePicture: () => void,
  ) {
    const open = h("button.tool", { type: "button", "aria-expanded": "false" }, icon("eye"), h("span", {}, "View"));
    open.addEventListener("click", () => {
      this.pop.hidden = !this.pop.hidden;
      open.setAttribute("aria-expanded", String(!this.pop.hidden));
    });
    document.addEventListener("pointerdown", (e) => {
      if (this.pop.hidden || this.element.contains(e.target as Node)) return;
      this.pop.hidden = true;
      open.setAttribute("aria-expanded", "false");
    });
    const shapes = h("fieldset", {}, h("legend", {}, "Shapes"));
    const segments = h("div.segments");
    for (const choice of ["visual", "collision", "both"] as const) {
      const radio = h("input", { type: "radio", name: "shapes", value: choice }) as HTMLInputElement;
      radio.addEventListener("change", () => this.set("shapes", choice));
      this.radios.set(choice, radio);
      segments.append(h("label", {}, radio, h("span", {}, choice)));
    }
    shapes.append(segments);
    this.pop.append(shapes);
    for (const [key, text, shortcut] of toggles) {
      if (key === "ghosts" && !several) continue;
      const check = h("input", { type: "checkbox" }) as HTMLInputElement;
      check.addEventListener("change", () => this.set(key, check.checked));
      this.checks.set(key, check);
      this.pop.append(h("label.line", {}, check, h("span", {}, text), h("kbd", {}, shortcut)));
    }
    this.opacity = this.slider("Opacity", 0.1, 1, 1, (x) => this.set("opacity", x));
    this.slider("Force length", -1.5, 1.5, 0, (x) => this.set("forceScale", 10 ** x));
    const views = h("div.views", { role: "group", "aria-label": "Camera" });
    const aim = (name: string, azimuth: number, elevation: number): void => {
      views.append(h("button.quiet", { type: "button", onclick: () => stage.look3(azimuth, elevation) }, name));
    };
    aim("Front", 0, 0.05);
    aim("Side", -Math.PI / 2, 0.05);
    aim("Top", -Math.PI / 2, Math.PI / 2 - 0.001);
    this.pop.append(views);
    this.followButton = iconButton("follow", "Follow the selected body (f)", followSelected);
    this.element.append(
      open,
      this.followButton,
      iconButton("home", "Camera to its start (r)", () => stage.resetCamera()),
      iconButton("camera", "Save this picture as PNG", takePicture),
      this.pop,
    );
    this.show();
  }

  private slider(text: string, min: number, max: number, value: number, change: (x: number) => void): HTMLInputElement {
    const input = h("input", { type: "range", min, max, step: 0.01, value, "aria-label": text }) as HTMLInputElement;
    input.addEventListener("input", () => change(Number(input.value)));
    this.pop.append(h("label.line.slider", {}, h("span", {}, text), input));
    return input;
  }

  set<K extends keyof Look>(key: K, value: Look[K]): void {
    this.stage.look[key] = value;
    this.stage.applyLook();
    this.show();
    this.onChange();
  }
  toggle(key: "contacts" | "forces" | "frames" | "centre" | "path" | "grid" | "ghosts"): void {
    this.set(key, !this.stage.look[key]);
  }
  cycleShapes(): void {
    const next = { visual: "collision", collision: "both", both: "visual" } as const;
    this.set("shapes", next[this.stage.look.shapes]);
  }
  toggleOpacity(): void {
    this.set("opacity", this.stage.look.opacity < 1 ? 1 : 0.4);
  }
  show(): void {
    const { look } = this.stage;
    for (const [key, check] of this.checks) check.checked = Boolean(look[key]);
    for (const [choice, radio] of this.radios) radio.checked = look.shapes === choice;
    this.opacity.value = String(look.opacity);
    this.followButton.setAttribute("aria-pressed", String(this.stage.followed >= 0));
  }
}
