// sinew/contact/polytope.hpp - a convex solid with flat faces: corners, faces as polygons, and their neighbours
#pragma once
#include <vector>

#include "sinew/contact/kernel/hull.hpp"
#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

struct Polytope {
  using Face = contact::HullFace;
  std::vector<Vec3<double>> vertices;
  std::vector<Face> faces;
  std::vector<int> corners;  // vertices of face f: corners[first ..], counter-clockwise seen from outside
  std::vector<int> edges;    // number of the edge from a corner to the next; both of its faces see the same
  // Around vertex v, ranges start[v] .. start[v + 1]:
  std::vector<int> start, neighbours, around;  // vertices, faces

  // [m] 0: flat faces. Else faces and edges bulge: the solid is what all balls of this radius that hold the vertices
  // have in common. Its surface is made of spheres and arcs of that radius, so that it rolls without impacts; with
  // vertices on a sphere of this radius it is that ball. [F08 section 11.6]
  double rounding = 0;
  double extent = 0;  // [m] the largest coordinate

  int find_support(const Vec3<double>& direction) const;  // the vertex farthest along it
  // The same vertex, sooner where `begin` is a vertex near it.
  int find_support(const Vec3<double>& direction, int begin) const;
  // The point of the rounded solid farthest along a unit vector; moves by at most `rounding` per radian.
  Vec3<double> find_rounded_support(const Vec3<double>& direction) const;
};

// From the triangles of a convex hull. Triangles that lie in one plane to single precision become one face.
Polytope make_polytope(const TriangleMesh& hull);

// Sets `rounding`. Throws std::invalid_argument where the vertices do not fit into a ball of that radius.
void round_faces(Polytope&, double radius);

}  // namespace sinew
