// src/contact/collide_plane.cpp - every solid against a plane: the points that may be the lowest
#include <cmath>

#include "contact/colliders.hpp"

namespace sinew::contact {
namespace {

struct Plane {
  Vector point, normal;
  double reach;
  Points& out;
  Plane(const PlacedShape& s, double within, Points& points)
      : point(s.X.r), normal(axis(s, 2)), reach(within), out(points) {}
  void add(const Vector& p, std::uint32_t feature) const {
    const double gap = dot(normal, p - point);
    if (gap <= reach) out.push_back({p - (gap / 2) * normal, normal, gap, feature, 0});
  }
};

}  // namespace

void sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Plane plane(b, reach, out);
  plane.add(a.X.r - a.size[0] * plane.normal, vertex_feature(0));
}

void capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Plane plane(b, reach, out);
  const Vector half = a.size[1] * axis(a, 2), down = a.size[0] * plane.normal;
  plane.add(a.X.r - half - down, vertex_feature(0));
  plane.add(a.X.r + half - down, vertex_feature(1));
}

void box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Plane plane(b, reach, out);
  const Vector x = a.size[0] * axis(a, 0), y = a.size[1] * axis(a, 1), z = a.size[2] * axis(a, 2);
  const Vector n = plane.normal;
  if (dot(n, a.X.r - plane.point) - std::abs(dot(n, x)) - std::abs(dot(n, y)) - std::abs(dot(n, z)) > reach) return;
  for (int corner = 0; corner < 8; ++corner) {
    const auto side = [&](int k, const Vector& v) { return (corner >> k & 1) != 0 ? v : -v; };
    plane.add(a.X.r + side(0, x) + side(1, y) + side(2, z), vertex_feature(corner));
  }
}

// The lowest point of each rim; of a rim that looks down also eight points fixed on it.
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  constexpr double kLooksDown = 0.5, kFlat = 1e-12;
  const Plane plane(b, reach, out);
  const Vector n = apply(a.X.E, plane.normal);  // in the cylinder
  const double radius = a.size[0], tilt = std::hypot(n.x, n.y);
  for (int cap = 0; cap < 2; ++cap) {
    const double z = cap == 0 ? -a.size[1] : a.size[1];
    if (tilt > kFlat)
      plane.add(to_world(a, {-radius * n.x / tilt, -radius * n.y / tilt, z}), vertex_feature(2 * kRim + cap));
    if (n.z * (cap == 0 ? 1 : -1) < kLooksDown) continue;
    for (int i = 0; i < kRim; ++i) {
      const RimPoint p = rim_points()[i];
      plane.add(to_world(a, {radius * p.x, radius * p.y, z}), vertex_feature(cap * kRim + i));
    }
  }
}

// Where its normal is the plane's: A^2 n / |A n|, A the radii.
void ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Plane plane(b, reach, out);
  const Vector n = apply(a.X.E, plane.normal), An{a.size[0] * n.x, a.size[1] * n.y, a.size[2] * n.z};
  const double s = -1 / norm(An);
  plane.add(to_world(a, {s * a.size[0] * An.x, s * a.size[1] * An.y, s * a.size[2] * An.z}), vertex_feature(0));
}

void polytope_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Plane plane(b, reach, out);
  const std::size_t first = out.size();
  const Vector n = apply(a.X.E, plane.normal);
  if (a.polytope->rounding > 0) return plane.add(to_world(a, a.polytope->find_rounded_support(-n)), vertex_feature(0));
  const double level = reach - dot(plane.normal, a.X.r - plane.point);
  const std::vector<Vector>& vertices = a.polytope->vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (dot(n, vertices[i]) <= level) plane.add(to_world(a, vertices[i]), vertex_feature(static_cast<int>(i)));
  thin_out(out, first, out.size());
}

}  // namespace sinew::contact
