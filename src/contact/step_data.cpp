// src/contact/step_data.cpp
#include "step_data.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::contact {

StepData::StepData(const Model& m, const ConstraintSet& s)
    : model(m), set(s), rows(m, s), loop_error(at(s.rows())), rnea(m), f(at(m.nv())) {}

void read_step(StepData& d, const ContactStep& step, bool full) {
  const char* call = "ContactSolver";
  check_size(call, "q", step.q.size(), at(d.model.nq()));
  check_size(call, "v", step.v.size(), at(d.model.nv()));
  if (step.dt != 0) check_size(call, "tau", step.tau.size(), at(d.model.nv()));
  if (!(step.dt >= 0) || !std::isfinite(step.dt))
    throw std::invalid_argument("ContactSolver: dt is " + std::to_string(step.dt) +
                                "; a step is longer than 0, a collision takes exactly 0");
  if (!(step.feedback >= 0 && step.feedback <= 1))
    throw std::invalid_argument("ContactSolver: feedback is " + std::to_string(step.feedback) +
                                "; it is the part of the position error that a step takes out, 0 to 1");
  const std::size_t count = step.contacts.size();
  if (step.bias.size() != 0) check_size(call, "bias", step.bias.size(), count);
  if (step.preload.size() != 0) check_size(call, "preload", step.preload.size(), count);
  if (step.impulse.size() != 0) check_size(call, "impulse", step.impulse.size(), 3 * count);
  check_contacts(call, d.model, step.contacts);

  d.step = &step, d.contacts = step.contacts;
  if (full || d.set.rows() > 0)
    calc_constraint_rows(d.model, d.set, d.rows, step.q, step.v, step.time);
  else
    calc_velocities(d.model, d.rows.motion, step.q, step.v, step.time);
  const double rate = step.dt > 0 ? step.feedback / step.dt : 0;
  for (std::size_t r = 0; r < d.loop_error.size(); ++r)
    d.loop_error[r] = d.rows.velocity[r] + rate * d.rows.position[r];  // [J14 29]
  d.approach.resize(3 * count);
  calc_contact_velocities(d.contacts, d.rows.motion, d.approach);
  for (std::size_t c = 0; c < step.bias.size(); ++c) d.approach[3 * c] += step.bias[c];
}

void calc_force_impulse(StepData& d) {
  const ContactStep& s = *d.step;
  if (s.dt == 0) return std::fill(d.f.begin(), d.f.end(), 0.0);  // an instant: forces do nothing [J14 54]
  Surroundings<double> surroundings;
  surroundings.time = s.time;
  calc_bias(d.model, d.rnea, s.q, s.v, d.f, surroundings);
  for (std::size_t i = 0; i < d.f.size(); ++i) d.f[i] = s.dt * (s.tau[i] - d.f[i]);  // (T - C) dt [J14 33]
}

void ProblemData::resize(int free_rows, int unilateral_rows, int contacts) {
  free = free_rows, unilateral = unilateral_rows;
  const auto n = at(free_rows + unilateral_rows + 3 * contacts);
  W.resize(n * n);
  q.resize(n);
}

void ProblemData::fill(std::span<const ContactPoint> contacts, In<double> preload_or_none) {
  mu.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) mu[c] = contacts[c].friction;
  preload.assign(preload_or_none.begin(), preload_or_none.end());
}

lcp::FrictionProblem ProblemData::view() const {
  return {{W.data(), q.size(), q.size()}, q, mu, preload, free, unilateral};
}

}  // namespace sinew::contact
