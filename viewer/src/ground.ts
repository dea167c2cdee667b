// ground.ts - a floor that fades away: a grid, and the shadows on it

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";

const vertexShader = `
varying vec2 place;
varying float far;
uniform vec2 middle;
uniform float reach;
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  place = p.xy;
  far = length(p.xy - middle) / reach;
  gl_Position = projectionMatrix * viewMatrix * p;
}`;

// Lines one pixel wide; every fifth is stronger.
const fragmentShader = `
varying vec2 place;
uniform vec2 middle;
uniform float reach;
uniform float cell;
uniform vec3 line;
uniform float strength;
float lines(float size) {
  vec2 at = place / size;
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, 1e-6);
  float crowd = clamp(1.0 - 1.6 * max(width.x, width.y), 0.0, 1.0);
  return crowd * (1.0 - min(min(near.x, near.y), 1.0));
}
void main() {
  float away = length(place - middle) / reach;
  float fade = exp(-2.2 * away * away);
  float alpha = strength * fade * max(0.45 * lines(cell), lines(5.0 * cell));
  if (alpha < 0.003) discard;
  gl_FragColor = vec4(line, alpha);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shade = new ShadowMaterial({ opacity: 0.16, depthWrite: false });
  private readonly planes: Mesh[];

  constructor() {
    this.grid = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        middle: { value: [0, 0] },
        reach: { value: 1 },
        cell: { value: 1 },
        line: { value: new Color() },
        strength: { value: 1 },
      },
    });
    const square = new PlaneGeometry(2, 2);
    const shadow = new Mesh(square, this.shade);
    shadow.receiveShadow = true;
    shadow.renderOrder = -2;
    const grid = new Mesh(square, this.grid);
    grid.renderOrder = -1;
    this.planes = [shadow, grid];
    this.group.add(...this.planes);
  }

  /** radius: of what stands on it [m]. */
  place(height: number, radius: number): void {
    this.group.position.z = height;
    const size = 12 * radius;
    for (const p of this.planes) p.scale.set(size, size, 1);
    const step = radius / 4;
    const power = 10 ** Math.floor(Math.log10(step));
    const cell = power * (step / power >= 5 ? 5 : step / power >= 2 ? 2 : 1);
    this.grid.uniforms.cell.value = cell;
    this.grid.uniforms.reach.value = 7 * radius;
  }
  moveTo(x: number, y: number): void {
    this.grid.uniforms.middle.value = [x, y];
    for (const p of this.planes) p.position.set(x, y, 0);
  }
  paint(line: string, strength: number, shadow: number): void {
    (this.grid.uniforms.line.value as Color).set(line);
    this.grid.uniforms.strength.value = strength;
    this.shade.opacity = shadow;
  }
}
