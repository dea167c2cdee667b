// src/sim/fluid.cpp
#include "sinew/sim/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "sinew/model/principal_axes.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/spatial/rotate.hpp"

namespace sinew {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTiny = 1e-15;  // MuJoCo's least mass and divisor

double square(double x) { return x * x; }
double fourth(double x) { return square(square(x)); }

// Carlson's R_D(x, y, z), x + y > 0, z > 0: 3/2 times the integral of 1 / sqrt((t + x) (t + y) (t + z)^3) over t > 0.
// By duplication until the arguments are close, then a series of order five (B. C. Carlson, 1995).
double calc_carlson_rd(double x, double y, double z) {
  double sum = 0, power = 1;
  for (int i = 0; i < 60; ++i) {
    const double mean = (x + y + 3 * z) / 5;
    if (std::max({std::abs(mean - x), std::abs(mean - y), std::abs(mean - z)}) < 1e-4 * mean) break;
    const double a = std::sqrt(x), b = std::sqrt(y), c = std::sqrt(z), lambda = a * b + b * c + c * a;
    sum += power / (c * (z + lambda));
    power /= 4;
    x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4;
  }
  const double mean = (x + y + 3 * z) / 5, X = 1 - x / mean, Y = 1 - y / mean, Z = -(X + Y) / 3;
  const double E2 = X * Y - 6 * Z * Z, E3 = (3 * X * Y - 8 * Z * Z) * Z, E4 = 3 * (X * Y - Z * Z) * Z * Z,
               E5 = X * Y * Z * Z * Z;
  const double series = 1 - 3 * E2 / 14 + E3 / 6 + 9 * E2 * E2 / 88 - 3 * E4 / 22 - 9 * E2 * E3 / 52 + 3 * E5 / 26;
  return 3 * sum + power * series / (mean * std::sqrt(mean));
}

// Tuckerman's coefficient of an ellipsoid along its half axis a.
double calc_kappa(double a, double b, double c) {
  const double scale = std::cbrt(a * b * c);
  a /= scale, b /= scale, c /= scale;
  return 2.0 / 3 * a * b * c * calc_carlson_rd(b * b, c * c, a * a);
}

// Half axes of the ellipsoid that stands for a shape.
std::array<double, 3> find_half_axes(const ShapeSpec& s) {
  switch (s.kind) {
    case ShapeKind::sphere: return {s.size[0], s.size[0], s.size[0]};
    case ShapeKind::capsule: return {s.size[0], s.size[0], s.size[0] + s.size[1]};
    case ShapeKind::cylinder: return {s.size[0], s.size[0], s.size[1]};
    case ShapeKind::box:
    case ShapeKind::ellipsoid: return s.size;
    default: break;
  }
  throw std::invalid_argument("FluidForces: shape '" + s.name + "' is a " + std::string(to_string(s.kind)) +
                              ", which does not stand for an ellipsoid in a fluid; add an ellipsoid instead");
}

// Half sides of the uniform box of that mass and those principal moments.
std::array<double, 3> find_box(double mass, const Sym3<double>& I) {
  const auto half = [&](double x) { return std::sqrt(std::max(kTiny, x) / mass * 6) / 2; };
  return {half(I.yy + I.zz - I.xx), half(I.zz + I.xx - I.yy), half(I.xx + I.yy - I.zz)};
}

Force<double> calc_box_force(const std::array<double, 3>& r, const Motion<double>& v, const MediumSpec& m) {
  const double sphere = (r[0] + r[1] + r[2]) / 3;
  const auto along = [&](double a, double b, double speed) {
    return -2 * m.density * a * b * std::abs(speed) * speed - 6 * kPi * m.viscosity * sphere * speed;
  };
  const auto about = [&](double a, double b, double c, double rate) {
    return -0.5 * m.density * a * (fourth(b) + fourth(c)) * std::abs(rate) * rate -
           8 * kPi * m.viscosity * sphere * sphere * sphere * rate;
  };
  const Vec3<double>&w = v.ang, &u = v.lin;
  return {{about(r[0], r[1], r[2], w.x), about(r[1], r[2], r[0], w.y), about(r[2], r[0], r[1], w.z)},
          {along(r[1], r[2], u.x), along(r[2], r[0], u.y), along(r[0], r[1], u.z)}};
}

Vec3<double> times(const std::array<double, 3>& a, const Vec3<double>& b) {
  return {a[0] * b.x, a[1] * b.y, a[2] * b.z};
}

}  // namespace

FluidForces::FluidForces(const Model& m) : model_(m), medium_(m.spec().medium) {
  const auto bad = [](double x) { return !(x >= 0) || !std::isfinite(x); };
  if (bad(medium_.density) || bad(medium_.viscosity) || !std::isfinite(norm(medium_.wind)))
    throw std::invalid_argument("FluidForces: the medium has density " + std::to_string(medium_.density) +
                                " and viscosity " + std::to_string(medium_.viscosity) +
                                "; they must not be negative, and the wind must be finite");
  if (medium_.density == 0 && medium_.viscosity == 0) return;
  const ModelSpec& spec = m.spec();
  std::vector<bool> has_ellipsoids(m.bodies().size(), false);
  for (const ShapeSpec& s : spec.shapes) {
    if (!s.fluid_ellipsoid) continue;
    const auto body = m.find_body(s.body);
    if (!body || m.bodies()[at(*body)].node == 0) continue;
    has_ellipsoids[at(*body)] = true;
    add_part(*body, s.pose, find_half_axes(s), &s);
  }
  for (const BodySpec& b : spec.bodies) {
    const auto body = m.find_body(b.name);
    if (!body || has_ellipsoids[at(*body)] || m.bodies()[at(*body)].node == 0 || b.mass < kTiny) continue;
    const Quaternion<double> axes = b.principal_axes ? *b.principal_axes : find_principal_axes(b.inertia);
    const Rotation<double> E = to_rotation(axes);
    add_part(*body, {E, b.com}, find_box(b.mass, rotate(E, b.inertia)), nullptr);
  }
}

