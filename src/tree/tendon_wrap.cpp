// src/tree/tendon_wrap.cpp
#include "tree/tendon_wrap.hpp"

#include <algorithm>
#include <numbers>

namespace sinew::tendon {
namespace {

constexpr double kShortest = 1e-15;  // [m] as in MuJoCo: closer points have no direction

// Axes of the plane of the string: the first end is along u, the second towards v.
struct Plane {
  Vec3<double> u, v;
};
Plane find_plane(const WrapShape& s, const Vec3<double>& p0, const Vec3<double>& p1) {
  if (s.cylinder) {
    const double l = std::hypot(p0.x, p0.y), way = p0.x * p1.y - p0.y * p1.x < 0 ? -1 : 1;
    const Vec3<double> u{p0.x / l, p0.y / l, 0};
    return {u, way * Vec3<double>{-u.y, u.x, 0}};
  }
  const Vec3<double> u = (1 / norm(p0)) * p0;
  Vec3<double> n = cross(p0, p1);
  if (norm(n) < kShortest) {  // the ends and the centre are in line: any plane will do
    const Vec3<double> other = std::abs(u.x) < 0.5 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    n = cross(u, other);
  }
  return {u, cross((1 / norm(n)) * n, u)};
}

}  // namespace

double find_touch(double r, double l0, double l1, double D) {
  // The slope grows from the first end, where it is negative, to the second.
  const auto slope = [&](double phi) {
    return l0 * std::sin(phi) / std::sqrt(l0 * l0 + r * r - 2 * l0 * r * std::cos(phi)) -
           l1 * std::sin(D - phi) / std::sqrt(l1 * l1 + r * r - 2 * l1 * r * std::cos(D - phi));
  };
  double low = 0, high = D, phi = D * l1 / (l0 + l1);
  for (int round = 0; round < 100 && high - low > 1e-16 * (1 + D); ++round) {
    (slope(phi) < 0 ? low : high) = phi;
    const double next = refine_touch(phi, r, l0, l1, D);
    if (std::abs(next - phi) <= 1e-15) return next;
    phi = next > low && next < high ? next : (low + high) / 2;
  }
  return phi;
}

Wrap find_wrap(const WrapShape& s, const Vec3<double>& p0, const Vec3<double>& p1, const Vec3<double>* side) {
  const auto [l0, l1, D, climb] = measure_ends(s, p0, p1);
  const double r = s.radius;
  if (!(l0 > r && l1 > r) || r < kShortest) return Wrap::none;
  if (side && norm(*side) < r) {
    // Straight where the segment meets the circle already.
    const double across = l0 * l0 + l1 * l1 - 2 * l0 * l1 * std::cos(D), along = l0 * (l0 - l1 * std::cos(D));
    if (across < kShortest) return Wrap::none;
    const double share = std::clamp(along / across, 0.0, 1.0);
    const double x = l0 + share * (l1 * std::cos(D) - l0), y = share * l1 * std::sin(D);
    return std::hypot(x, y) <= r ? Wrap::none : Wrap::inside;
  }
  double around = D;
  if (side) {
    const auto [u, v] = find_plane(s, p0, p1);
    const double to_side = std::atan2(dot(*side, v), dot(*side, u));
    double on = D - to_side;  // from the side to the second end
    if (on > std::numbers::pi) on -= 2 * std::numbers::pi;
    if (on <= -std::numbers::pi) on += 2 * std::numbers::pi;
    around = std::abs(to_side + on);
  }
  if (around - std::acos(r / l0) - std::acos(r / l1) <= 0) return Wrap::none;
  return around > std::numbers::pi ? Wrap::longer : Wrap::shorter;
}

std::array<Vec3<double>, 2> find_touching_points(const WrapShape& s, Wrap way, const Vec3<double>& p0,
                                                 const Vec3<double>& p1) {
  const auto [l0, l1, D, climb] = measure_ends(s, p0, p1);
  const double r = s.radius;
  const Plane plane = find_plane(s, p0, p1);
  const auto at_angle = [&](double a) { return (r * std::cos(a)) * plane.u + (r * std::sin(a)) * plane.v; };
  double a0 = 0, a1 = 0, way0 = 0, way1 = 0, arc = 0;
  if (way == Wrap::inside) {
    a0 = a1 = find_touch(r, l0, l1, D);
    way0 = std::sqrt(l0 * l0 + r * r - 2 * r * l0 * std::cos(a0));
    way1 = std::sqrt(l1 * l1 + r * r - 2 * r * l1 * std::cos(D - a0));
  } else {
    const double turn = way == Wrap::longer ? -1 : 1, around = way == Wrap::longer ? 2 * std::numbers::pi - D : D;
    const double b0 = std::acos(r / l0), b1 = std::acos(r / l1);
    a0 = turn * b0, a1 = D - turn * b1;
    way0 = std::sqrt(l0 * l0 - r * r), way1 = std::sqrt(l1 * l1 - r * r), arc = r * (around - b0 - b1);
  }
  std::array<Vec3<double>, 2> out{at_angle(a0), at_angle(a1)};
  if (s.cylinder) {
    const double all = way0 + arc + way1;
    out[0].z = p0.z + climb * way0 / all, out[1].z = p0.z + climb * (way0 + arc) / all;
  }
  return out;
}

}  // namespace sinew::tendon
