// src/sim/step_grips.cpp
#include "step_grips.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::stepping {
namespace {

// On the cone, or without force.
bool slides(const ContactPoint& c, const double* p) {
  constexpr double kOnCone = 1 - 1e-6;
  return c.friction > 0 && (p[0] <= 0 || std::hypot(p[1], p[2]) >= kOnCone * c.friction * p[0]);
}
bool is_same_side(const ContactPoint& a, const ContactPoint& b) {
  constexpr double kParallel = 1 - 1e-6;
  return a.node_a == b.node_a && a.node_b == b.node_b && dot(a.normal, b.normal) > kParallel;
}
// Whether two sides press on the same node from opposite directions.
bool squeeze(const ContactPoint& a, const ContactPoint& b) {
  constexpr double kOpposite = -0.99;
  const double along = dot(a.normal, b.normal);
  const auto same = [](int m, int n) { return m != 0 && m == n; };
  if (same(a.node_a, b.node_a) || same(a.node_b, b.node_b)) return along < kOpposite;
  return (same(a.node_a, b.node_b) || same(a.node_b, b.node_a)) && along > -kOpposite;
}

}  // namespace

Grips::Grips(const Model& view) {
  for (const Node& n : view.nodes()) is_free_body_.push_back(n.parent == 0 && n.joint.kind == JointKind::free);
  for (const Node& n : view.nodes())
    if (n.parent > 0) is_free_body_[at(n.parent)] = false;
}

void Grips::reserve(std::size_t contacts, std::size_t joint_rows, std::size_t loops) {
  sides_.reserve(contacts), pressed_.reserve(2 * contacts);
  reserve_memory(memory_, contacts, joint_rows, loops);
}

void Grips::even_out(std::span<const ContactPoint> contacts, In<double> impulses, ContactSolver& solver) {
  if (impulses.size() != 3 * contacts.size()) return;
  sides_.clear();
  for (std::size_t c = 0, end = 0; c < contacts.size(); c = end) {
    bool sliding = true;
    double force = 0;
    for (end = c; end < contacts.size() && is_same_side(contacts[c], contacts[end]); ++end) {
      sliding = sliding && slides(contacts[end], impulses.data() + 3 * end);
      force += impulses[3 * end];
    }
    if (sliding && force > 0 && end - c > 1) sides_.push_back({c, end});
  }
  // Sides by the nodes that pads press on: only those of the same node can squeeze it.
  pressed_.clear();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const ContactPoint& c = contacts[sides_[i].begin];
    for (const auto& [node, pad] : {std::pair{c.node_a, c.node_b}, std::pair{c.node_b, c.node_a}})
      if (node != 0 && !is_free_body_[at(pad)]) pressed_.emplace_back(node, i);
  }
  std::sort(pressed_.begin(), pressed_.end());
  bool any = false;
  for (std::size_t i = 0; i < pressed_.size(); ++i)
    for (std::size_t j = i + 1; j < pressed_.size() && pressed_[j].first == pressed_[i].first; ++j) {
      Side &a = sides_[pressed_[i].second], &b = sides_[pressed_[j].second];
      if (squeeze(contacts[a.begin], contacts[b.begin])) any = a.gripped = b.gripped = true;
    }
  if (!any) return;

  constexpr double kShare = 0.1;  // of the difference from equal shares, in one step
  solver.get_memory(memory_);
  if (memory_.impulses.size() != impulses.size()) return;
  double* const z = memory_.z.data() + memory_.z.size() - impulses.size();
  for (const Side& s : sides_) {
    if (!s.gripped) continue;
    double mean[3] = {};
    const double count = static_cast<double>(s.end - s.begin);
    for (std::size_t c = s.begin; c < s.end; ++c)
      for (std::size_t k = 0; k < 3; ++k) mean[k] += memory_.impulses[3 * c + k] / count;
    for (std::size_t c = s.begin; c < s.end; ++c) {
      double* p = memory_.impulses.data() + 3 * c;
      const double before = p[0], after = (1 - kShare) * before + kShare * mean[0];
      for (std::size_t k = 1; k < 3; ++k) p[k] = before > 0 ? p[k] * (after / before) : mean[k] * (after / mean[0]);
      p[0] = after;
      for (std::size_t k = 0; k < 3; ++k) z[3 * c + k] = p[k];
    }
  }
  solver.set_memory(memory_);
}

}  // namespace sinew::stepping
