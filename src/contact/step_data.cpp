// src/contact/step_data.cpp
#include "step_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/rows.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::contact {

StepData::StepData(const Model& m, const ConstraintSet& s)
    : model(m), nq(at(m.nq())), nv(at(m.nv())), set(s), rows(m, s), loop_error(at(s.rows())), tau(nv), rnea(m), f(nv) {}
StepData::StepData(Mechanism& m, const ConstraintSet& none)
    : mechanism(&m),
      model(m.view()),
      nq(m.count_positions()),
      nv(m.count_velocities()),
      set(none),
      rows(model, none),
      rnea(model),
      f(nv) {}

void read_step(StepData& d, const ContactStep& step, bool full) {
  const char* call = "ContactSolver";
  check_size(call, "q", step.q.size(), d.nq);
  check_size(call, "v", step.v.size(), d.nv);
  if (step.dt != 0) check_size(call, "tau", step.tau.size(), d.nv);
  if (!(step.dt >= 0) || !std::isfinite(step.dt))
    throw std::invalid_argument("ContactSolver: dt is " + std::to_string(step.dt) +
                                "; a step needs a finite dt above 0, a collision exactly 0");
  if (!(step.feedback >= 0 && step.feedback <= 1))
    throw std::invalid_argument("ContactSolver: feedback is " + std::to_string(step.feedback) +
                                "; it is the share of the position error that a step removes and must be 0 to 1");
  const std::size_t count = step.contacts.size();
  if (step.external.size() != 0) check_size(call, "external", step.external.size(), d.joint_model().bodies().size());
  if (step.turning.size() != 0) check_size(call, "turning", step.turning.size(), d.nv);
  if (step.middle.size() != 0) check_size(call, "middle", step.middle.size(), d.nv);
  if (step.expected.size() != 0) check_size(call, "expected", step.expected.size(), d.nv);
  if (step.bias.size() != 0) check_size(call, "bias", step.bias.size(), count);
  if (step.preload.size() != 0) check_size(call, "preload", step.preload.size(), count);
  if (step.impulse.size() != 0) check_size(call, "impulse", step.impulse.size(), 3 * count);
  if (step.motion) step.motion->kinematics.made_for.check(call, d.model, "motion");
  if (step.same_place) {
    check_size(call, "contacts of the same place", count, d.contacts.size());
    check_size(call, "joint rows of the same place", step.joints.size(), d.joints.size());
  }
  check_contacts(call, d.model, step.contacts);
  check_joint_rows(call, d.joint_model(), step.joints, &d.model);

  d.step = &step, d.contacts = step.contacts, d.joints = step.joints;
  const bool needs_rows = full || d.set.rows() > 0;
  d.motion = needs_rows || !step.motion ? &d.rows.motion : step.motion;
  if (needs_rows)
    calc_constraint_rows(d.model, d.set, d.rows, step.q, step.v, step.time);
  else if (!step.motion && d.mechanism)
    d.mechanism->calc_motion(step.q, step.v, step.time, d.rows.motion);
  else if (!step.motion)
    calc_velocities(d.model, d.rows.motion, step.q, step.v, step.time);
  const double rate = step.dt > 0 ? step.feedback / step.dt : 0;
  for (std::size_t r = 0; r < d.loop_error.size(); ++r)
    d.loop_error[r] = d.rows.velocity[r] + rate * d.rows.position[r];  // [J14 29]
  const lcp::RowLayout layout = d.pushing().layout();
  d.approach.assign(at(layout.rows()), 0.0);
  if (d.mechanism)
    calc_contact_velocities(step.contacts, *d.motion, {d.approach.data() + layout.first_contact(), 3 * count});
  else
    calc_step_velocities(d.pushing(), *d.motion, d.approach);
  for (std::size_t r = 0; r < d.joints.size(); ++r) d.approach[r] += d.joints[r].bias;
  d.bias.assign(step.bias.begin(), step.bias.end());
  for (std::size_t c = 0; c < d.bias.size(); ++c) d.approach[layout.row_of_contact(c)] += d.bias[c];
}

void calc_force_impulse(StepData& d) {
  const ContactStep& s = *d.step;
  if (s.dt == 0) return std::fill(d.f.begin(), d.f.end(), 0.0);  // an instant: forces do nothing [J14 54]
  const Surroundings<double> surroundings{s.external, s.time};
  if (s.turning.size() == 0) {
    calc_bias(d.model, d.rnea, s.q, inertial_velocity(s), d.f, surroundings);
  } else {
    for (std::size_t i = 0; i < d.tau.size(); ++i) d.tau[i] = -s.turning[i];
    rnea<double>(d.model, d.rnea, s.q, inertial_velocity(s), d.tau, d.f, surroundings);  // C - M turning
  }
  for (std::size_t i = 0; i < d.f.size(); ++i) d.f[i] = s.dt * (s.tau[i] - d.f[i]);  // (T - C) dt [J14 33]
}

