// look.ts - what can be chosen about the picture

export type ShapeChoice = "visual" | "collision" | "both";

export interface Look {
  shapes: ShapeChoice;
  opacity: number; // of bodies
  contacts: boolean;
  forces: boolean;
  frames: boolean;
  centre: boolean;
  path: boolean;
  grid: boolean;
  ghosts: boolean;
  forceScale: number; // 1: the weight of all bodies is as long as 0.4 of the scene
}

export interface Palette {
  background: string;
  line: string;
  gridStrength: number;
  shadow: number;
  accent: string;
  point: string;
  force: string;
  centre: string;
  sky: string;
  earth: string;
  light: number;
  fill: number;
  ghosts: string[];
  bodies: string[]; // of shapes whose colour nobody chose
}

/** Without a graphics card: no multisampling, and fewer pixels while something moves. */
export function drawsBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2", { antialias: false });
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
