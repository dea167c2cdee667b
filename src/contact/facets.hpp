// src/contact/facets.hpp - the facets of a placed surface, and when they may push which way
#pragma once
#include "contact/colliders.hpp"
#include "sinew/contact/triangle_surface.hpp"

namespace sinew::contact {

class Facets {
 public:
  explicit Facets(const PlacedShape& s) : shape_(s), surface_(*s.surface) {}

  Triangle make_triangle(int facet) const;  // in the world
  // What a solid fills in the frame of the surface, and `reach` more on all sides.
  Bounds find_bounds(const Solid&, const Vector& origin, double reach) const;
  const TriangleSurface& surface() const { return surface_; }

  // Whether an edge or corner of the facet at point p stands out in a direction: it lies between the normals of the
  // facets there.
  bool stands_out(int facet, const Triangle&, const Vector& p, const Vector& direction) const;

 private:
  const PlacedShape& shape_;
  const TriangleSurface& surface_;
};

// Of the points added from `first` on, drops those that repeat a place and a normal from `known` on.
void drop_repeated(Points&, std::size_t known, std::size_t first, double same_place);
// Points over facets in one plane belong together: thins them out.
void thin_out_planes(Points&, std::size_t first, const Vector& origin, double same_height);

}  // namespace sinew::contact
