// sinew/contact/triangle_surface.hpp - a surface of triangles that other shapes touch from outside
// Triangles know their neighbours, so that a body sliding over an edge between two coplanar ones does not feel it.
#pragma once
#include <array>
#include <vector>

#include "sinew/model/shape_spec.hpp"
#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

// A box along the axes.
struct Bounds {
  Vec3<double> low, high;
};

class TriangleSurface {
 public:
  // A triangle with its neighbours.
  struct Facet {
    std::array<int, 3> corners{};           // counter-clockwise seen from outside
    std::array<int, 3> edges{};             // numbers; from corner k to the next
    std::array<int, 3> across{-1, -1, -1};  // facets there; -1: the surface ends
    Vec3<double> normal;
  };
  explicit TriangleSurface(TriangleMesh mesh);  // triangles without area are left out

  const Bounds& bounds() const { return nodes_.front().bounds; }
  const std::vector<Facet>& facets() const { return facets_; }
  // Vertex i, unchecked.
  const Vec3<double>& vertex(int i) const { return vertices_[i]; }

  // Facets stand in a tree of bounds, built once. Calls visit(number of a facet) for all below nodes whose bounds are
  // accepted; visit returns false to end the search. Returns false where it was ended.
  template <class Accept, class Visitor>
  bool visit_where(Accept&& accept, Visitor&& visit) const {
    std::array<int, 64> stack;
    int depth = 0;
    stack[0] = 0;
    while (depth >= 0) {
      const Node& n = nodes_[stack[depth--]];
      if (!accept(n.bounds)) continue;
      if (n.count > 0) {
        for (int i = n.first; i < n.first + n.count; ++i)
          if (!visit(order_[i])) return false;
      } else {
        stack[++depth] = n.first + 1;
        stack[++depth] = n.first;
      }
    }
    return true;
  }
  // Calls visit(number of a facet) for all whose bounds meet the given ones, and some neighbours of these.
  template <class Visitor>
  void visit_near(const Bounds& b, Visitor&& visit) const {
    visit_where([&](const Bounds& n) { return meet(n, b); }, [&](int facet) { return visit(facet), true; });
  }
  // Whether it would visit any.
  bool has_near(const Bounds& b) const {
    return !visit_where([&](const Bounds& n) { return meet(n, b); }, [](int) { return false; });
  }

 private:
  struct Node {
    Bounds bounds;
    int first = 0, count = 0;  // facets, by order_; count 0: children first and first + 1
  };
  static bool meet(const Bounds& a, const Bounds& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
  }
  void join_neighbours();
  void split(int node);

  std::vector<Vec3<double>> vertices_;
  std::vector<Facet> facets_;
  std::vector<Node> nodes_;  // the first holds all
  std::vector<int> order_;
};

// Two triangles per cell, in the frame of the heightfield.
TriangleMesh make_mesh(const HeightfieldSpec&);

}  // namespace sinew
