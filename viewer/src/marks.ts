// marks.ts - what is drawn over the bodies: contact points, force arrows, the centre of mass, a path

import {
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Contacts } from "./track";

const kUp = new Vector3(0, 0, 1);

/** Copies of one geometry; the room grows as needed. */
class Copies {
  readonly group = new Group();
  private mesh?: InstancedMesh;
  constructor(
    private readonly geometry: BufferGeometry,
    readonly material: MeshBasicMaterial,
  ) {}
  begin(count: number): void {
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      if (this.mesh) {
        this.group.remove(this.mesh);
        this.mesh.dispose();
      }
      this.mesh = new InstancedMesh(this.geometry, this.material, Math.max(16, 2 * count));
      this.mesh.frustumCulled = false;
      this.mesh.renderOrder = 3;
      this.group.add(this.mesh);
    }
    this.mesh.count = count;
  }
  set(i: number, m: Matrix4): void {
    this.mesh?.setMatrixAt(i, m);
  }
  end(): void {
    if (this.mesh) this.mesh.instanceMatrix.needsUpdate = true;
  }
}

function material(opacity: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ transparent: true, opacity, depthTest: false, depthWrite: false });
}

export class Marks {
  readonly group = new Group();
  readonly points: Copies;
  private readonly shafts: Copies;
  private readonly heads: Copies;
  private readonly centre = new Group();
  private readonly ball: Mesh;
  private readonly drop: Line;
  private readonly path: Line;
  private readonly pulls: Copies;
  private readonly pullEnds: Copies;
  private readonly arrows = new Group();
  showPoints = true;
  showForces = true;

  constructor() {
    this.points = new Copies(new SphereGeometry(1, 16, 12), material(0.95));
    const shaft = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 18).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts = new Copies(shaft, material(0.9));
    this.heads = new Copies(head, this.shafts.material);
    this.arrows.add(this.shafts.group, this.heads.group);
    this.ball = new Mesh(new SphereGeometry(1, 24, 16), material(0.95));
    this.ball.renderOrder = 4;
    const line = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
    this.drop = new Line(line, new LineBasicMaterial({ transparent: true, opacity: 0.6, depthTest: false }));
    this.drop.frustumCulled = false;
    this.centre.add(this.ball, this.drop);
    this.centre.visible = false;
    this.path = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.75 }));
    this.path.frustumCulled = false;
    this.path.visible = false;
    this.pulls = new Copies(shaft, material(0.95));
    this.pullEnds = new Copies(new SphereGeometry(1, 16, 12), this.pulls.material);
    this.group.add(this.points.group, this.arrows, this.centre, this.path, this.pulls.group, this.pullEnds.group);
  }

  paint(point: string, force: string, centre: string, path: string): void {
    this.points.material.color.set(point);
    this.shafts.material.color.set(force);
    (this.ball.material as MeshBasicMaterial).color.set(centre);
    (this.drop.material as LineBasicMaterial).color.set(centre);
    (this.path.material as LineBasicMaterial).color.set(path);
    this.pulls.material.color.set(path);
  }

  /** size: of the scene [m]; scale: metres per newton. */
  setContacts(c: Contacts | null, size: number, scale: number): void {
    this.points.group.visible = this.showPoints;
    this.arrows.visible = this.showForces;
    const count = c ? c.count : 0;
    const m = new Matrix4();
    const turn = new Quaternion();
    const at = new Vector3();
    const force = new Vector3();
    const along = new Vector3();
    this.points.begin(count);
    this.shafts.begin(count);
    this.heads.begin(count);
    const dot = 0.008 * size;
    for (let i = 0; c && i < count; ++i) {
      at.fromArray(c.point, 3 * i);
      this.points.set(i, m.makeScale(dot, dot, dot).setPosition(at));
      // The arrow stands outside: it shows the force on the body that moves up from the contact.
      force.fromArray(c.force, 3 * i);
      const length = Math.min(1.2 * size, scale * force.length());
      if (!(length > 0.002 * size)) {
        m.makeScale(0, 0, 0);
        this.shafts.set(i, m);
        this.heads.set(i, m);
        continue;
      }
      along.copy(force).normalize();
      turn.setFromUnitVectors(kUp, along);
      const tip = Math.min(0.045 * size, 0.5 * length);
      const thick = 0.006 * size;
      this.shafts.set(i, m.compose(at, turn, new Vector3(thick, thick, length - tip)));
      at.addScaledVector(along, length - tip);
      this.heads.set(i, m.compose(at, turn, new Vector3(0.38 * tip, 0.38 * tip, tip)));
    }
    this.points.end();
    this.shafts.end();
    this.heads.end();
  }

  setCentre(at: Vector3 | null, ground: number, size: number): void {
    this.centre.visible = at !== null;
    if (!at) return;
    this.ball.position.copy(at);
    this.ball.scale.setScalar(0.014 * size);
    const p = this.drop.geometry.getAttribute("position") as BufferAttribute;
    p.setXYZ(0, at.x, at.y, at.z);
    p.setXYZ(1, at.x, at.y, ground);
    p.needsUpdate = true;
  }

  setPath(points: Float32Array | null): void {
    this.path.visible = points !== null;
    if (!points) return;
    this.path.geometry.dispose();
    this.path.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
  }
  /** Springs of pointers: from a point of a body to where it is drawn to, 6 numbers each. */
  setPulls(pulls: Float32Array, size: number): void {
    const count = pulls.length / 6;
    const m = new Matrix4();
    const thick = 0.004 * size;
    this.pulls.begin(count);
    this.pullEnds.begin(2 * count);
    for (let i = 0; i < count; ++i) {
      const from = new Vector3().fromArray(pulls, 6 * i);
      const to = new Vector3().fromArray(pulls, 6 * i + 3);
      const along = to.clone().sub(from);
      const turn = new Quaternion().setFromUnitVectors(kUp, along.clone().normalize());
      this.pulls.set(i, m.compose(from, turn, new Vector3(thick, thick, along.length())));
      this.pullEnds.set(2 * i, m.makeScale(2 * thick, 2 * thick, 2 * thick).setPosition(from));
      this.pullEnds.set(2 * i + 1, m.makeScale(3 * thick, 3 * thick, 3 * thick).setPosition(to));
    }
    this.pulls.end();
    this.pullEnds.end();
  }
}
