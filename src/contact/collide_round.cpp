// src/contact/collide_round.cpp - spheres and capsules: nearest points of segments and surfaces
#include <algorithm>
#include <cmath>

#include "contact/colliders.hpp"

namespace sinew::contact {
namespace {

struct Segment {
  Vector middle, half;
  explicit Segment(const PlacedShape& capsule) : middle(capsule.X.r), half(capsule.size[1] * axis(capsule, 2)) {}
  Vector at(double t) const { return middle + t * half; }  // -1 .. 1
  double nearest(const Vector& p) const { return std::clamp(dot(half, p - middle) / dot(half, half), -1.0, 1.0); }
};

// Any unit vector perpendicular to d.
Vector perpendicular_to(const Vector& d) {
  const Vector out = cross(d, std::abs(d.x) < std::abs(d.z) ? Vector{1, 0, 0} : Vector{0, 0, 1});
  const double length = norm(out);
  return length > 0 ? (1 / length) * out : Vector{1, 0, 0};
}

// Balls of two radii about points of a and b; `fallback` is the normal if the points coincide.
void add_balls(const Vector& p, double radius_a, const Vector& q, double radius_b, const Vector& fallback, double reach,
               std::uint32_t feature_a, std::uint32_t feature_b, Points& out) {
  const Vector d = p - q;
  const double distance = norm(d), gap = distance - (radius_a + radius_b);
  if (!(gap <= reach)) return;
  const Vector normal = distance > 0 ? (1 / distance) * d : fallback;
  out.push_back({p - (radius_a + gap / 2) * normal, normal, gap, feature_a, feature_b});
}

// Contact of sphere a at the point of b's surface nearest to its centre.
void add_sphere(const PlacedShape& a, const PlacedShape& b, const Nearest& s, double reach, Points& out) {
  const double gap = s.distance - a.size[0];
  if (!(gap <= reach)) return;
  const Vector normal = apply_inverse(b.X.E, s.normal);
  out.push_back({a.X.r - (a.size[0] + gap / 2) * normal, normal, gap, 0, 0});
}

}  // namespace

Nearest nearest_on_box(const std::array<double, 3>& half, const Vector& p) {
  const Vector out{std::abs(p.x) - half[0], std::abs(p.y) - half[1], std::abs(p.z) - half[2]};
  const auto sign = [](double x) { return std::copysign(1.0, x); };
  if (out.x > 0 || out.y > 0 || out.z > 0) {
    const Vector d{std::max(out.x, 0.0) * sign(p.x), std::max(out.y, 0.0) * sign(p.y),
                   std::max(out.z, 0.0) * sign(p.z)};
    const double distance = norm(d);
    return {(1 / distance) * d, distance};
  }
  // Out through the nearest face.
  if (out.x >= out.y && out.x >= out.z) return {{sign(p.x), 0, 0}, out.x};
  if (out.y >= out.z) return {{0, sign(p.y), 0}, out.y};
  return {{0, 0, sign(p.z)}, out.z};
}

Nearest nearest_on_cylinder(double radius, double half, const Vector& p) {
  const double r = std::hypot(p.x, p.y), side = r - radius, cap = std::abs(p.z) - half;
  const Vector out = r > 0 ? Vector{p.x / r, p.y / r, 0} : Vector{1, 0, 0}, up{0, 0, std::copysign(1.0, p.z)};
  if (side > 0 && cap > 0) {  // beyond the rim
    const Vector d = side * out + cap * up;
    const double distance = norm(d);
    return {(1 / distance) * d, distance};
  }
  if (side > cap) return {out, side};
  return {up, cap};
}

// p = x + t A^-2 x with x on the surface: the sum of (e_k p_k / (e_k^2 + t))^2 is 1 for the t wanted. It falls with t
// and is convex to the right of -e_min^2, so Newton's steps from the left never overshoot.
Nearest nearest_on_ellipsoid(const std::array<double, 3>& radii, const Vector& p) {
  const std::array<double, 3> e = radii;
  std::array<double, 3> y{std::abs(p.x), std::abs(p.y), std::abs(p.z)};
  const auto m = static_cast<std::size_t>(std::min_element(e.begin(), e.end()) - e.begin());
  y[m] = std::max(y[m], 1e-17 * e[m]);  // in the middle plane both sides are equally near: take the upper
  const auto over = [&](std::size_t k, double s) { return s + (e[k] - e[m]) * (e[k] + e[m]); };  // e_k^2 + t
  double s = e[m] * y[m];  // e_min^2 + t; start so large that no term is over 1
  for (std::size_t k = 0; k < 3; ++k) s = std::max(s, e[k] * y[k] - over(k, 0));
  for (int i = 0; i < 200; ++i) {
    double sum = -1, slope = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double w = over(k, s), q = e[k] * y[k] / w;
      sum += q * q, slope -= 2 * q * q / w;
    }
    const double next = s - sum / slope;
    if (!(next > s)) break;
    s = next;
  }
  // The normal is A^-2 x = A^2 p / (e^2 + t) / e^2.
  const double sign[] = {std::copysign(1.0, p.x), std::copysign(1.0, p.y), std::copysign(1.0, p.z)};
  double x[3], g[3];
  for (std::size_t k = 0; k < 3; ++k) g[k] = sign[k] * y[k] / over(k, s), x[k] = e[k] * e[k] * g[k];
  Vector n{g[0], g[1], g[2]};
  n = (1 / norm(n)) * n;
  return {n, dot(n, p - Vector{x[0], x[1], x[2]})};
}

void sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_balls(a.X.r, a.size[0], b.X.r, b.size[0], {0, 0, 1}, reach, 0, 0, out);
}
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Segment s(b);
  add_balls(a.X.r, a.size[0], s.at(s.nearest(a.X.r)), b.size[0], perpendicular_to(s.half), reach, 0, 0, out);
}
void sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_sphere(a, b, nearest_on_box(b.size, apply_to_point(b.X, a.X.r)), reach, out);
}
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_sphere(a, b, nearest_on_cylinder(b.size[0], b.size[1], apply_to_point(b.X, a.X.r)), reach, out);
}
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_sphere(a, b, nearest_on_ellipsoid(b.size, apply_to_point(b.X, a.X.r)), reach, out);
}

// Two points where they lie side by side, else one.
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  constexpr double kParallel = 1e-2;
  const Segment s(a), t(b);
  const double ss = dot(s.half, s.half), tt = dot(t.half, t.half), st = dot(s.half, t.half);
  const Vector across = cross(s.half, t.half), d = t.middle - s.middle;
  const double square = dot(across, across);
  Vector fallback = square > 0 ? (1 / std::sqrt(square)) * across : perpendicular_to(t.half);
  const auto add = [&](double u, double v, std::uint32_t feature_a, std::uint32_t feature_b) {
    add_balls(s.at(u), a.size[0], t.at(v), b.size[0], fallback, reach, feature_a, feature_b, out);
  };
  // The nearest points: where the connection is perpendicular to both lines, clamped to the segments.
  const double free_u = square > 0 ? (dot(s.half, d) * tt - dot(t.half, d) * st) / square : 0;
  const double v = t.nearest(s.at(std::clamp(free_u, -1.0, 1.0))), u = s.nearest(t.at(v));
  if (square > kParallel * kParallel * ss * tt) return add(u, v, edge_feature(0), edge_feature(0));
  // Side by side: the ends of the part that they share, as places on a.
  const double one = -dot(s.half, s.middle - t.at(-1)) / ss, other = -dot(s.half, s.middle - t.at(1)) / ss;
  const double low = std::max(std::min(one, other), -1.0), high = std::min(std::max(one, other), 1.0);
  if (!(low < high)) return add(u, v, edge_feature(0), edge_feature(0));
  const auto add_end = [&](double w, std::uint32_t end_of_a, std::uint32_t end_of_b) {
    const bool own = w == -1 || w == 1;
    add(w, t.nearest(s.at(w)), own ? end_of_a : edge_feature(0), own ? edge_feature(0) : end_of_b);
  };
  const std::uint32_t first = vertex_feature(0), last = vertex_feature(1);
  add_end(low, first, one < other ? first : last);
  add_end(high, last, one < other ? last : first);
  // Not quite parallel: the nearest points may lie between.
  const auto gap = [&](double x) { return norm(s.at(x) - t.at(t.nearest(s.at(x)))); };
  const double slack = 1e-13 * (std::sqrt(ss) + std::sqrt(tt) + a.size[0] + b.size[0]);
  if (norm(s.at(u) - t.at(v)) < std::min(gap(low), gap(high)) - slack) add(u, v, edge_feature(0), edge_feature(0));
}

}  // namespace sinew::contact
