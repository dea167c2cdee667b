// src/contact/cone.cpp
#include "sinew/contact/cone.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "sinew/contact/kernel/tangents.hpp"

namespace sinew {

std::array<Vec3<double>, 2> contact_tangents(const Vec3<double>& n) {
  std::array<Vec3<double>, 2> t;
  contact::calc_tangents(n, t[0], t[1]);
  return t;
}

Vec3<double> to_world(const Vec3<double>& normal, double along, double tangent_1, double tangent_2) {
  const auto [t1, t2] = contact_tangents(normal);
  return along * normal + tangent_1 * t1 + tangent_2 * t2;
}

std::vector<Vec3<double>> friction_directions(const Vec3<double>& normal, int count) {
  if (count < 4 || count % 2 != 0)
    throw std::invalid_argument("friction_directions: " + std::to_string(count) +
                                " directions; a friction pyramid takes an even number of them, at least 4");
  const auto [t1, t2] = contact_tangents(normal);
  std::vector<Vec3<double>> D;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * k / count;
    D.push_back(std::cos(angle) * t1 + std::sin(angle) * t2);  // [J14 6]
  }
  return D;
}

double least_friction(int directions) { return directions == 0 ? 1.0 : std::cos(std::numbers::pi / directions); }

std::string_view to_string(ContactMode m) {
  switch (m) {
    case ContactMode::open: return "open";
    case ContactMode::sticking: return "sticking";
    case ContactMode::sliding: return "sliding";
  }
  return "";
}

ContactState find_contact_state(const ContactPoint& c, In<double> impulse, In<double> velocity, double tolerance,
                                double preload) {
  check_size("find_contact_state", "impulse", impulse.size(), 3);
  check_size("find_contact_state", "velocity", velocity.size(), 3);
  ContactState s;
  s.normal_velocity = velocity[0];
  s.slip = std::hypot(velocity[1], velocity[2]);
  s.margin = c.friction * (impulse[0] + preload) - std::hypot(impulse[1], impulse[2]);
  if (s.slip > tolerance) {
    const auto [t1, t2] = contact_tangents(c.normal);
    s.slip_direction = (velocity[1] / s.slip) * t1 + (velocity[2] / s.slip) * t2;
  }
  if (impulse[0] + preload > tolerance)
    s.mode = s.slip > tolerance ? ContactMode::sliding : ContactMode::sticking;  // sigma > 0, sigma = 0 [J14 10c]
  return s;
}

}  // namespace sinew
