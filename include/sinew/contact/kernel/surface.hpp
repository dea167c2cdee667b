// sinew/contact/kernel/surface.hpp - a surface of triangles as colliders read it, for CPU and device
#pragma once
#include "sinew/spatial/vec3.hpp"

namespace sinew {

// A box along the axes.
struct Bounds {
  Vec3<double> low, high;
};

namespace contact {

// A triangle with its neighbours.
struct SurfaceFacet {
  int corners[3] = {};           // counter-clockwise seen from outside
  int edges[3] = {};             // numbers; from corner k to the next
  int across[3] = {-1, -1, -1};  // facets there; -1: the surface ends
  Vec3<double> normal;
};
// Of the tree of bounds in which facets stand.
struct SurfaceNode {
  Bounds bounds;
  int first = 0, count = 0;  // facets, by order; count 0: children first and first + 1
};

// The tables of a TriangleSurface (contact/triangle_surface.hpp), which may lie anywhere.
struct SurfaceView {
  const Vec3<double>* vertices = nullptr;
  const SurfaceFacet* facets = nullptr;
  const SurfaceNode* nodes = nullptr;  // the first holds all
  const int* order = nullptr;

  SINEW_HD static bool meet(const Bounds& a, const Bounds& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
  }
  // Calls visit(number of a facet) for all below nodes whose bounds are accepted; visit returns false to end the
  // search. Returns false where it was ended.
  SINEW_HD_CALLER
  template <class Accept, class Visitor>
  SINEW_HD bool visit_where(Accept&& accept, Visitor&& visit) const {
    int stack[64];
    int depth = 0;
    stack[0] = 0;
    while (depth >= 0) {
      const SurfaceNode& n = nodes[stack[depth--]];
      if (!accept(n.bounds)) continue;
      if (n.count > 0) {
        for (int i = n.first; i < n.first + n.count; ++i)
          if (!visit(order[i])) return false;
      } else {
        stack[++depth] = n.first + 1;
        stack[++depth] = n.first;
      }
    }
    return true;
  }
  // Calls visit(number of a facet) for all whose bounds meet the given ones, and some neighbours of these.
  SINEW_HD_CALLER
  template <class Visitor>
  SINEW_HD void visit_near(const Bounds& b, Visitor&& visit) const {
    visit_where([&](const Bounds& n) { return meet(n, b); }, [&](int facet) { return visit(facet), true; });
  }
};

}  // namespace contact
}  // namespace sinew
