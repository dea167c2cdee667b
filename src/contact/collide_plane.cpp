// src/contact/collide_plane.cpp - every solid against a plane: the points that may be the lowest
#include <cmath>
#include <utility>

#include "contact/colliders.hpp"

namespace sinew::contact {
namespace {

using AddPoint = decltype(add_to(std::declval<Points&>()));
using Plane = PlaneContacts<double, AddPoint>;

}  // namespace

void sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_plane(sized(a), b.X, reach, add_to(out));
}
void capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  capsule_on_plane(sized(a), b.X, reach, add_to(out));
}
void box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  box_on_plane(sized(a), b.X, reach, add_to(out));
}

// The lowest point of each rim; of a rim that looks down also eight points fixed on it.
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  constexpr double kLooksDown = 0.5, kFlat = 1e-12;
  const AddPoint add = add_to(out);
  const Plane plane(b.X, reach, add);
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
  const AddPoint add = add_to(out);
  const Plane plane(b.X, reach, add);
  const Vector n = apply(a.X.E, plane.normal), An{a.size[0] * n.x, a.size[1] * n.y, a.size[2] * n.z};
  const double s = -1 / norm(An);
  plane.add(to_world(a, {s * a.size[0] * An.x, s * a.size[1] * An.y, s * a.size[2] * An.z}), vertex_feature(0));
}

void polytope_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const AddPoint add = add_to(out);
  const Plane plane(b.X, reach, add);
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
