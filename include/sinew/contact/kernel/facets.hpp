// sinew/contact/kernel/facets.hpp - the facets of a placed surface, and the directions in which they may push, for CPU
// and device
#pragma once
#include <cmath>

#include "sinew/contact/kernel/placed_size.hpp"
#include "sinew/contact/kernel/surface.hpp"
#include "sinew/contact/kernel/way_out.hpp"

namespace sinew::contact {

class Facets {
 public:
  // X: surface <- world. Both stay as long as this is used.
  SINEW_HD Facets(const SurfaceView& surface, const Transform<double>& X) : X_(X), surface_(surface) {}

  SINEW_HD const SurfaceView& surface() const { return surface_; }
  SINEW_HD_LARGE Triangle make_triangle(int facet) const {  // in the world
    const SurfaceFacet& f = surface_.facets[facet];
    Triangle t;
    for (int k = 0; k < 3; ++k) {
      t.corners[k] = apply_inverse_to_point(X_, surface_.vertices[f.corners[k]]);
      t.vertex[k] = vertex_feature(f.corners[k]), t.edge[k] = edge_feature(f.edges[k]);
    }
    t.normal = apply_inverse(X_.E, f.normal), t.face = face_feature(facet);
    return t;
  }

  // Bounds of a solid in the frame of the surface, with `reach` more on all sides.
  SINEW_HD_CALLER
  template <class Solid>
  SINEW_HD Bounds find_bounds(const Solid& a, const Vector& origin, double reach) const {
    const auto far = [&](const Vector& d) { return dot(d, a.find_support(d) + origin - X_.r) + a.radius() + reach; };
    const Vector x = axis_of(X_, 0), y = axis_of(X_, 1), z = axis_of(X_, 2);
    return {{-far(-x), -far(-y), -far(-z)}, {far(x), far(y), far(z)}};
  }

  // Whether the edge or corner of the facet that is farthest along a direction stands out that way: the direction lies
  // between the normals of the facets there.
  SINEW_HD_LARGE bool stands_out(int facet, const Triangle& t, const Vector& direction) const {
    using std::abs;
    constexpr double kLevel = 1e-7;
    int top = 0;
    for (int k = 1; k < 3; ++k)
      if (dot(direction, t.corners[k] - t.corners[top]) > 0) top = k;
    const int sides[] = {top, (top + 2) % 3};
    for (const int k : sides) {
      const Edge e = find_edge(facet, t, k);
      if (abs(dot(direction, e.along)) > kLevel) continue;
      if (e.open) return dot(direction, t.normal) > -kAngle;
      // Between the normals, seen along the edge.
      const Vector limit = cross(e.other, e.along);  // perpendicular to both, away from the neighbour
      return e.bend > kAngle && dot(e.out, direction) > -kAngle && dot(limit, direction) > -kAngle;
    }
    return corner_stands_out(facet, top, direction);
  }

  // For a solid whose core overlaps the facet: the least move off the facet along directions in which its edges stand
  // out; -infinity as its gap if there are none. True if the solid moves off an edge, false if off a
  // neighbouring facet.
  SINEW_HD_CALLER
  template <class Solid>
  SINEW_HD_LARGE bool find_way_off(int facet, const Triangle& t, const Solid& a, const Vector& origin,
                                   Approach& out) const {
    bool at_edge = false;
    out.gap = -INFINITY, out.overlap = true;
    for (int k = 0; k < 3; ++k) {
      const Edge e = find_edge(facet, t, k);
      if (e.bend < kAngle) continue;
      const WayOut way = find_way_out(a, e.from - origin, e.along, t.normal, e.other);
      const double gap = -way.depth - a.radius();
      if (gap <= out.gap) continue;
      out.gap = gap, out.normal = way.normal, out.on_a = way.on_a, out.on_b = way.on_a + way.depth * way.normal;
      const double place = dot(e.along, way.on_a + origin - e.from);
      at_edge = (way.between || e.open) && place >= 0 && place <= e.length;
    }
    return at_edge;
  }

 private:
  static constexpr double kAngle = 1e-6;
  struct Edge {
    Vector from, along;  // a corner, a unit vector
    double length = 0;
    Vector out, other;  // in the plane of the facet, away from it; the normal across, `out` where the surface ends
    double bend = 0;    // sine of the angle between the normals; negative: hollow
    bool open = false;
  };
  SINEW_HD_LARGE Edge find_edge(int facet, const Triangle& t, int k) const {
    Edge e;
    e.from = t.corners[k];
    e.along = t.corners[(k + 1) % 3] - e.from;
    e.length = norm(e.along);
    e.along = (1 / e.length) * e.along;
    e.out = cross(e.along, t.normal);
    const int across = surface_.facets[facet].across[k];
    e.open = across < 0;
    e.other = e.open ? e.out : apply_inverse(X_.E, surface_.facets[across].normal);
    e.bend = dot(e.out, e.other);
    return e;
  }
  // No edge that leaves the corner goes farther along the direction, a facet there looks that way, and not all lie in
  // one plane.
  SINEW_HD_LARGE bool corner_stands_out(int facet, int k, const Vector& direction) const {
    const Vector d = apply(X_.E, direction);
    const int corner = surface_.facets[facet].corners[k];
    const auto rises = [&](int end) {
      const Vector edge = surface_.vertices[end] - surface_.vertices[corner];
      return dot(edge, d) > kAngle * norm(edge);
    };
    bool flat = true, outward = false;
    // Walk around the corner one way, and the other way if the surface ends.
    for (int back = 0; back < 2; ++back) {
      int f = facet;
      do {
        const SurfaceFacet& here = surface_.facets[f];
        const int i = here.corners[0] == corner ? 0 : here.corners[1] == corner ? 1 : 2, before = (i + 2) % 3;
        if (rises(here.corners[(i + 1) % 3]) || rises(here.corners[before])) return false;
        outward = outward || dot(here.normal, d) > kAngle;
        f = here.across[back != 0 ? i : before];
        flat = flat && f >= 0 && norm(cross(here.normal, surface_.facets[f].normal)) < kAngle;
      } while (f >= 0 && f != facet);
      if (f == facet) break;
    }
    return outward && !flat;
  }

  const Transform<double>& X_;
  const SurfaceView& surface_;
};

}  // namespace sinew::contact
