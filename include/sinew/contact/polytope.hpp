// sinew/contact/polytope.hpp - a convex solid with flat faces: corners, faces as polygons, and their neighbours
#pragma once
#include <vector>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

struct Polytope {
  struct Face {
    Vec3<double> normal;  // outward
    int first = 0, count = 0;
  };
  std::vector<Vec3<double>> vertices;
  std::vector<Face> faces;
  std::vector<int> corners;  // vertices of face f: corners[first ..], counter-clockwise seen from outside
  std::vector<int> edges;    // number of the edge from a corner to the next; both of its faces see the same
  // Around vertex v, ranges start[v] .. start[v + 1]:
  std::vector<int> start, neighbours, around;  // vertices, faces

  int find_support(const Vec3<double>& direction) const;  // the vertex farthest along it
};

// From the triangles of a convex hull. Triangles that lie in one plane to single precision become one face.
Polytope make_polytope(const TriangleMesh& hull);

}  // namespace sinew
