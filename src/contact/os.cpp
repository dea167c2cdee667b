// src/contact/os.cpp - the operational space form: loop impulses and contacts [J14 42-53]
// W of all rows at once by PV-OSIMr, O(n + m^2); the free velocity and the answer by one sweep each, O(n).
#include <algorithm>

#include "contact_structures.hpp"
#include "sinew/tree/aba.hpp"
#include "step_data.hpp"

namespace sinew::contact {
namespace {

class Os : public Method {
 public:
  Os(const Model& m, const ConstraintSet& set)
      : structures_(m, set.problem().entries(), set.rows(), 3), aba_(m), x_(at(m.nv())) {}
  bool needs_axes() const override { return false; }
  void assemble(StepData&, ProblemData&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  ContactStructures structures_;
  const ContactStructure* assembled_ = nullptr;  // whose W the problem holds
  AbaWorkspace<double> aba_;
  std::vector<double> x_;  // (nv) change of velocity
};

void Os::assemble(StepData& d, ProblemData& out) {
  const ContactStep& step = *d.step;
  ContactStructure& s = structures_.find(d.pushing());
  const int loops = d.set.rows(), joints = static_cast<int>(d.joints.size());
  out.resize(loops, joints, static_cast<int>(d.contacts.size()));
  if (out.q.empty()) {  // nothing to hold, nothing to touch
    std::fill(x_.begin(), x_.end(), 0.0);
    if (step.dt == 0) return;
    aba(d.model, aba_, step.q, step.v, step.tau, x_, {step.external, step.time});
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_[i] = step.dt * (step.turning.size() == 0 ? x_[i] : x_[i] + step.turning[i]);
    return;
  }

  // W = [Q_b; Q_u] Lambda [Q_b; Q_u]^T [J14 49, 50]
  std::copy(d.rows.K.begin(), d.rows.K.end(), s.K.begin());
  calc_step_forces(d.pushing(), d.motion->kinematics, s.K.data() + d.rows.K.size());
  if (!step.same_place || assembled_ != &s) delassus::pv(d.model, s.pv.pv, step.q, s.K, out.matrix(), step.time);
  assembled_ = &s;

  // Velocities of the rows if only forces and given impulses act: v- + alpha_f dt [J14 44, 51, 52]
  calc_force_impulse(d);
  std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  std::copy(step.impulse.begin(), step.impulse.end(), s.lambda.begin() + loops + joints);
  calc_response(d.model, s.pv, step.q, d.f, s.K, s.lambda, x_);
  std::copy(d.loop_error.begin(), d.loop_error.end(), out.q.begin());
  std::copy(d.approach.begin(), d.approach.end(), out.q.begin() + loops);
  const auto entries = s.pv.pv.problem.entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (entries[e].node != 0) out.q[at(entries[e].row)] += dot(s.K[e], s.pv.accelerations[at(entries[e].node)]);
}

void Os::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const ContactStep& step = *d.step;
  ContactStructure& s = structures_.last();
  std::copy_n(z.data(), out.loops.size(), out.loops.data());
  std::copy(z.begin(), z.end(), s.lambda.begin());
  const std::size_t first = out.loops.size() + d.joints.size();
  for (std::size_t i = 0; i < step.impulse.size(); ++i) s.lambda[first + i] += step.impulse[i];
  // Where nothing pushes, the free velocity is the answer.
  if (std::any_of(z.begin(), z.end(), [](double x) { return x != 0; }))
    calc_response(d.model, s.pv, step.q, d.f, s.K, s.lambda, x_);  // [J14 33]
  for (std::size_t i = 0; i < x_.size(); ++i) out.v[i] = step.v[i] + x_[i];
}

}  // namespace

std::unique_ptr<Method> make_os(const Model& m, const ConstraintSet& set) { return std::make_unique<Os>(m, set); }

}  // namespace sinew::contact
