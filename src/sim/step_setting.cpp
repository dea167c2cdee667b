// src/sim/step_setting.cpp
#include "step_setting.hpp"

#include <algorithm>

#include "sinew/contact/contact_rows.hpp"

namespace sinew::stepping {

void Setting::calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& of_view) const {
  if (mechanism)
    mechanism->calc_motion(q, v, time, of_view);
  else
    calc_velocities(model, of_view, q, v, time);
}

void Step::note(const lcp::Certificate& c, const ContactCosts& costs) const {
  report.residual = std::max(report.residual, c.residual);
  report.unsolved += c.status != lcp::Status::solved && c.status != lcp::Status::close;
  report.out_of_time += c.status == lcp::Status::out_of_time;
  report.wedged += c.status == lcp::Status::ray;
  report.close += c.status == lcp::Status::close;
  report.iterations += c.iterations;
  note(costs);
}
void Step::note(const ContactCosts& costs) const {
  ++totals.problems;
  totals.largest_size = std::max(totals.largest_size, costs.size);
  totals.assembly += costs.assembly, totals.solution += costs.solution, totals.recovery += costs.recovery;
}

void reserve_memory(ContactMemory& m, std::size_t contacts, std::size_t joint_rows, std::size_t loops) {
  m.z.reserve(3 * contacts + joint_rows + loops), m.met.reserve(contacts);
  for (auto* x : {&m.impulses, &m.velocities, &m.repeated, &m.residuals}) x->reserve(3 * contacts);
  m.joint_ids.reserve(joint_rows), m.joint_impulses.reserve(joint_rows);
}

Force<double> calc_world_impulse(std::span<const ContactPoint> contacts, In<double> impulses) {
  Force<double> sum{};
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].node_a != 0 && contacts[c].node_b != 0) continue;
    const double* p = impulses.data() + 3 * c;
    const Vec3<double> on_a = to_world(contacts[c].normal, p[0], p[1], p[2]);
    const double sign = contacts[c].node_b == 0 ? 1 : -1;
    const Vec3<double> impulse = sign * on_a, friction = impulse - (sign * p[0]) * contacts[c].normal;
    const Vec3<double> moment = cross(contacts[c].point, impulse) + cross(contacts[c].friction_offset, friction);
    sum += Force<double>{moment, impulse};
  }
  return sum;
}

}  // namespace sinew::stepping
