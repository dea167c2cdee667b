// src/contact/collide_round.cpp - spheres and capsules against solids: nearest points of segments and surfaces
#include "colliders.hpp"

namespace sinew::contact {
namespace {

struct Segment {
  Vector middle, half;
  explicit Segment(const PlacedShape& capsule) : middle(capsule.X.r), half(capsule.size[1] * axis(capsule, 2)) {}
  Vector at(double t) const { return middle + t * half; }  // -1 .. 1
  double nearest(const Vector& p) const {
    const double square = dot(half, half);
    return square > 0 ? std::clamp(dot(half, p - middle) / square, -1.0, 1.0) : 0;
  }
};

// Any unit vector square to d.
Vector square_to(const Vector& d) {
  const Vector other = std::abs(d.x) < std::abs(d.z) ? Vector{1, 0, 0} : Vector{0, 0, 1};
  const Vector out = cross(d, other);
  const double length = norm(out);
  return length > 0 ? (1 / length) * out : Vector{0, 0, 1};
}

// A ball on side a against a surface point of shape b, given in b's frame.
int add_nearest(const PlacedShape& b, const Nearest& s, const Vector& centre, double radius, double reach, int feature,
                TouchPoint* out) {
  const double gap = s.depth - radius;
  if (!(gap <= reach)) return 0;
  const Vector normal = apply_inverse(b.X.E, s.normal);
  out[0] = {centre - (radius + gap / 2) * normal, normal, gap, feature};
  return 1;
}

}  // namespace

Nearest nearest_on_box(const std::array<double, 3>& half, const Vector& p) {
  const double x[] = {p.x, p.y, p.z};
  double on[3];
  bool inside = true;
  int face = 0;
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    on[k] = std::clamp(x[k], -half[static_cast<std::size_t>(k)], half[static_cast<std::size_t>(k)]);
    inside = inside && on[k] == x[k];
    const double depth = half[static_cast<std::size_t>(k)] - std::abs(x[k]);
    if (depth < least) least = depth, face = k;
  }
  if (!inside) {
    const Vector point{on[0], on[1], on[2]}, d = p - point;
    const double distance = norm(d);
    return {point, (1 / distance) * d, distance};
  }
  // Out through the nearest face.
  const double sign = x[face] < 0 ? -1 : 1;
  double normal[3] = {0, 0, 0};
  normal[face] = sign;
  on[face] = sign * half[static_cast<std::size_t>(face)];
  return {{on[0], on[1], on[2]}, {normal[0], normal[1], normal[2]}, -least};
}

Nearest nearest_on_cylinder(double radius, double half, const Vector& p) {
  const double r = std::hypot(p.x, p.y);
  const Vector out = r > 0 ? Vector{p.x / r, p.y / r, 0} : Vector{1, 0, 0};
  const double side = r - radius, cap = std::abs(p.z) - half, sign = p.z < 0 ? -1 : 1;
  if (side > 0 && cap > 0) {  // beyond the rim
    const Vector point = radius * out + Vector{0, 0, sign * half}, d = p - point;
    const double distance = norm(d);
    return {point, (1 / distance) * d, distance};
  }
  if (side > cap) return {radius * out + Vector{0, 0, p.z}, out, side};
  return {{p.x, p.y, sign * half}, {0, 0, sign}, cap};
}

int sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  return add_ball(a.X.r, a.size[0], b.X.r, b.size[0], {0, 0, 1}, reach, 0, out[0]) ? 1 : 0;
}
int sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Segment s(b);
  return add_ball(a.X.r, a.size[0], s.at(s.nearest(a.X.r)), b.size[0], square_to(s.half), reach, 0, out[0]) ? 1 : 0;
}
int sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  return add_nearest(b, nearest_on_box(b.size, apply_to_point(b.X, a.X.r)), a.X.r, a.size[0], reach, 0, out);
}
int sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  return add_nearest(b, nearest_on_cylinder(b.size[0], b.size[1], apply_to_point(b.X, a.X.r)), a.X.r, a.size[0], reach,
                     0, out);
}

// The ends of each on the other, and the crossing of the two: what lies side by side touches at two points.
int capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Segment s(a), t(b);
  const Vector fallback = square_to(t.half);
  int n = 0;
  const auto add = [&](double u, double v, int feature) {
    n += add_ball(s.at(u), a.size[0], t.at(v), b.size[0], fallback, reach, feature, out[n]) ? 1 : 0;
  };
  // Crossing lines: the two parameters where the connection is square to both, kept within the segments.
  const double ss = dot(s.half, s.half), tt = dot(t.half, t.half), st = dot(s.half, t.half);
  const double square = ss * tt - st * st;
  const Vector d = t.middle - s.middle;
  if (square > 1e-4 * ss * tt) {
    double u = std::clamp((dot(s.half, d) * tt - dot(t.half, d) * st) / square, -1.0, 1.0);
    const double v = t.nearest(s.at(u));
    u = s.nearest(t.at(v));
    add(u, v, 0);
    return n;
  }
  // Side by side: the ends of the part that they share.
  for (const double end : {-1.0, 1.0}) {
    const double v = t.nearest(s.at(end)), u = s.nearest(t.at(v));
    add(u, v, end < 0 ? 1 : 2);
  }
  return n;
}

// Both ends, and the place between them that is nearest to the box, if that is nearer than the ends.
int capsule_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  constexpr int kHalvings = 60;
  const Segment s(a);
  const auto nearest = [&](double t) { return nearest_on_box(b.size, apply_to_point(b.X, s.at(t))); };
  int n = 0;
  for (const double end : {-1.0, 1.0})
    n += add_nearest(b, nearest(end), s.at(end), a.size[0], reach, end < 0 ? 0 : 1, out + n);
  // The distance to a convex shape is convex along the segment: halve towards where it falls.
  double low = -1, high = 1;
  const Vector along = apply(b.X.E, s.half);
  for (int i = 0; i < kHalvings; ++i) {
    const double t = (low + high) / 2;
    (dot(nearest(t).normal, along) > 0 ? high : low) = t;
  }
  const double t = (low + high) / 2;
  const Nearest between = nearest(t), first = nearest(-1), last = nearest(1);
  if (std::abs(t) < 1 - 1e-9 && between.depth < std::min(first.depth, last.depth) - 1e-12)
    n += add_nearest(b, between, s.at(t), a.size[0], reach, 2, out + n);
  return n;
}

}  // namespace sinew::contact
