// src/io/mjcf/shapes.cpp - volumes, areas and moments of the primitives
#include <cmath>
#include <numbers>

#include "io/mjcf/inertia.hpp"

namespace sinew::mjcf {
namespace {

constexpr double kPi = std::numbers::pi;

double square(double x) { return x * x; }

double ellipsoid_area(const std::array<double, 3>& s) {
  constexpr double p = 1.6075;  // Thomsen's approximation, as in MuJoCo
  const double a = std::pow(s[0] * s[1], p), b = std::pow(s[1] * s[2], p), c = std::pow(s[2] * s[0], p);
  return 4 * kPi * std::pow((a + b + c) / 3, 1 / p);
}

}  // namespace

double shape_size(const ShapeSpec& g, bool shell) {
  const auto& s = g.size;
  switch (g.kind) {
    case ShapeKind::sphere: return shell ? 4 * kPi * square(s[0]) : 4 * kPi / 3 * s[0] * s[0] * s[0];
    case ShapeKind::capsule:
      return shell ? 4 * kPi * square(s[0]) + 4 * kPi * s[0] * s[1] : kPi * square(s[0]) * (4 * s[0] / 3 + 2 * s[1]);
    case ShapeKind::cylinder: return shell ? 2 * kPi * s[0] * (s[0] + 2 * s[1]) : 2 * kPi * square(s[0]) * s[1];
    case ShapeKind::ellipsoid: return shell ? ellipsoid_area(s) : 4 * kPi / 3 * s[0] * s[1] * s[2];
    case ShapeKind::box: return shell ? 8 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]) : 8 * s[0] * s[1] * s[2];
    default: return 0;
  }
}

std::array<double, 3> shape_moments(const ShapeSpec& g, bool shell, double m) {
  const auto& s = g.size;
  const double r = s[0], h = 2 * s[1];  // of the round ones
  switch (g.kind) {
    case ShapeKind::sphere: {
      const double i = (shell ? 2.0 / 3 : 2.0 / 5) * m * square(r);
      return {i, i, i};
    }
    case ShapeKind::capsule: {
      // Two half balls and a cylinder share the mass by their size.
      const double ends = shell ? m * 2 * r / (2 * r + h) : m * 4 * r / (4 * r + 3 * h), tube = m - ends;
      if (shell) {
        const double x = tube * (6 * square(r) + square(h)) / 12 + ends * (2 * square(r) / 3 + h * (r + h / 2) / 2);
        return {x, x, tube * square(r) + ends * 2 * square(r) / 3};
      }
      const double x = tube * (3 * square(r) + square(h)) / 12 + ends * (2 * square(r) / 5 + h * (3 * r + 2 * h) / 8);
      return {x, x, tube * square(r) / 2 + ends * 2 * square(r) / 5};
    }
    case ShapeKind::cylinder: {
      if (shell) {
        const double ends = m * r / (r + h), tube = m - ends;
        const double x = tube * (6 * square(r) + square(h)) / 12 + ends * (square(r) / 4 + square(h) / 4);
        return {x, x, tube * square(r) + ends * square(r) / 2};
      }
      const double x = m * (3 * square(r) + square(h)) / 12;
      return {x, x, m * square(r) / 2};
    }
    case ShapeKind::ellipsoid:
      if (shell) {
        // A thin layer of equal thickness, as the difference of two ellipsoids.
        const double e = 1e-6, V = s[0] * s[1] * s[2], W = (s[0] + e) * (s[1] + e) * (s[2] + e), k = m / (W - V) / 5;
        const auto moment = [&](double a, double b) {
          return k * (W * (square(a + e) + square(b + e)) - V * (square(a) + square(b)));
        };
        return {moment(s[1], s[2]), moment(s[2], s[0]), moment(s[0], s[1])};
      }
      return {m * (square(s[1]) + square(s[2])) / 5, m * (square(s[2]) + square(s[0])) / 5,
              m * (square(s[0]) + square(s[1])) / 5};
    case ShapeKind::box:
      if (shell) {
        const double x = s[0], y = s[1], z = s[2], k = m / (x * y + y * z + z * x);  // mass over faces by area
        const auto second = [&](double a, double b, double c) {                      // second moment along a
          return k * (square(a) * b * c + square(a) / 3 * (a * b + a * c));
        };
        const double xx = second(x, y, z), yy = second(y, z, x), zz = second(z, x, y);
        return {yy + zz, zz + xx, xx + yy};
      }
      return {m * (square(s[1]) + square(s[2])) / 3, m * (square(s[2]) + square(s[0])) / 3,
              m * (square(s[0]) + square(s[1])) / 3};
    default: return {};
  }
}

}  // namespace sinew::mjcf