void calc_joint_forces(StepData& d) {
  const ContactStep& s = *d.step;
  std::fill(d.tau.begin(), d.tau.end(), 0.0);
  if (s.dt == 0) return;
  if (s.turning.size() != 0) multiply_by_mass<double>(d.model, d.rnea, s.q, s.turning, d.tau, s.time);
  for (std::size_t i = 0; i < d.tau.size(); ++i) d.tau[i] += s.tau[i];
  if (s.middle.size() != 0) {  // the bodies' own forces are those at v
    calc_bias(d.model, d.rnea, s.q, s.v, d.f, {{}, s.time});
    for (std::size_t i = 0; i < d.tau.size(); ++i) d.tau[i] += d.f[i];
    calc_bias(d.model, d.rnea, s.q, s.middle, d.f, {{}, s.time});
    for (std::size_t i = 0; i < d.tau.size(); ++i) d.tau[i] -= d.f[i];
  }
  for (const Node& n : d.model.nodes()) {
    const double* A = d.model.armature().data() + n.v;
    if (!has_armature_bias(n.joint.kind, A)) continue;
    double b[kMaxJointDofs];
    calc_armature_bias(n.joint.kind, A, s.v, n.v, b);
    for (int k = 0; k < n.nv; ++k) d.tau[n.v + k] -= b[k];
  }
}

void ProblemData::resize(const lcp::RowLayout& rows_of) {
  layout = rows_of;
  const auto n = at(layout.rows());
  if (!without_matrix) W.resize(n * n);
  q.resize(n);
}

void ProblemData::reserve(const lcp::RowLayout& most) {
  const auto n = at(most.rows());
  W.reserve(n * n), rows.reserve(n), q.reserve(n);
  for (auto* x : {&mu, &preload}) x->reserve(at(most.contacts));
  for (auto* x : {&lower, &upper}) x->reserve(at(most.unilateral));
}

void ProblemData::fill(const StepData& d) {
  soft = false;
  // Where in the step the joint rows and the contacts of this problem are.
  if (without_matrix) return fill_sparse(d);
  const In<double> preloads = d.step->preload;
  const lcp::RowLayout step = d.layout();
  const int joints = rows.empty() ? step.unilateral : layout.unilateral;
  mu.clear(), preload.clear(), lower.clear(), upper.clear();
  for (int c = 0; c < layout.contacts; ++c) {
    const int k = rows.empty() ? c : step.contact_of(rows[layout.row_of_contact(c)]);
    mu.push_back(d.contacts[k].friction);
    if (preloads.size() != 0) preload.push_back(preloads[k]);
  }
  if (joints == 0) return;
  lower.assign(at(layout.unilateral - joints), 0.0);
  upper.assign(lower.size(), std::numeric_limits<double>::infinity());
  for (int j = 0; j < joints; ++j) {
    const JointRow& r = d.joints[rows.empty() ? j : rows[layout.first_unilateral() + j] - step.first_unilateral()];
    lower.push_back(r.lower), upper.push_back(r.upper), soft = soft || r.softness > 0;
    if (r.softness > 0)
      W[at(layout.first_unilateral() + layout.unilateral - joints + j) * (q.size() + 1)] += r.softness;
  }
}

// Laws of the rows, and q, which assemble has left in `q`.
void ProblemData::fill_sparse(const StepData& d) {
  const In<double> preloads = d.step->preload;
  const lcp::RowLayout step = d.layout();
  for (int c = 0; c < layout.contacts; ++c) {
    const int k = step.contact_of(rows[at(layout.row_of_contact(c))]);
    sparse.mu[at(c)] = d.contacts[at(k)].friction;
    if (preloads.size() != 0) sparse.preload[at(c)] = preloads[at(k)];
  }
  for (int j = 0; j < layout.unilateral; ++j) {
    const JointRow& r = d.joints[at(rows[at(layout.first_unilateral() + j)] - step.first_unilateral())];
    sparse.lower[at(j)] = r.lower, sparse.upper[at(j)] = r.upper, soft = soft || r.softness > 0;
  }
}

void clear_immovable_rows(ProblemData& p) {
  const std::size_t n = p.q.size();
  double most = 0;
  for (std::size_t r = 0; r < n; ++r) most = std::max(most, p.W[r * (n + 1)]);
  for (std::size_t r = at(p.layout.first_contact()); r < n; ++r) {
    if (p.W[r * (n + 1)] > linear::kCancelled * most) continue;
    for (std::size_t c = 0; c < n; ++c) p.W[r * n + c] = p.W[c * n + r] = 0;
    p.q[r] = 0;
  }
}

ProblemData& Islands::single(const lcp::RowLayout& layout) {
  if (problems.empty()) problems.resize(1);
  count = 1;
  problems[0].without_matrix = false;
  problems[0].resize(layout);
  problems[0].rows.clear();
  unknowns = problems[0].q.size();
  return problems[0];
}

void ProblemData::calc_velocity(const std::vector<double>& z, std::vector<double>& w) {
  w.resize(z.size());
  if (without_matrix) {
    const In<double> found = sparse.calc_velocity(z);
    std::copy(found.begin(), found.end(), w.begin());
    pushed.assign(sparse.motion().begin(), sparse.motion().end());
    pushed_terms.resize(pushed.size());
    sparse.calc_motion_terms(z, pushed_terms);
    return;
  }
  for (std::size_t r = 0; r < z.size(); ++r)
    w[r] = q[r] + linear::dot(W.data() + r * q.size(), z.data(), static_cast<int>(z.size()));
}

lcp::FrictionProblem ProblemData::view() {
  if (without_matrix) {
    W.resize(q.size() * q.size());
    sparse.calc_matrix(matrix());
    const auto& p = sparse;
    return {{W.data(), q.size(), q.size()}, p.q, p.mu, p.preload, p.free, p.unilateral, p.lower, p.upper};
  }
  return {{W.data(), q.size(), q.size()}, q, mu, preload, layout.free, layout.unilateral, lower, upper};
}

}  // namespace sinew::contact
