// src/constraint/rows/tendon_rows.cpp - the length of a tendon as a polynomial of that of another
//   L - L0 = offset + p(D - D0),   row  J_L - p' J_D,   k = p'' (dD/dt)^2 + p' (dJ_D/dt v) - dJ_L/dt v
#include "constraint/rows/constraint_entry.hpp"
#include "tree/tendon_row.hpp"

namespace sinew {

void calc_rows(const TendonRows& c, const ConstraintState& state, RowWriter out) {
  struct Reading {
    double length = 0, velocity = 0, acceleration = 0;
  };
  const KinematicsWorkspace<double>& at_q = state.motion.kinematics;
  const auto read = [&](const TendonEntry& t, std::span<Force<double>> K) {
    Reading r;
    r.length = calc_tendon_row(state.model, t, at_q, state.q, state.time, K);
    r.velocity = calc_row_velocity({t.nodes, K}, state.motion);
    r.acceleration = calc_tendon_acceleration(t, state.motion);
    return r;
  };
  const Reading dependent = read(c.dependent, {out.K, c.dependent.nodes.size()});
  *out.position = dependent.length - c.dependent_neutral - c.offset;
  *out.velocity = dependent.velocity;
  *out.k = -dependent.acceleration;
  if (c.driver.parts.empty()) return;
  const std::span<Force<double>> K{out.K + c.dependent.nodes.size(), c.driver.nodes.size()};
  const Reading driver = read(c.driver, K);
  const Polynomial p = evaluate(c.coefficients, driver.length - c.driver_neutral);
  for (Force<double>& f : K) f = -p.slope * f;
  *out.position -= p.value;
  *out.velocity -= p.slope * driver.velocity;
  *out.k += p.curvature * driver.velocity * driver.velocity + p.slope * driver.acceleration;
}

}  // namespace sinew
