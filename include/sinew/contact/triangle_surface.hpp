// sinew/contact/triangle_surface.hpp - a surface of triangles that other shapes touch from outside
// Triangles know their neighbours, so that a body sliding over an edge between two coplanar ones does not feel it.
#pragma once
#include <utility>
#include <vector>

#include "sinew/contact/kernel/surface.hpp"
#include "sinew/model/shape_spec.hpp"
#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

class TriangleSurface {
 public:
  using Facet = contact::SurfaceFacet;
  explicit TriangleSurface(TriangleMesh mesh);  // triangles without area are left out

  const Bounds& bounds() const { return nodes_.front().bounds; }
  const std::vector<Facet>& facets() const { return facets_; }
  // Vertex i, unchecked.
  const Vec3<double>& vertex(int i) const { return vertices_[i]; }

  const std::vector<Vec3<double>>& vertices() const { return vertices_; }
  const std::vector<contact::SurfaceNode>& nodes() const { return nodes_; }
  const std::vector<int>& order() const { return order_; }
  // All four, for colliders: as long as the surface is there.
  contact::SurfaceView view() const { return {vertices_.data(), facets_.data(), nodes_.data(), order_.data()}; }
  // As SurfaceView has them.
  template <class Accept, class Visitor>
  bool visit_where(Accept&& accept, Visitor&& visit) const {
    return view().visit_where(std::forward<Accept>(accept), std::forward<Visitor>(visit));
  }
  template <class Visitor>
  void visit_near(const Bounds& b, Visitor&& visit) const {
    view().visit_near(b, std::forward<Visitor>(visit));
  }
  // Whether it would visit any.
  bool has_near(const Bounds& b) const {
    return !visit_where([&](const Bounds& n) { return contact::SurfaceView::meet(n, b); }, [](int) { return false; });
  }

 private:
  using Node = contact::SurfaceNode;
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
