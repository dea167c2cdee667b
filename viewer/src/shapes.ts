// shapes.ts - geometry of the shapes of a scene, and how large they are

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Matrix4,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { fromBase64 } from "./codec";
import type { Heightfield, Mesh, Pose, Scene, Shape } from "./scene";

export function toMatrix(pose: Pose): Matrix4 {
  const [x, y, z, qw, qx, qy, qz] = pose;
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), new Vector3(1, 1, 1));
}

function floats(text: string): Float32Array {
  return new Float32Array(fromBase64(text).buffer);
}

// Flat shading would cost vertices: corners sharper than this keep their edges.
const kCrease = Math.cos((35 * Math.PI) / 180);

/** A number for each corner: the same for corners at the same place, because files often have no shared vertices. */
function findPlaces(points: Float32Array, corners: Uint32Array): { place: Uint32Array; count: number } {
  const low = [Infinity, Infinity, Infinity];
  let size = 0;
  for (let i = 0; i < points.length; ++i) low[i % 3] = Math.min(low[i % 3], points[i]);
  for (let i = 0; i < points.length; ++i) size = Math.max(size, points[i] - low[i % 3]);
  const cells = 131071 / (size || 1); // 17 bits per axis: three of them are exact in a double
  const ofVertex = new Uint32Array(points.length / 3);
  const known = new Map<number, number>();
  for (let v = 0; v < ofVertex.length; ++v) {
    let key = 0;
    for (let k = 0; k < 3; ++k) key = 131072 * key + Math.round(cells * (points[3 * v + k] - low[k]));
    let id = known.get(key);
    if (id === undefined) known.set(key, (id = known.size));
    ofVertex[v] = id;
  }
  return { place: corners.map((v) => ofVertex[v]), count: known.size };
}

/** Triangles with normals of their own where edges are sharp, smooth elsewhere. */
function makeMesh(mesh: Mesh): BufferGeometry {
  const points = floats(mesh.vertices);
  const corners = new Uint32Array(fromBase64(mesh.triangles).buffer);
  const n = corners.length;
  const position = new Float32Array(3 * n);
  for (let i = 0; i < n; ++i) for (let k = 0; k < 3; ++k) position[3 * i + k] = points[3 * corners[i] + k];
  const faces = new Float32Array(n); // of each triangle: its normal, twice its area long
  const a = new Vector3();
  const b = new Vector3();
  const c = new Vector3();
  for (let t = 0; t < n / 3; ++t) {
    a.fromArray(position, 9 * t);
    b.fromArray(position, 9 * t + 3).sub(a);
    c.fromArray(position, 9 * t + 6).sub(a);
    b.cross(c).toArray(faces, 3 * t);
  }
  // The triangles around each place, one after the other.
  const { place, count } = findPlaces(points, corners);
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < n; ++i) ++first[place[i] + 1];
  for (let p = 0; p < count; ++p) first[p + 1] += first[p];
  const around = new Uint32Array(n);
  const next = first.slice();
  for (let i = 0; i < n; ++i) around[next[place[i]]++] = Math.floor(i / 3);
  const normal = new Float32Array(3 * n);
  for (let i = 0; i < n; ++i) {
    a.fromArray(faces, 3 * Math.floor(i / 3)).normalize();
    c.set(0, 0, 0);
    for (let k = first[place[i]]; k < first[place[i] + 1]; ++k) {
      b.fromArray(faces, 3 * around[k]);
      if (b.dot(a) >= kCrease * b.length()) c.add(b);
    }
    (c.lengthSq() > 0 ? c.normalize() : a).toArray(normal, 3 * i);
  }
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(position, 3));
  out.setAttribute("normal", new BufferAttribute(normal, 3));
  return out;
}

function makeHeightfield(field: Heightfield): BufferGeometry {
  const heights = floats(field.elevation);
  const { rows, cols, size } = field;
  const position = new Float32Array(3 * rows * cols);
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < cols; ++c) {
      const i = r * cols + c;
      position[3 * i] = size[0] * ((2 * c) / (cols - 1) - 1);
      position[3 * i + 1] = size[1] * ((2 * r) / (rows - 1) - 1);
      position[3 * i + 2] = size[2] * heights[i];
    }
  const index: number[] = [];
  for (let r = 0; r + 1 < rows; ++r)
    for (let c = 0; c + 1 < cols; ++c) {
      const i = r * cols + c;
      index.push(i, i + 1, i + cols + 1, i, i + cols + 1, i + cols);
    }
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(position, 3));
  out.setIndex(index);
  out.computeVertexNormals();
  return out;
}

/** Geometry in the shape's frame; null where there is nothing to draw. Equal shapes share theirs. */
export class Geometries {
  private readonly made = new Map<string, BufferGeometry | null>();
  constructor(private readonly scene: Scene) {}

  find(shape: Shape, planeSize: number): BufferGeometry | null {
    const key = `${shape.kind} ${shape.size.join(" ")} ${shape.asset}`;
    let found = this.made.get(key);
    if (found === undefined) this.made.set(key, (found = this.make(shape, planeSize)));
    return found;
  }

  private make(shape: Shape, planeSize: number): BufferGeometry | null {
    const [x, y, z] = shape.size;
    switch (shape.kind) {
      case "sphere":
        return new SphereGeometry(x, 32, 20);
      case "ellipsoid":
        return new SphereGeometry(1, 32, 20).scale(x, y, z);
      case "box":
        return new BoxGeometry(2 * x, 2 * y, 2 * z);
      case "capsule":
        return new CapsuleGeometry(x, 2 * y, 10, 28).rotateX(Math.PI / 2);
      case "cylinder":
        return new CylinderGeometry(x, x, 2 * y, 40).rotateX(Math.PI / 2);
      case "plane":
        return new PlaneGeometry(2 * (x || planeSize), 2 * (y || planeSize));
      case "mesh": {
        const mesh = this.scene.meshes[shape.asset];
        return mesh && mesh.triangles !== "" ? makeMesh(mesh) : null;
      }
      case "heightfield": {
        const field = this.scene.heightfields[shape.asset];
        return field && field.elevation !== "" ? makeHeightfield(field) : null;
      }
    }
  }
}

/** Of a ball around the shape's origin that holds it [m]; 0 for planes and for what cannot be drawn. */
export function findReach(shape: Shape, geometries: Geometries): number {
  if (shape.kind === "plane") return 0;
  const geometry = geometries.find(shape, 1);
  if (!geometry) return 0;
  geometry.computeBoundingSphere();
  const ball = geometry.boundingSphere;
  return ball ? ball.radius + ball.center.length() : 0;
}