void FluidForces::add_part(int body, const Transform<double>& in_body, const std::array<double, 3>& half,
                           const ShapeSpec* shape) {
  const BodyEntry& b = model_.bodies()[at(body)];
  Part p{body, b, in_body, half};
  p.place.in_node = in_body * b.in_node;
  if (shape) {
    p.ellipsoid = true, p.coefficients = shape->fluid_coefficients;
    const double volume = 4.0 / 3 * kPi * half[0] * half[1] * half[2];
    std::array<double, 3> kappa{};
    for (std::size_t i = 0; i < 3; ++i) kappa[i] = calc_kappa(half[i], half[(i + 1) % 3], half[(i + 2) % 3]);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const double difference = square(half[j]) - square(half[k]), sum = square(half[j]) + square(half[k]);
      const double divisor = std::abs(2 * difference + sum * (kappa[j] - kappa[k]));
      p.added_mass[i] = volume * kappa[i] / (2 - kappa[i]);
      p.added_moment[i] =
          divisor > kTiny * sum ? volume / 5 * square(difference) * std::abs(kappa[k] - kappa[j]) / divisor : 0;
    }
  }
  parts_.push_back(p);
}

namespace {

struct Ellipsoid {
  const std::array<double, 3>& r;
  const std::array<double, 5>& c;
  const std::array<double, 3>& mass;
  const std::array<double, 3>& moment;
};

Force<double> calc_ellipsoid_force(const Ellipsoid& e, const Motion<double>& v, const MediumSpec& m) {
  const auto& r = e.r;
  const auto [blunt, slender, angular, kutta, magnus] = e.c;
  const Vec3<double>&w = v.ang, &u = v.lin;
  const double speed = norm(u), volume = 4.0 / 3 * kPi * r[0] * r[1] * r[2];
  const double longest = std::max({r[0], r[1], r[2]}), shortest = std::min({r[0], r[1], r[2]});
  const double middle = r[0] + r[1] + r[2] - longest - shortest;

  // Added mass: the momentum of the fluid that goes along.
  const Vec3<double> momentum = m.density * times(e.mass, u), spin = m.density * times(e.moment, w);
  Vec3<double> force = cross(momentum, w), torque = cross(momentum, u) + cross(spin, w);

  // Projected area across the velocity, and the normal of the section that it is the shadow of.
  const std::array<double, 3> side{r[1] * r[2], r[2] * r[0], r[0] * r[1]};
  const Vec3<double> shadow = times(side, u);
  const Vec3<double> normal = times(side, shadow);
  const double over = dot(normal, normal), under = dot(shadow, shadow);
  const double area = kPi * std::sqrt(over / std::max(kTiny, under));
  const double widest = kPi * longest * middle;

  force += magnus * m.density * volume * cross(w, u);
  const double tilt = under / std::max(kTiny, speed * over);
  force += cross(kutta * m.density * tilt * area * cross(normal, u), u);

  const double sphere = (r[0] + r[1] + r[2]) / 3;
  const double drag = 6 * kPi * m.viscosity * sphere + m.density * speed * (area * blunt + slender * (widest - area));
  force -= drag * u;
  const double most = 8.0 / 15 * kPi * middle * fourth(longest);
  std::array<double, 3> moment{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double swept = 8.0 / 15 * kPi * r[i] * fourth(std::max(r[(i + 1) % 3], r[(i + 2) % 3]));
    moment[i] = angular * swept + slender * (most - swept);
  }
  torque -= (8 * kPi * m.viscosity * sphere * sphere * sphere + m.density * norm(times(moment, w))) * w;
  return {torque, force};
}

}  // namespace

void FluidForces::add_forces(const VelocityWorkspace<double>& motion, std::vector<Force<double>>& external) const {
  const char* call = "FluidForces";
  motion.kinematics.made_for.check(call, model_, "motion");
  if (!external.empty()) check_size(call, "external", external.size(), model_.bodies().size());
  if (!any()) return;
  external.resize(model_.bodies().size());
  for (const Part& p : parts_) {
    const Rotation<double> E = p.place.in_node.E * motion.kinematics.X[at(p.place.node)].E;
    Motion<double> v = get_velocity(motion, p.place, ReferenceFrame::body);
    v.lin = v.lin - apply(E, medium_.wind);
    const Force<double> f =
        p.ellipsoid ? calc_ellipsoid_force({p.half, p.coefficients, p.added_mass, p.added_moment}, v, medium_)
                    : calc_box_force(p.half, v, medium_);
    external[at(p.body)] += apply_inverse(p.in_body, f);
  }
}

}  // namespace sinew
