// stage.ts - the 3D view: bodies of one or several runs, camera, light, picking. It draws only when something changed.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene as Scene3,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Ground } from "./ground";
import { drawsBySoftware, type Look, type Palette } from "./look";
import { Marks } from "./marks";
import type { Scene, Shape } from "./scene";
import { findReach, Geometries, toMatrix } from "./shapes";
import type { Contacts, Track } from "./track";

export type { Look, Palette, ShapeChoice } from "./look";

/** One run on the stage: a group per body, moved by poses. */
class Cast {
  readonly group = new Group();
  readonly bodies: Group[] = [];
  readonly meshes: { mesh: Mesh; shape: Shape; own: MeshLambertMaterial }[] = [];
  readonly frames: LineSegments[] = [];
  readonly poses: Float32Array;
  readonly geometries: Geometries;
  constructor(
    readonly scene: Scene,
    readonly ghost: boolean,
  ) {
    this.poses = new Float32Array(7 * scene.bodies.length);
    this.geometries = new Geometries(scene);
  }
}

function isFloor(s: Shape): boolean {
  const [, , , w, x, y, z] = s.pose;
  const up = w * w - x * x - y * y + z * z;
  return s.kind === "plane" && s.body === 0 && up > 0.9999;
}

/** The grey that MJCF and ModelSpec have for shapes without a colour. */
function isUncoloured(s: Shape): boolean {
  return s.rgba[0] === 0.5 && s.rgba[1] === 0.5 && s.rgba[2] === 0.5;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly look: Look = {
    shapes: "visual",
    opacity: 1,
    contacts: true,
    forces: true,
    frames: false,
    centre: false,
    path: false,
    grid: true,
    ghosts: true,
    forceScale: 1,
  };
  onPick: (body: number) => void = () => {};
  onDraw: () => void = () => {}; // after each picture
  size = 1; // of the scene [m]: radius of a ball around it
  groundHeight = 0;
  /** Whether the camera moves with this body; -1: with none. */
  followed = -1;

  private readonly world = new Scene3();
  private readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1.5);
  private readonly ground = new Ground();
  private readonly marks = new Marks();
  private casts: Cast[] = [];
  private palette!: Palette;
  private selected = -1;
  private weight = 1;
  private wanted = false;
  private drawn = false;
  private lastFollowed = new Vector3();
  private readonly software = drawsBySoftware();
  // Pixels per pixel of the page: of a picture that stands, and of those that move.
  private readonly still = this.software ? 2 : Math.min(2, window.devicePixelRatio || 1);
  private moving = Math.min(this.still, this.software ? 1 : 2);
  private ratio = 0; // now
  private lastDraw = 0;
  private slow = 0; // pictures in a row that came late
  private settle = 0; // timer
  private home = { target: new Vector3(), balls: [] as { at: Vector3; reach: number; first: boolean }[] };
  private contactsNow: Contacts | null = null;

  constructor(private readonly box: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: !this.software, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "3D replay. Drag to turn, right drag or two fingers to move, wheel to zoom.");
    box.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.95 * Math.PI;
    this.controls.addEventListener("change", () => this.draw());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.software ? 512 : 1024);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.radius = 4;
    this.world.add(this.sun, this.sun.target, this.sky, this.ground.group, this.marks.group);
    new ResizeObserver(() => this.resize()).observe(box);
    this.watchPointer();
  }

  /** Two runs or more: all but the first are ghosts. */
  setTracks(tracks: Track[]): void {
    for (const cast of this.casts) this.world.remove(cast.group);
    this.casts = tracks.map((t, i) => this.makeCast(t.scene, i));
    const first = tracks[0];
    const mass = first.scene.bodies.slice(1).reduce((sum, b) => sum + b.mass, 0);
    const g = Math.hypot(...first.scene.gravity) || 9.81;
    this.weight = mass * g || 1;
    this.measure(first);
    this.applyLook();
    this.resetCamera();
  }

  private makeCast(scene: Scene, index: number): Cast {
    const cast = new Cast(scene, index > 0);
    const { geometries } = cast;
    for (let b = 0; b < scene.bodies.length; ++b) {
      const group = new Group();
      cast.bodies.push(group);
      cast.group.add(group);
    }
    for (const shape of scene.shapes) {
      if (isFloor(shape)) continue;
      const geometry = geometries.find(shape, 2);
      if (!geometry) continue;
      const own = new MeshLambertMaterial();
      const mesh = new Mesh(geometry, own);
      mesh.applyMatrix4(toMatrix(shape.pose));
      mesh.userData.body = shape.body;
      cast.bodies[shape.body].add(mesh);
      cast.meshes.push({ mesh, shape, own });
    }
    this.world.add(cast.group);
    return cast;
  }

  /** How large the scene is, where its ground lies, and where the camera begins. */
  private measure(track: Track): void {
    const { scene } = track;
    const { geometries } = this.casts[0];
    const reach = new Float32Array(scene.bodies.length);
    for (const s of scene.shapes)
      reach[s.body] = Math.max(reach[s.body], Math.hypot(s.pose[0], s.pose[1], s.pose[2]) + findReach(s, geometries));
    const poses = new Float32Array(7 * scene.bodies.length);
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    const start = { low: low.clone(), high: high.clone() };
    const samples = Math.min(track.rows, 40);
    const balls: { at: Vector3; reach: number; first: boolean }[] = [];
    for (let k = 0; k < samples; ++k) {
      track.poses(Math.floor((k * (track.rows - 1)) / Math.max(1, samples - 1)), poses);
      for (let b = 1; b < scene.bodies.length; ++b) {
        const p = new Vector3().fromArray(poses, 7 * b);
        if (!Number.isFinite(p.length())) continue;
        balls.push({ at: p, reach: reach[b], first: k === 0 });
        for (const sign of [-1, 1]) {
          const q = p.clone().addScalar(sign * reach[b]);
          low.min(q), high.max(q);
          if (k === 0) start.low.min(q), start.high.max(q);
        }
      }
    }
    if (!Number.isFinite(low.x)) low.set(-1, -1, -1), high.set(1, 1, 1), (start.low = low), (start.high = high);
    const floors = scene.shapes.filter(isFloor);
    this.groundHeight = floors.length > 0 ? Math.max(...floors.map((s) => s.pose[2])) : low.z;
    const first = Math.max(1e-3, 0.5 * start.low.distanceTo(start.high));
    const all = Math.max(first, 0.5 * low.distanceTo(high));
    // What flies far away is followed by the eye, not by the frame.
    const far = all > 2.2 * first;
    this.size = Math.min(all, 2.2 * first) / 1.3;
    const [a, b] = far ? [start.low, start.high] : [low, high];
    this.home.target.copy(a).add(b).multiplyScalar(0.5);
    this.home.balls = far ? balls.filter((x) => x.first) : balls;
    this.ground.place(this.groundHeight, this.size);
    const shadow = this.sun.shadow.camera;
    const r = 2.2 * this.size;
    shadow.left = shadow.bottom = -r;
    shadow.right = shadow.top = r;
    shadow.near = 0.1 * this.size;
    shadow.far = 14 * this.size;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.camera.near = 0.01 * this.size;
    this.camera.far = 120 * this.size;
    this.controls.minDistance = 0.05 * this.size;
    this.controls.maxDistance = 30 * this.size;
  }

  resetCamera(): void {
    this.look3(-0.9, 0.3);
  }
  /** From an angle about z and one above the ground [rad], as far as the scene needs. */
  look3(azimuth: number, elevation: number, distance = 1): void {
    const { target } = this.home;
    const back = new Vector3(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation));
    const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
    const up = new Vector3().crossVectors(back, right);
    // So far that every ball is within the middle of the picture.
    const tall = 0.84 * Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    let r = 0.3 * this.size;
    for (const { at, reach } of this.home.balls) {
      const from = at.clone().sub(target);
      const high = (Math.abs(from.dot(up)) + reach) / tall;
      const wide = (Math.abs(from.dot(right)) + reach) / (tall * Math.max(0.2, this.camera.aspect));
      r = Math.max(r, from.dot(back) + Math.max(high, wide));
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, distance * r);
    this.camera.updateProjectionMatrix();
    if (this.followed >= 0) {
      const shift = this.positionOf(this.followed).sub(target);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.lastFollowed.copy(this.positionOf(this.followed));
    }
    this.controls.update();
    this.draw();
  }

  follow(body: number): void {
    this.followed = body;
    if (body < 0) return;
    const at = this.positionOf(body);
    const shift = at.clone().sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.copy(at);
    this.lastFollowed.copy(at);
    this.draw();
  }

  positionOf(body: number): Vector3 {
    return new Vector3().fromArray(this.casts[0].poses, 7 * body);
  }
  /** Where a body is in the picture, in pixels from its upper left corner. */
  project(body: number): { x: number; y: number } {
    const com = this.casts[0].scene.bodies[body].com;
    const p = this.casts[0].bodies[body].localToWorld(new Vector3(...com)).project(this.camera);
    const { width, height } = this.canvas.getBoundingClientRect();
    return { x: 0.5 * (p.x + 1) * width, y: 0.5 * (1 - p.y) * height };
  }

  /** Poses of a run: 7 numbers per body. */
  setPoses(index: number, poses: Float32Array): void {
    const cast = this.casts[index];
    if (!cast) return;
    cast.poses.set(poses);
    for (let b = 0; b < cast.bodies.length; ++b) {
      const at = 7 * b;
      cast.bodies[b].position.set(poses[at], poses[at + 1], poses[at + 2]);
      cast.bodies[b].quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
    }
    if (index === 0 && this.followed >= 0) {
      const at7 = this.positionOf(this.followed);
      const shift = at7.clone().sub(this.lastFollowed);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.lastFollowed.copy(at7);
    }
    this.draw();
  }

  setContacts(contacts: Contacts | null): void {
    this.contactsNow = contacts;
    this.draw();
  }
  setPath(points: Float32Array | null): void {
    this.marks.setPath(points);
    this.draw();
  }

  select(body: number): void {
    this.selected = body;
    this.paintBodies();
    this.draw();
  }

  setPalette(p: Palette): void {
    this.palette = p;
    this.world.background = new Color(p.background);
    this.sky.color.set(p.sky);
    this.sky.groundColor.set(p.earth);
    this.sky.intensity = p.fill;
    this.sun.intensity = p.light;
    this.ground.paint(p.line, p.gridStrength, p.shadow);
    this.marks.paint(p.point, p.force, p.centre, p.accent);
    this.paintBodies();
    this.draw();
  }

  applyLook(): void {
    const { look } = this;
    this.ground.group.visible = look.grid;
    this.marks.showPoints = look.contacts;
    this.marks.showForces = look.forces;
    this.casts.forEach((cast) => (cast.group.visible = !cast.ghost || look.ghosts));
    for (const cast of this.casts) {
      // A shape is a visual one where it is meant to be seen: not hidden, and of MuJoCo's groups 0 to 2.
      const drawn = (s: Shape): boolean => s.visible && s.group < 3;
      const none = !cast.scene.shapes.some((s) => drawn(s) && s.kind !== "plane");
      for (const { mesh, shape } of cast.meshes)
        mesh.visible =
          look.shapes === "both" || (look.shapes === "collision" ? shape.collides : drawn(shape) || (none && shape.collides));
    }
    this.showFrames(look.frames);
    this.paintBodies();
    this.draw();
  }

  private showFrames(on: boolean): void {
    for (const cast of this.casts) {
      if (cast.ghost) continue;
      if (on && cast.frames.length === 0) {
        const n = 0.09 * this.size;
        const points = new Float32Array([0, 0, 0, n, 0, 0, 0, 0, 0, 0, n, 0, 0, 0, 0, 0, 0, n]);
        const colours = new Float32Array([0.85, 0.2, 0.2, 0.85, 0.2, 0.2, 0.2, 0.6, 0.25, 0.2, 0.6, 0.25, 0.2, 0.4, 0.9, 0.2, 0.4, 0.9]);
        const lines = new BufferGeometry()
          .setAttribute("position", new BufferAttribute(points, 3))
          .setAttribute("color", new BufferAttribute(colours, 3));
        const ink = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
        for (const body of cast.bodies) {
          const axes = new LineSegments(lines, ink);
          axes.renderOrder = 5;
          cast.frames.push(axes);
          body.add(axes);
        }
      }
      for (const f of cast.frames) f.visible = on;
    }
  }

  private paintBodies(): void {
    if (!this.palette) return;
    this.casts.forEach((cast, index) => {
      for (const { mesh, shape, own } of cast.meshes) {
        const alpha = (cast.ghost ? 0.28 : this.look.opacity) * Math.max(0.15, shape.rgba[3] || 1);
        if (cast.ghost) own.color.set(this.palette.ghosts[(index - 1) % this.palette.ghosts.length]);
        else if (isUncoloured(shape)) own.color.set(this.palette.bodies[(shape.body + 5) % this.palette.bodies.length]);
        else own.color.setRGB(shape.rgba[0], shape.rgba[1], shape.rgba[2], "srgb");
        const chosen = !cast.ghost && shape.body === this.selected && this.selected > 0;
        if (chosen) own.color.lerp(new Color(this.palette.accent), 0.45);
        own.emissive.set(chosen ? this.palette.accent : "#000000");
        own.emissiveIntensity = chosen ? 0.25 : 0;
        const transparent = alpha < 0.999;
        if (own.transparent !== transparent) (own.transparent = transparent), (own.needsUpdate = true);
        own.opacity = alpha;
        own.depthWrite = !transparent;
        mesh.castShadow = !cast.ghost && alpha > 0.3;
        mesh.receiveShadow = !cast.ghost;
        mesh.renderOrder = cast.ghost ? 1 : 0;
      }
    });
  }

  /** Soon, once. */
  draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => this.drawNow());
  }
  drawNow(): void {
    this.wanted = false;
    if (this.casts.length === 0 || !this.palette) return;
    this.choosePixels();
    this.controls.update();
    const { target } = this.controls;
    this.sun.position.copy(target).add(new Vector3(-1.6, -2.2, 4.6).multiplyScalar(this.size));
    this.sun.target.position.copy(target);
    this.ground.moveTo(target.x, target.y);
    const length = (0.8 * this.size * this.look.forceScale) / this.weight;
    const shown = this.look.contacts || this.look.forces;
    this.marks.setContacts(shown ? this.contactsNow : null, this.size, length);
    this.marks.setCentre(this.look.centre ? this.calcCentre() : null, this.groundHeight, this.size);
    this.renderer.render(this.world, this.camera);
    if (!this.drawn) performance.mark("sinew-first-picture");
    this.drawn = true;
    this.onDraw();
  }

  /** Fewer pixels while pictures follow each other and come late; all of them once the picture stands. */
  private choosePixels(): void {
    if (this.fixed) return;
    const now = performance.now();
    const passed = now - this.lastDraw;
    this.lastDraw = now;
    clearTimeout(this.settle);
    if (passed < 400) {
      this.slow = passed > 26 ? this.slow + 1 : Math.max(0, this.slow - 1);
      if (this.slow > 6 && this.moving > 0.5) {
        this.slow = 0;
        this.moving = Math.max(0.5, 0.75 * this.moving);
      }
      this.setRatio(this.moving);
      this.settle = window.setTimeout(() => {
        this.lastDraw = 0;
        this.draw();
      }, 250);
    } else {
      this.setRatio(this.still);
    }
  }
  private setRatio(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
  }

  calcCentre(): Vector3 {
    const cast = this.casts[0];
    const sum = new Vector3();
    let mass = 0;
    cast.scene.bodies.forEach((b, i) => {
      if (i === 0) return;
      sum.addScaledVector(new Vector3(...b.com).applyQuaternion(cast.bodies[i].quaternion).add(cast.bodies[i].position), b.mass);
      mass += b.mass;
    });
    return mass > 0 ? sum.multiplyScalar(1 / mass) : sum;
  }

  private fixed: { width: number; height: number } | null = null;
  /** A picture of exactly so many pixels, whatever the window is. */
  setFixedSize(width: number, height: number): void {
    if (this.fixed && this.fixed.width === width && this.fixed.height === height) return;
    this.fixed = { width, height };
    this.renderer.setPixelRatio(this.software ? 2 : 1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
  private resize(): void {
    if (this.fixed) return;
    const { clientWidth: w, clientHeight: h } = this.box;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.drawNow();
  }

  /** The body under a place of the window, and where it is hit in the world. */
  findHit(x: number, y: number): { body: number; point: Vector3 } | null {
    const r = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * (x - r.left)) / r.width - 1, 1 - (2 * (y - r.top)) / r.height), this.camera);
    const meshes = this.casts[0]?.meshes.filter((m) => m.mesh.visible).map((m) => m.mesh) ?? [];
    for (const hit of ray.intersectObjects(meshes, false)) return { body: hit.object.userData.body as number, point: hit.point };
    return null;
  }
  /** A point of the world in the frame of a body. */
  toBody(body: number, point: Vector3): Vector3 {
    const group = this.casts[0].bodies[body];
    group.updateMatrixWorld();
    return group.worldToLocal(point.clone());
  }
  /** Lines from points of bodies to where they are drawn to: 6 numbers each. */
  setPulls(points: Float32Array): void {
    this.marks.setPulls(points, this.size);
  }

  // A click that is not a drag picks.
  private watchPointer(): void {
    let down = { x: 0, y: 0, at: 0 };
    this.canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY, at: e.timeStamp }));
    this.canvas.addEventListener("pointerup", (e) => {
      if (e.button !== 0 || Math.hypot(e.clientX - down.x, e.clientY - down.y) > 5 || e.timeStamp - down.at > 600) return;
      const body = this.findHit(e.clientX, e.clientY)?.body ?? 0;
      this.onPick(body > 0 ? body : -1);
    });
  }
}
