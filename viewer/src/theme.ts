// theme.ts - light and dark: as the system has it, or as the reader chose

import type { Palette } from "./stage";

export const seriesColours = {
  light: ["#3f62d4", "#d9772b", "#2f9e7f", "#b0489d", "#8a7a1f", "#c8423f", "#3c8fc2", "#7a5bd0"],
  dark: ["#8aa2ff", "#f0a35e", "#5fcfae", "#e38bd2", "#d1c15a", "#f2807c", "#74bfe8", "#b39bf5"],
};

const palettes: Record<"light" | "dark", Palette> = {
  light: {
    background: "#f4f4f1",
    line: "#8f9098",
    gridStrength: 0.5,
    shadow: 0.17,
    accent: "#4d63d8",
    point: "#e0563f",
    force: "#e0563f",
    centre: "#1d1d1f",
    sky: "#ffffff",
    earth: "#cfc9bf",
    light: 1.9,
    fill: 1.9,
    ghosts: ["#4d63d8", "#2f9e7f", "#b0489d"],
    bodies: ["#aab8dd", "#e3bf9b", "#a9cfc0", "#d5b0cb", "#d8d2a4", "#b9bcc9"],
  },
  dark: {
    background: "#17181b",
    line: "#8b8f9c",
    gridStrength: 0.38,
    shadow: 0.45,
    accent: "#8aa2ff",
    point: "#ff8a70",
    force: "#ff8a70",
    centre: "#f2f2f2",
    sky: "#dfe5ff",
    earth: "#4a4642",
    light: 1.7,
    fill: 1.6,
    ghosts: ["#8aa2ff", "#5fcfae", "#e38bd2"],
    bodies: ["#93a4d2", "#d2a77d", "#8fbfac", "#c498b8", "#c4bd88", "#a4a8b8"],
  },
};

const kKey = "sinew-theme";

export class Theme {
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private chosen: "light" | "dark" | null = null;
  onChange: () => void = () => {};

  constructor() {
    try {
      const kept = localStorage.getItem(kKey);
      if (kept === "light" || kept === "dark") this.chosen = kept;
    } catch {
      // Some browsers keep nothing for files: the choice lasts as long as the page.
    }
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }
  get name(): "light" | "dark" {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }
  get palette(): Palette {
    return palettes[this.name];
  }
  get series(): string[] {
    return seriesColours[this.name];
  }
  set(name: "light" | "dark"): void {
    this.chosen = name;
    try {
      localStorage.setItem(kKey, name);
    } catch {
      // As above.
    }
    this.apply();
  }
  toggle(): void {
    this.set(this.name === "dark" ? "light" : "dark");
  }
  private apply(): void {
    document.documentElement.dataset.theme = this.name;
    this.onChange();
  }
}
