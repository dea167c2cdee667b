// src/sim/step_rest.cpp
#include "step_rest.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sinew::stepping {
namespace {

constexpr int kEnough = 3;  // steps that changed nothing: velocities half way are guessed from the last two

template <class A, class B>
bool have_same_bits(const A& a, const B& b) {
  static_assert(sizeof(*a.data()) == sizeof(*b.data()));
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0);
}
bool have_same_bits(const ContactMemory& a, const ContactMemory& b) {
  return have_same_bits(a.z, b.z) && have_same_bits(a.impulses, b.impulses) &&
         have_same_bits(a.velocities, b.velocities) && have_same_bits(a.repeated, b.repeated) &&
         have_same_bits(a.residuals, b.residuals) && have_same_bits(a.joint_ids, b.joint_ids) &&
         have_same_bits(a.joint_impulses, b.joint_impulses);
}

bool depends_on_time(const Setting& s) {
  const auto& nodes = s.model.nodes();
  return s.mechanism || std::any_of(nodes.begin() + 1, nodes.end(), [](const Node& n) {
           return n.joint.kind == JointKind::prescribed || n.joint.kind == JointKind::user;
         });
}

template <class From>
void copy(const From& from, std::vector<double>& to) {
  to.assign(from.begin(), from.end());
}

}  // namespace

Rest::Rest(const Setting& s) : possible_(s.options.sleep && !depends_on_time(s)) {
  external_.reserve(s.model.bodies().size()), control_.reserve(s.model.spec().actuators.size());
}

void Rest::reserve(const State& s, std::size_t contacts, std::size_t joint_rows, std::size_t loops) {
  if (!possible_) return;
  q_.reserve(s.q.size()), activation_.reserve(s.activation.size());
  for (auto* x : {&v_, &applied_, &tau_}) x->reserve(s.v.size());
  for (ContactMemory* m : {&memory_, &now_}) reserve_memory(*m, contacts, joint_rows, loops);
}

bool Rest::is_acted_on_alike(const Step& step) const {
  return have_same_bits(step.state.v, v_) && have_same_bits(step.state.q, q_) &&
         have_same_bits(step.state.activation, activation_) && have_same_bits(step.control, control_) &&
         have_same_bits(step.applied, applied_) && have_same_bits(step.tau, tau_) &&
         have_same_bits(step.external, external_) && step.shapes.revision() == shapes_;
}

bool Rest::is_repeated(const Step& step) const {
  return steps_ >= kEnough && !step.mocap.any() && is_acted_on_alike(step);
}

void Rest::repeat(const Step& step) const {
  step.report = report_, step.report.asleep = true;
  step.totals.problems += problems_;
}

void Rest::begin(const Step& step) {
  problems_ = step.totals.problems;
  if (!possible_ || step.mocap.any()) return;
  if (is_acted_on_alike(step)) return;
  steps_ = 0;
  copy(step.state.q, q_), copy(step.state.v, v_), copy(step.state.activation, activation_);
  copy(step.control, control_), copy(step.applied, applied_), copy(step.tau, tau_);
  external_.assign(step.external.begin(), step.external.end()), shapes_ = step.shapes.revision();
}

void Rest::end(const Step& step, const ContactSolver& solver, bool stuck) {
  problems_ = step.totals.problems - problems_;
  report_ = step.report;
  const bool same = possible_ && !step.mocap.any() && !solver.watch && !stuck && report_.collisions == 0 &&
                    have_same_bits(step.state.v, v_) && have_same_bits(step.state.q, q_) &&
                    have_same_bits(step.state.activation, activation_);
  if (!same) return forget();
  solver.get_memory(now_);
  steps_ = have_same_bits(now_, memory_) ? steps_ + 1 : 1;
  std::swap(now_, memory_);
}

}  // namespace sinew::stepping
