// live_panel.ts - what can be done to a running simulation: the panel "Control"

import { format, h } from "./dom";
import type { Frame } from "./live_frame";
import type { Hello, Link, Settings } from "./live_link";

const kPlanets: [string, number][] = [["None", 0], ["Moon", 1.62], ["Mars", 3.71], ["Earth", 9.81]];

/** A slider with a name and its number. Frames move it, except while somebody else does. */
class Slider {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly text = h("output");
  private held = false;

  constructor(name: string, range: [number, number], change: (x: number) => void) {
    this.input = h("input", { type: "range", min: range[0], max: range[1], step: "any", "aria-label": name }) as HTMLInputElement;
    this.input.addEventListener("pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel", "blur"]) this.input.addEventListener(end, () => (this.held = false));
    this.input.addEventListener("input", () => {
      const x = Math.min(range[1], Math.max(range[0], Number(this.input.value)));
      this.text.textContent = format(x, 4);
      change(x);
    });
    this.element = h("label.line.slider.live-slider", { title: name }, h("span", {}, name), this.input, this.text);
  }
  set(x: number): void {
    if (this.held) return;
    this.input.value = String(x);
    this.text.textContent = format(x, 4);
  }
}

/** Without limits: two turns of a joint; for controls ten either way. */
function finite(range: [number, number], reach: number): [number, number] {
  return [Math.max(range[0], -reach), Math.min(range[1], reach)];
}

export class LivePanel {
  readonly element = h("div.panel.live", { role: "tabpanel", "aria-label": "Control" });
  private readonly run: HTMLButtonElement;
  private readonly step: HTMLButtonElement;
  private readonly steps: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly state = h("dl.facts");
  private readonly gravity: Slider;
  private readonly gravityText = h("span.hint");
  private readonly formulation: HTMLSelectElement;
  private readonly joints: { q: number; slider: Slider }[] = [];
  private readonly jointBox = h("fieldset.plain");
  private readonly controls: Slider[] = [];
  private settings?: Settings;
  private shown = 0;

  constructor(hello: Hello, link: Link) {
    const button = (text: string, run: () => void): HTMLButtonElement =>
      h("button.quiet", { type: "button", onclick: run }, text) as HTMLButtonElement;
    const card = (title: string, ...children: (HTMLElement | string)[]): HTMLElement =>
      h("section.card", { "aria-label": title }, h("header", {}, h("h3", {}, title)), ...children);
    this.run = button("Pause", () => link.send({ do: "pause", on: !this.settings?.paused }));
    this.step = button("Step", () => link.send({ do: "step", count: 1 }));
    this.steps = button("10 steps", () => link.send({ do: "step", count: 10 }));
    this.record = button("Record", () => link.send({ do: "record", on: !this.settings?.recording }));
    this.record.classList.add("record");
    const reset = button("Reset", () => link.send({ do: "reset" }));
    this.gravity = new Slider("Downwards", [-5, 20], (g) => link.send({ do: "gravity", value: [0, 0, -g] }));
    const planets = kPlanets.map(([name, g]) => button(name, () => link.send({ do: "gravity", value: [0, 0, -g] })));
    this.formulation = h("select", { "aria-label": "Formulation" }) as HTMLSelectElement;
    for (const f of hello.formulations) this.formulation.append(h("option", { value: f }, f));
    this.formulation.addEventListener("change", () => link.send({ do: "formulation", name: this.formulation.value }));
    this.element.append(
      card("Run", h("div.buttons", {}, this.run, this.step, this.steps, reset, this.record), this.state),
      card("Gravity", this.gravity.element, h("div.buttons", {}, ...planets), this.gravityText),
      card("Formulation", h("label.line", {}, h("span", {}, "How contact is solved"), this.formulation)),
    );
    this.addControls(hello, link, card);
    this.addJoints(hello, link, card);
    this.element.append(
      h("p.hint", {}, "Drag a body to pull at it; with Shift, or beside it, the camera turns. What the mouse does is work, and is in the plot of energy."),
    );
  }

  private addControls(hello: Hello, link: Link, card: (t: string, ...c: HTMLElement[]) => HTMLElement): void {
    const box = h("div.sliders");
    hello.scene.actuators.forEach((a, i) => {
      const slider = new Slider(a.name || `actuator ${i}`, finite(hello.controls[i], 10), (value) => link.send({ do: "control", actuator: i, value }));
      this.controls.push(slider);
      box.append(slider.element);
    });
    if (this.controls.length > 0) this.element.append(card("Controls", box));
  }
  private addJoints(hello: Hello, link: Link, card: (t: string, ...c: HTMLElement[]) => HTMLElement): void {
    hello.scene.joints.forEach((j, i) => {
      const range = hello.ranges[i];
      if (!range) return;
      const slider = new Slider(j.name, finite(range, j.kind === "prismatic" ? 5 : 2 * Math.PI), (value) =>
        link.send({ do: "position", joint: i, value }),
      );
      this.joints.push({ q: j.q, slider });
      this.jointBox.append(slider.element);
    });
    if (this.joints.length > 0) this.element.append(card("Joints", h("p.hint", {}, "While the run is paused."), this.jointBox));
  }

  setSettings(s: Settings): void {
    this.settings = s;
    this.run.textContent = s.paused ? "Run" : "Pause";
    this.step.disabled = this.steps.disabled = !s.paused;
    (this.jointBox as HTMLFieldSetElement).disabled = !s.paused;
    this.record.textContent = s.recording ? "Stop recording" : "Record";
    this.record.setAttribute("aria-pressed", String(s.recording));
    this.gravity.set(-s.gravity[2]);
    this.gravityText.textContent = `${s.gravity.map((x) => format(x, 4)).join(", ")} m/s²`;
    this.formulation.value = s.formulation;
    this.formulation.disabled = !s.can_change_formulation;
  }
  /** Ten times a second is enough for numbers. */
  setFrame(f: Frame, now: number): void {
    if (now - this.shown < 100) return;
    this.shown = now;
    if (this.element.hidden) return;
    for (const { q, slider } of this.joints) slider.set(f.positions[q]);
    this.controls.forEach((slider, i) => slider.set(f.controls[i]));
    const facts: [string, string][] = [
      ["speed", f.paused ? "paused" : `${format(f.rate, 3)} × real time`],
      ["energy", `${format(f.kinetic + f.potential, 5)} J`],
      ["of the mouse", `${format(f.dragged, 4)} J`],
      ["unaccounted", `${format(f.unaccounted, 3)} J`],
      ["residual", f.unsolved ? `${format(f.residual, 3)}: not solved` : format(f.residual, 3)],
    ];
    this.state.replaceChildren(...facts.flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text)]));
  }
}
