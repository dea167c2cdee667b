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

void cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  cylinder_on_plane(sized(a), b.X, reach, add_to(out));
}
void ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  ellipsoid_on_plane(sized(a), b.X, reach, add_to(out));
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
