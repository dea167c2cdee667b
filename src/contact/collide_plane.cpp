// src/contact/collide_plane.cpp - every solid against a plane: the points that may be the lowest
#include <numbers>

#include "colliders.hpp"

namespace sinew::contact {
namespace {

struct Plane {
  Vector point, normal;
  explicit Plane(const PlacedShape& s) : point(s.X.r), normal(axis(s, 2)) {}
  double height(const Vector& p) const { return dot(normal, p - point); }
  bool add(const Vector& p, double reach, int feature, TouchPoint& out) const {
    const double gap = height(p);
    if (!(gap <= reach)) return false;
    out = {p - (gap / 2) * normal, normal, gap, feature};
    return true;
  }
};

}  // namespace

int sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Plane plane(b);
  return plane.add(a.X.r - a.size[0] * plane.normal, reach, 0, out[0]) ? 1 : 0;
}

int capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Plane plane(b);
  const Vector half = a.size[1] * axis(a, 2), down = a.size[0] * plane.normal;
  int n = 0;
  n += plane.add(a.X.r + half - down, reach, 0, out[n]) ? 1 : 0;
  n += plane.add(a.X.r - half - down, reach, 1, out[n]) ? 1 : 0;
  return n;
}

int box_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Plane plane(b);
  int n = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const auto side = [&](int k) {
      return (corner >> k & 1) != 0 ? a.size[static_cast<std::size_t>(k)] : -a.size[static_cast<std::size_t>(k)];
    };
    n += plane.add(to_world(a, {side(0), side(1), side(2)}), reach, corner, out[n]) ? 1 : 0;
  }
  return n;
}

// The lowest point of each rim; near a flat stand also eight places of the rim that do not move on it.
int cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  constexpr int kRim = 8;
  constexpr double kNearlyFlat = 1e-2, kFlat = 1e-9;
  const Plane plane(b);
  const Vector n = apply(a.X.E, plane.normal);  // in the cylinder
  const double radius = a.size[0], tilt = std::hypot(n.x, n.y);
  int count = 0;
  for (int cap = 0; cap < 2; ++cap) {
    const double z = cap == 0 ? a.size[1] : -a.size[1];
    const int first = cap * (kRim + 1);
    if (tilt > kFlat)
      count +=
          plane.add(to_world(a, {-radius * n.x / tilt, -radius * n.y / tilt, z}), reach, first, out[count]) ? 1 : 0;
    for (int i = 0; i < kRim && tilt < kNearlyFlat; ++i) {
      const double angle = 2 * std::numbers::pi * i / kRim;
      count += plane.add(to_world(a, {radius * std::cos(angle), radius * std::sin(angle), z}), reach, first + 1 + i,
                         out[count])
                   ? 1
                   : 0;
    }
  }
  return count;
}

// Where its normal is the plane's: A^2 n / |A n|, A the radii.
int ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Plane plane(b);
  const Vector n = apply(a.X.E, plane.normal), An{a.size[0] * n.x, a.size[1] * n.y, a.size[2] * n.z};
  const double s = -1 / norm(An);
  return plane.add(to_world(a, {s * a.size[0] * An.x, s * a.size[1] * An.y, s * a.size[2] * An.z}), reach, 0, out[0])
             ? 1
             : 0;
}

}  // namespace sinew::contact
