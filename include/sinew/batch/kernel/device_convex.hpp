// sinew/batch/kernel/device_convex.hpp - contact points of two convex solids of one world
// The CPU's text, sinew/contact/kernel/convex_contacts.hpp, with fixed room. Always in double: a float has too few
// digits for a search of the nearest points. The axes of places in float are made perpendicular to that accuracy.
#pragma once
#include "sinew/batch/kernel/device_scene.hpp"
#include "sinew/contact/kernel/convex_contacts.hpp"
#include "sinew/contact/kernel/hull.hpp"
#include "sinew/contact/kernel/round_contacts.hpp"

namespace sinew::device {

template <class R>
struct DeviceRoom {
  using Hull = contact::HullView;
  static constexpr int kCorners = kMostHullCorners;
  static constexpr int kPoints = 32;
  static constexpr double kInside = Numbers<R>::kSingle ? 1e-6 : 1e-9;  // boxes on boxes turn by rounding errors
};
// Where two faces are cut by each other, and the nearest point. Hulls on planes have fewer.
inline constexpr int kMostConvexPoints = 2 * kMostHullCorners + 1;

template <class R>
SINEW_HD contact::HullView hull_of(const Scene<R>& s, const SceneShape<R>& shape) {
  contact::HullView out;
  if (shape.hull < 0) return out;
  const SceneHull& h = s.hull[shape.hull];
  out.count = h.vertices, out.extent = h.extent, out.vertices = s.hull_vertex + h.vertex,
  out.faces = s.hull_face + h.face;
  out.corners = s.hull_index + h.index, out.edges = out.corners + h.corners, out.neighbours = out.edges + h.corners;
  out.around = out.neighbours + h.corners, out.start = out.around + h.corners;
  return out;
}

template <class R>
SINEW_HD Transform<double> widen(const Transform<R>& X) {
  Transform<double> out = cast<double>(X);
  if constexpr (Numbers<R>::kSingle) {
    const auto unit = [](const Vec3<double>& v) { return (1 / norm(v)) * v; };
    const Vec3<double> x = unit(contact::axis_of(out, 0)), along = contact::axis_of(out, 1);
    const Vec3<double> y = unit(along - dot(along, x) * x), z = cross(x, y);
    out.E.m = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
  }
  return out;
}

// A shape where it stands, in double.
template <class R>
struct WideShape {
  using Solid = contact::SolidOf<DeviceRoom<R>>;
  ShapeKind kind;
  Transform<double> X;
  double size[3];
  contact::HullView hull;
  SINEW_HD WideShape(const SceneShape<R>& s, const Transform<R>& placed, const contact::HullView& of_mesh)
      : kind(s.kind), X(widen(placed)), hull(of_mesh) {
    for (int k = 0; k < 3; ++k) size[k] = s.size[k];
  }
  SINEW_HD contact::PlacedSize<double> sized() const { return {X, size}; }
  SINEW_HD Solid solid(const Vec3<double>& origin) const { return {kind, X, size, &hull, origin}; }
};

// Whether a pair, in the order of its collider, is not one of planes, spheres, capsules and boxes in closed form.
SINEW_HD constexpr bool is_wide_pair(ShapeKind a, ShapeKind b) {
  using enum ShapeKind;
  if (a > capsule || b > capsule) return true;
  return b != plane && a != sphere && !(a == capsule && b == capsule);
}

// The points of such a pair. out: as in convex_contacts.hpp.
SINEW_HD_CALLER
template <class R, class Out>
SINEW_HD_LARGE void collide_wide(const WideShape<R>& a, const WideShape<R>& b, double reach, Out& out) {
  using enum ShapeKind;
  using Point = Vec3<double>;
  const contact::PlacedSize<double> placed_a = a.sized(), placed_b = b.sized();
  const auto add = [&](const Point& point, const Point& normal, double gap, std::uint32_t fa, std::uint32_t fb) {
    out.add(point, normal, gap, fa, fb);
  };
  if (b.kind == plane && a.kind == cylinder) return contact::cylinder_on_plane(placed_a, b.X, reach, add);
  if (b.kind == plane && a.kind == ellipsoid) return contact::ellipsoid_on_plane(placed_a, b.X, reach, add);
  if (b.kind == plane) return contact::hull_on_plane(a.hull, a.X, b.X, reach, add);
  if (a.kind == sphere && b.kind == cylinder) return contact::sphere_on_cylinder(placed_a, placed_b, reach, add);
  if (a.kind == sphere && b.kind == ellipsoid) return contact::sphere_on_ellipsoid(placed_a, placed_b, reach, add);
  const Point origin = b.X.r;
  const typename WideShape<R>::Solid A = a.solid(origin), B = b.solid(origin);
  if (a.kind == box && b.kind == box) return contact::box_on_box(placed_a, placed_b, A, B, origin, reach, out);
  contact::convex_on_convex(A, B, origin, reach, out);
}

}  // namespace sinew::device
