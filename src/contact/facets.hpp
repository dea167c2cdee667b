// src/contact/facets.hpp - the facets of a placed surface, and the directions in which they may push
#pragma once
#include "contact/colliders.hpp"
#include "sinew/contact/triangle_surface.hpp"

namespace sinew::contact {

class Facets {
 public:
  explicit Facets(const PlacedShape& s) : shape_(s), surface_(*s.surface) {}

  Triangle make_triangle(int facet) const;  // in the world
  // Bounds of a solid in the frame of the surface, with `reach` more on all sides.
  Bounds find_bounds(const Solid&, const Vector& origin, double reach) const;
  const TriangleSurface& surface() const { return surface_; }

  // Whether the edge or corner of the facet that is farthest along a direction stands out that way: the direction lies
  // between the normals of the facets there.
  bool stands_out(int facet, const Triangle&, const Vector& direction) const;
  // For a solid whose core overlaps the facet: the least move off the facet along directions in which its edges stand
  // out; -infinity as its gap if there are none. True if the solid moves off an edge, false if off a
  // neighbouring facet.
  bool find_way_off(int facet, const Triangle&, const Solid& a, const Vector& origin, Approach& out) const;

 private:
  struct Edge {
    Vector from, along;  // a corner, a unit vector
    double length = 0;
    Vector out, other;  // in the plane of the facet, away from it; the normal across, `out` where the surface ends
    double bend = 0;    // sine of the angle between the normals; negative: hollow
    bool open = false;
  };
  Edge find_edge(int facet, const Triangle&, std::size_t k) const;
  bool corner_stands_out(int facet, std::size_t k, const Vector& direction) const;

  const PlacedShape& shape_;
  const TriangleSurface& surface_;
};

// Merges points from `first` on with those from `known` on that have the same place and normal; the smaller gap stays.
void drop_repeated(Points&, std::size_t known, std::size_t first, double same_place);
// Points over facets in one plane belong together: thins them out.
void thin_out_planes(Points&, std::size_t first, const Vector& origin, double same_height);

}  // namespace sinew::contact
