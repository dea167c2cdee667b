// src/contact/facets.cpp
#include "contact/facets.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::contact {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Triangle Facets::make_triangle(int facet) const {
  const TriangleSurface::Facet& f = surface_.facets()[at(facet)];
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

bool Facets::stands_out(int facet, const Triangle& t, const Vector& p, const Vector& direction) const {
  constexpr double kAngle = 1e-6;
  bool at_edge = false;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector &from = t.corners[k], edge = t.corners[(k + 1) % 3] - from;
    Vector out = cross(edge, t.normal);  // in the plane, away from the triangle
    out = (1 / norm(out)) * out;
    if (std::abs(dot(out, p - from)) > 1e-7 * norm(edge)) continue;
    const int across = surface_.facets()[at(facet)].across[k];
    if (across < 0) {
      at_edge = true;
      continue;
    }
    const Vector m = apply_inverse(shape_.X.E, surface_.facets()[at(across)].normal);
    const double bend = dot(out, m);
    if (bend < -kAngle) return false;  // hollow
    if (bend < kAngle) continue;       // flat: no edge at all, though it may end at a corner that others make
    at_edge = true;
    // Between t.normal and m, seen along the edge.
    const Vector limit = cross(m, (1 / norm(edge)) * edge);  // square to m and the edge, away from the neighbour
    if (dot(out, direction) < -kAngle || dot(limit, direction) < -kAngle) return false;
  }
  return at_edge && dot(direction, t.normal) > -kAngle;
}

void drop_repeated(Points& points, std::size_t known, std::size_t first, double same_place) {
  std::size_t kept = first;
  for (std::size_t i = first; i < points.size(); ++i) {
    const TouchPoint p = points[i];
    const auto same = [&](const TouchPoint& q) {
      const Vector d = p.point - q.point, n = p.normal - q.normal;
      return dot(d, d) < same_place * same_place && dot(n, n) < 1e-10;
    };
    const auto begin = points.begin();
    if (std::none_of(begin + static_cast<std::ptrdiff_t>(known), begin + static_cast<std::ptrdiff_t>(kept), same))
      points[kept++] = p;
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
