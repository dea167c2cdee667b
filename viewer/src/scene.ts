// scene.ts - what is drawn, as JSON: bodies, joints, shapes. The same for a report and for a live view.
// C++ makes it (include/sinew/io/drawing.hpp); docs/report.md describes it. SI units, z of the world is up.

export type Vec3 = [number, number, number];
/** x y z, then a unit quaternion w x y z: where a frame stands in its parent. */
export type Pose = [number, number, number, number, number, number, number];

export interface Body {
  name: string;
  parent: number; // index of a body; -1 for the world, which is body 0
  mass: number; // [kg]
  com: Vec3; // centre of mass in the body's frame [m]
}

export interface Joint {
  name: string;
  kind: string; // "revolute", "free", ...
  parent: number; // body
  child: number; // body
  q: number; // first position coordinate
  nq: number;
  v: number; // first velocity coordinate
  nv: number;
  limits: ([number, number] | null)[]; // of each velocity coordinate; null: none
}

export type ShapeKind = "plane" | "sphere" | "box" | "capsule" | "cylinder" | "ellipsoid" | "mesh" | "heightfield";

export interface Shape {
  name: string; // may be empty
  body: number;
  kind: ShapeKind;
  // sphere: radius. box: half sides. capsule, cylinder: radius, half length along z. ellipsoid: radii.
  // plane: half sides for drawing (0: endless), normal z.
  size: Vec3;
  pose: Pose; // in the body's frame
  rgba: [number, number, number, number];
  asset: number; // index of a mesh or of a heightfield; -1: none
  hull: boolean; // a mesh that touches with its convex hull
  collides: boolean;
  visible: boolean;
  group: number; // MuJoCo's: 3 and more are not meant to be seen
}

/** Geometry is base64 of little-endian numbers; both are empty where the file could not be read. */
export interface Mesh {
  name: string;
  file: string;
  vertices: string; // float32, three per vertex [m]
  triangles: string; // uint32, three per triangle, counter-clockwise seen from outside
}

export interface Heightfield {
  name: string;
  rows: number;
  cols: number;
  size: [number, number, number, number]; // half x, half y, height of 1, depth below 0 [m]
  elevation: string; // base64 of float32, rows * cols in [0, 1], row by row from -y
}

export interface Actuator {
  name: string;
  range: [number, number] | null; // of its control
}

export interface Scene {
  format: "sinew scene";
  version: 1;
  name: string;
  gravity: Vec3;
  bodies: Body[];
  joints: Joint[];
  shapes: Shape[];
  meshes: Mesh[];
  heightfields: Heightfield[];
  actuators: Actuator[];
  left_out: string[]; // sentences: what cannot be drawn, and why
}
