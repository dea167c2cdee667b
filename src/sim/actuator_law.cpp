// src/sim/actuator_law.cpp
#include "sinew/sim/actuator_law.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sinew {
namespace {

constexpr double kLeast = 1e-15;  // as in MuJoCo: what is divided by is at least this

struct Curve {
  double value = 0, slope = 0;
};

// FL: half a parabola each from lmin to a, to 1, to b, to lmax, where a and b are in the middle of theirs.
Curve calc_length_factor(const MuscleSpec& m, double l) {
  if (l < m.shortest || l > m.longest) return {};
  const double a = (m.shortest + 1) / 2, b = (1 + m.longest) / 2;
  const auto rise = [](double x, double width) { return Curve{0.5 * x * x, x / width}; };
  const auto fall = [](double x, double width) { return Curve{1 - 0.5 * x * x, -x / width}; };
  const double w0 = std::max(kLeast, a - m.shortest), w1 = std::max(kLeast, 1 - a), w2 = std::max(kLeast, b - 1),
               w3 = std::max(kLeast, m.longest - b);
  if (l <= a) return rise((l - m.shortest) / w0, w0);
  if (l <= 1) return fall((1 - l) / w1, -w1);
  if (l <= b) return fall((l - 1) / w2, w2);
  return rise((m.longest - l) / w3, -w3);
}

// FV of the speed in units of the fastest.
Curve calc_speed_factor(const MuscleSpec& m, double s) {
  const double y = m.lengthening - 1;
  if (s <= -1) return {};
  if (s <= 0) return {(s + 1) * (s + 1), 2 * (s + 1)};
  if (s <= y) return {m.lengthening - (y - s) * (y - s) / std::max(kLeast, y), 2 * (y - s) / std::max(kLeast, y)};
  return {m.lengthening, 0};
}

Curve calc_passive_factor(const MuscleSpec& m, double l) {
  const double b = (1 + m.longest) / 2, width = std::max(kLeast, b - 1);
  if (l <= 1) return {};
  const double x = (l <= b ? l - 1 : l - b) / width;
  if (l <= b) return {m.passive * 0.5 * x * x, m.passive * x / width};
  return {m.passive * (0.5 + x), m.passive / width};
}

// From 0 to 1 with two continuous derivatives.
double smooth_step(double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (3 * x * (2 * x - 5) + 10);
}

double calc_muscle_time(const ActuatorSpec& a, double change, double activation) {
  const double scale = 0.5 + 1.5 * std::clamp(activation, 0.0, 1.0), width = a.time_constants[2];
  const double up = a.time_constants[0] * scale, down = a.time_constants[1] / scale;
  if (width < kLeast) return change > 0 ? up : down;
  return down + (up - down) * smooth_step(change / width + 0.5);
}

}  // namespace

ActuatorLaw make_actuator_law(const ActuatorSpec& a, double inertia, double acceleration) {
  ActuatorLaw law{a.gain, a.bias, a.muscle};
  if (a.damping_ratio > 0) law.bias[2] = -2 * a.damping_ratio * std::sqrt(std::max(0.0, a.gain[0]) * inertia);
  if (!a.muscle) return law;
  if (!a.length_range)
    throw std::invalid_argument("Simulation: actuator '" + a.name +
                                "' is a muscle without the range of its length; write lengthrange=\"shortest longest\" "
                                "(MuJoCo prints what it finds as actuator_lengthrange), or set length_range");
  const auto& [lower, upper] = *a.length_range;
  law.strength = a.muscle->force >= 0 ? a.muscle->force : a.muscle->scale / std::max(kLeast, acceleration);
  law.rest_length = std::max(kLeast, (upper - lower) / std::max(kLeast, a.muscle->range[1] - a.muscle->range[0]));
  law.start_length = lower;
  return law;
}

ActuatorForce calc_actuator_force(const ActuatorLaw& law, double input, double length, double speed) {
  if (!law.muscle) {
    const auto &g = law.gain, &b = law.bias;
    return {(g[0] + g[1] * length + g[2] * speed) * input + b[0] + b[1] * length + b[2] * speed, g[1] * input + b[1],
            g[2] * input + b[2]};
  }
  const MuscleSpec& m = *law.muscle;
  const double l = m.range[0] + (length - law.start_length) / law.rest_length;
  const double fastest = std::max(kLeast, law.rest_length * m.fastest);
  const Curve FL = calc_length_factor(m, l), FV = calc_speed_factor(m, speed / fastest), FP = calc_passive_factor(m, l);
  const double F = -law.strength;
  return {F * (FL.value * FV.value * input + FP.value), F * (FL.slope * FV.value * input + FP.slope) / law.rest_length,
          F * FL.value * FV.slope * input / fastest};
}

double clamp_control(const ActuatorSpec& a, double control) {
  return std::clamp(control, a.control_lower, a.control_upper);
}

double calc_activation_rate(const ActuatorSpec& a, double control, double activation) {
  const double u = clamp_control(a, control);
  switch (a.activation) {
    case Activation::none: return 0;
    case Activation::integrator: return u;
    case Activation::filter:
    case Activation::filter_exact: return (u - activation) / std::max(kLeast, a.time_constants[0]);
    case Activation::muscle: {
      const double change = std::clamp(u, 0.0, 1.0) - activation;
      return change / std::max(kLeast, calc_muscle_time(a, change, activation));
    }
  }
  return 0;
}

double step_activation(const ActuatorSpec& a, double control, double activation, double dt) {
  const double rate = calc_activation_rate(a, control, activation), tau = std::max(kLeast, a.time_constants[0]);
  const double change = a.activation == Activation::filter_exact ? -rate * tau * std::expm1(-dt / tau) : rate * dt;
  return std::clamp(activation + change, a.activation_lower, a.activation_upper);
}

}  // namespace sinew
