// src/contact/facets.cpp
#include "contact/facets.hpp"

#include <algorithm>
#include <cmath>

#include "contact/solid.hpp"

namespace sinew::contact {
namespace {

constexpr double kAngle = 1e-6;

}  // namespace

Triangle Facets::make_triangle(int facet) const {
  const TriangleSurface::Facet& f = surface_.facets()[facet];
  Triangle t;
  for (std::size_t k = 0; k < 3; ++k) {
    t.corners[k] = to_world(shape_, surface_.vertex(f.corners[k]));
    t.vertex[k] = vertex_feature(f.corners[k]), t.edge[k] = edge_feature(f.edges[k]);
  }
  t.normal = apply_inverse(shape_.X.E, f.normal), t.face = face_feature(facet);
  return t;
}

Bounds Facets::find_bounds(const Solid& a, const Vector& origin, double reach) const {
  const auto far = [&](const Vector& d) {
    return dot(d, a.find_support(d) + origin - shape_.X.r) + a.radius() + reach;
  };
  const Vector x = axis(shape_, 0), y = axis(shape_, 1), z = axis(shape_, 2);
  return {{-far(-x), -far(-y), -far(-z)}, {far(x), far(y), far(z)}};
}

Facets::Edge Facets::find_edge(int facet, const Triangle& t, std::size_t k) const {
  Edge e;
  e.from = t.corners[k];
  e.along = t.corners[(k + 1) % 3] - e.from;
  e.length = norm(e.along);
  e.along = (1 / e.length) * e.along;
  e.out = cross(e.along, t.normal);
  const int across = surface_.facets()[facet].across[k];
  e.open = across < 0;
  e.other = e.open ? e.out : apply_inverse(shape_.X.E, surface_.facets()[across].normal);
  e.bend = dot(e.out, e.other);
  return e;
}

bool Facets::stands_out(int facet, const Triangle& t, const Vector& direction) const {
  constexpr double kLevel = 1e-7;
  std::size_t top = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (dot(direction, t.corners[k] - t.corners[top]) > 0) top = k;
  const std::size_t before = (top + 2) % 3;
  for (const std::size_t k : {top, before}) {
    const Edge e = find_edge(facet, t, k);
    if (std::abs(dot(direction, e.along)) > kLevel) continue;
    if (e.open) return dot(direction, t.normal) > -kAngle;
    // Between the normals, seen along the edge.
    const Vector limit = cross(e.other, e.along);  // perpendicular to both, away from the neighbour
    return e.bend > kAngle && dot(e.out, direction) > -kAngle && dot(limit, direction) > -kAngle;
  }
  return corner_stands_out(facet, top, direction);
}

// No edge that leaves the corner goes farther along the direction, a facet there looks that way, and not all lie in one
// plane.
bool Facets::corner_stands_out(int facet, std::size_t k, const Vector& direction) const {
  const Vector d = apply(shape_.X.E, direction);
  const int corner = surface_.facets()[facet].corners[k];
  const auto rises = [&](int end) {
    const Vector edge = surface_.vertex(end) - surface_.vertex(corner);
    return dot(edge, d) > kAngle * norm(edge);
  };
  bool flat = true, outward = false;
  // Walk around the corner one way, and the other way if the surface ends.
  for (const bool back : {false, true}) {
    int f = facet;
    do {
      const TriangleSurface::Facet& here = surface_.facets()[f];
      const auto own = std::find(here.corners.begin(), here.corners.end(), corner) - here.corners.begin();
      const auto i = static_cast<std::size_t>(own), before = (i + 2) % 3;
      if (rises(here.corners[(i + 1) % 3]) || rises(here.corners[before])) return false;
      outward = outward || dot(here.normal, d) > kAngle;
      f = here.across[back ? i : before];
      flat = flat && f >= 0 && norm(cross(here.normal, surface_.facets()[f].normal)) < kAngle;
    } while (f >= 0 && f != facet);
    if (f == facet) break;
  }
  return outward && !flat;
}

bool Facets::find_way_off(int facet, const Triangle& t, const Solid& a, const Vector& origin, Approach& out) const {
  bool at_edge = false;
  out.gap = -INFINITY, out.overlap = true;
  for (std::size_t k = 0; k < 3; ++k) {
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

void drop_repeated(Points& points, std::size_t known, std::size_t first, double same_place) {
  std::size_t kept = first;
  for (std::size_t i = first; i < points.size(); ++i) {
    const TouchPoint p = points[i];
    const auto same = [&](const TouchPoint& q) {
      const Vector d = p.point - q.point, n = p.normal - q.normal;
      return dot(d, d) < same_place * same_place && dot(n, n) < 1e-10;
    };
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(known);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto twin = std::find_if(begin, end, same);
    if (twin == end)
      points[kept++] = p;
    else if (p.gap < twin->gap)
      *twin = p;
  }
  points.resize(kept);
}

void thin_out_planes(Points& points, std::size_t first, const Vector& origin, double same_height) {
  const auto height = [&](const TouchPoint& p) { return dot(p.normal, p.point - origin) - p.gap / 2; };
  for (std::size_t begin = first; begin < points.size();) {
    const Vector n = points[begin].normal;
    const double level = height(points[begin]);
    std::size_t end = begin;
    for (std::size_t i = begin; i < points.size(); ++i) {
      const Vector d = points[i].normal - n;
      if (dot(d, d) < 1e-10 && std::abs(height(points[i]) - level) < same_height) std::swap(points[i], points[end++]);
    }
    begin = thin_out(points, begin, end);
  }
}

}  // namespace sinew::contact
