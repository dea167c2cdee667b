// src/contact/collide_round.cpp - spheres and capsules: nearest points of segments and surfaces
#include <algorithm>
#include <cmath>

#include "contact/colliders.hpp"

namespace sinew::contact {
namespace {

// Contact of sphere a at the point of b's surface nearest to its centre.
void add_sphere(const PlacedShape& a, const PlacedShape& b, const Nearest& s, double reach, Points& out) {
  const double gap = s.distance - a.size[0];
  if (!(gap <= reach)) return;
  const Vector normal = apply_inverse(b.X.E, s.normal);
  out.push_back({a.X.r - (a.size[0] + gap / 2) * normal, normal, gap, 0, 0});
}

}  // namespace

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
  sphere_on_sphere(sized(a), sized(b), reach, add_to(out));
}
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_capsule(sized(a), sized(b), reach, add_to(out));
}
void sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_box(sized(a), sized(b), reach, add_to(out));
}
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  capsule_on_capsule(sized(a), sized(b), reach, add_to(out));
}
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_sphere(a, b, nearest_on_cylinder(b.size[0], b.size[1], apply_to_point(b.X, a.X.r)), reach, out);
}
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  add_sphere(a, b, nearest_on_ellipsoid(b.size, apply_to_point(b.X, a.X.r)), reach, out);
}

}  // namespace sinew::contact
