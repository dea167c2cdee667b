// src/tree/tendon_wrap.hpp - the shortest string between two points around a sphere or an endless cylinder
// In the frame of the shape. The string lies in a plane: that of the two points and the centre of a sphere, or that
// across the axis of a cylinder, along which it climbs evenly. In the plane the ends have distances l0 and l1 and the
// angle D between them. With touching points at the angles acos(r / l) from the ends
//   length = sqrt(l0^2 - r^2) + sqrt(l1^2 - r^2) + r (D - acos(r / l0) - acos(r / l1))
// and the string is straight where the last bracket is not positive. On the long way around D becomes 2 pi - D.
// Inside, the string touches at one point, where it is reflected: at the angle phi from the first end that makes
//   length = sqrt(l0^2 + r^2 - 2 l0 r cos phi) + sqrt(l1^2 + r^2 - 2 l1 r cos(D - phi))
// least.
#pragma once
#include <array>
#include <cmath>
#include <numbers>

#include "sinew/spatial/vec3.hpp"

namespace sinew::tendon {

// A number and its first two derivatives by time.
struct Jet {
  double x = 0, d = 0, dd = 0;
  Jet() = default;
  explicit Jet(double value, double first = 0, double second = 0) : x(value), d(first), dd(second) {}
};
inline Jet operator+(const Jet& a, const Jet& b) { return Jet{a.x + b.x, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return Jet{a.x - b.x, a.d - b.d, a.dd - b.dd}; }
inline Jet operator-(const Jet& a) { return Jet{-a.x, -a.d, -a.dd}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return Jet{a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2 * a.d * b.d + a.x * b.dd};
}
// f(a) from f, f' and f'' at the value.
inline Jet chain(const Jet& a, double f, double f1, double f2) { return Jet{f, f1 * a.d, f1 * a.dd + f2 * a.d * a.d}; }
inline Jet operator/(const Jet& a, const Jet& b) {
  const double i = 1 / b.x;
  return a * chain(b, i, -i * i, 2 * i * i * i);
}
inline Jet sqrt(const Jet& a) {
  if (a.x == 0) return Jet{};  // points that coincide: no direction
  const double r = std::sqrt(a.x);
  return chain(a, r, 1 / (2 * r), -1 / (4 * r * a.x));
}
inline Jet sin(const Jet& a) { return chain(a, std::sin(a.x), std::cos(a.x), -std::sin(a.x)); }
inline Jet cos(const Jet& a) { return chain(a, std::cos(a.x), -std::sin(a.x), -std::cos(a.x)); }
inline Jet atan2(const Jet& y, const Jet& x) {
  const double rho = x.x * x.x + y.x * y.x, turn = x.x * y.d - y.x * x.d;
  const double turn1 = x.x * y.dd - y.x * x.dd, rho1 = 2 * (x.x * x.d + y.x * y.d);
  return Jet{std::atan2(y.x, x.x), turn / rho, (turn1 - turn * rho1 / rho) / rho};
}
inline double value_of(double a) { return a; }
inline double value_of(const Jet& a) { return a.x; }

struct WrapShape {
  double radius = 0;
  bool cylinder = false;
};
enum class Wrap { none, shorter, longer, inside };

// Distances and angle of the ends in the plane of the string.
template <class T>
struct PlaneOfEnds {
  T l0, l1, D;  // D: 0 .. pi
  T climb;      // along the cylinder's axis
};
template <class T>
PlaneOfEnds<T> measure_ends(const WrapShape& s, const Vec3<T>& p0, const Vec3<T>& p1) {
  using std::sqrt, std::atan2;
  if (!s.cylinder) return {norm(p0), norm(p1), atan2(norm(cross(p0, p1)), dot(p0, p1)), T(0.0)};
  T turned = p0.x * p1.y - p0.y * p1.x;
  if (std::signbit(value_of(turned))) turned = -turned;  // -0 too: atan2 would be -pi
  return {sqrt(p0.x * p0.x + p0.y * p0.y), sqrt(p1.x * p1.x + p1.y * p1.y), atan2(turned, p0.x * p1.x + p0.y * p1.y),
          p1.z - p0.z};
}

// How the string goes. side: null, or a point on its side.
Wrap find_wrap(const WrapShape&, const Vec3<double>& p0, const Vec3<double>& p1, const Vec3<double>* side);

// phi of the inside way, by Newton's method from a value: two rounds give two more derivatives.
double find_touch(double r, double l0, double l1, double D);
template <class T>
T refine_touch(const T& phi, double r, const T& l0, const T& l1, const T& D) {
  using std::sqrt, std::sin, std::cos;
  const auto side = [&](const T& l, const T& a, T& slope, T& curvature) {
    const T way = sqrt(l * l + T(r * r) - T(2 * r) * l * cos(a)), lever = T(r) * l * sin(a) / way;
    slope = lever, curvature = (T(r) * l * cos(a) - lever * lever) / way;
  };
  T f0, f1, g0, g1;
  side(l0, phi, f0, g0), side(l1, D - phi, f1, g1);
  return phi - (f0 - f1) / (g0 + g1);
}

// Length of the string. Not for Wrap::none.
template <class T>
T calc_wrapped_length(const WrapShape& s, Wrap way, const Vec3<T>& p0, const Vec3<T>& p1) {
  using std::sqrt, std::atan2, std::cos;
  const auto [l0, l1, D, climb] = measure_ends(s, p0, p1);
  const T r(s.radius);
  T flat;
  if (way == Wrap::inside) {
    T phi(find_touch(s.radius, value_of(l0), value_of(l1), value_of(D)));
    for (int round = 0; round < 2; ++round) phi = refine_touch(phi, s.radius, l0, l1, D);
    flat = sqrt(l0 * l0 + r * r - T(2.0) * r * l0 * cos(phi)) + sqrt(l1 * l1 + r * r - T(2.0) * r * l1 * cos(D - phi));
  } else {
    const T s0 = sqrt(l0 * l0 - r * r), s1 = sqrt(l1 * l1 - r * r);
    const T around = way == Wrap::longer ? T(2 * std::numbers::pi) - D : D;
    flat = s0 + s1 + r * (around - atan2(s0, r) - atan2(s1, r));
  }
  return s.cylinder ? sqrt(flat * flat + climb * climb) : flat;
}

// Where the string touches first and last.
std::array<Vec3<double>, 2> find_touching_points(const WrapShape&, Wrap, const Vec3<double>& p0,
                                                 const Vec3<double>& p1);

}  // namespace sinew::tendon
