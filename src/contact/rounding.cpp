// src/contact/rounding.cpp
#include "rounding.hpp"

#include <algorithm>

#include "constants.hpp"
#include "tree/columns.hpp"

namespace sinew::contact {

// With what gravity adds to it within the step.
void Rounding::find_energies(const StepData& d) {
  if (known_) return;
  known_ = true;
  const auto& nodes = d.model.nodes();
  const auto& X = d.motion->kinematics.X;
  const double fall = norm(d.model.gravity()) * d.step->dt;
  energy_.assign(nodes.size(), 0.0);
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const Motion<double> v = in_node_axes(d.motion->v[i], X[i]);
    energy_[i] += dot(nodes[i].inertia * v, v) + nodes[i].inertia.m * fall * fall;
    if (nodes[i].parent > 0) energy_[at(nodes[i].parent)] += energy_[i];
  }
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].parent > 0) energy_[i] = energy_[at(nodes[i].parent)];
}

// Of the tree with the most, of those that rows of joints and contacts act on.
double Rounding::find_energy(const StepData& d, const ProblemData& island) const {
  const lcp::RowLayout step = d.layout();
  double most = 0;
  const auto add = [&](int node) { most = std::max(most, energy_[at(node)]); };
  const int count = island.layout.rows(), begun = island.rows.empty() ? count - d.pushing().layout().rows() : 0;
  for (int r = begun; r < count; ++r) {
    const int row = island.rows.empty() ? r - begun + step.free : island.rows[at(r)];
    const lcp::RowBlock block = step.block_of(row);
    if (block == lcp::RowBlock::contacts) {
      const ContactPoint& c = d.contacts[at(step.contact_of(row))];
      add(c.node_a), add(c.node_b);
    } else if (block == lcp::RowBlock::unilateral && !d.mechanism) {
      const JointRow& j = d.joints[at(row - step.first_unilateral())];
      for (const int node : j.forces.nodes) add(node);
      if (j.forces.empty()) add(j.node);
    }
  }
  return most;
}

void Rounding::clear(const StepData& d, ProblemData& island) {
  std::vector<double>& q = island.without_matrix ? island.sparse.q : island.q;
  const auto is_slow = [](double x) { return std::abs(x) < kMaybeRounding; };
  if (!std::all_of(q.begin(), q.end(), is_slow)) return;
  find_energies(d);
  const double least = kRoundedMotion * kRoundedMotion * find_energy(d, island);
  for (std::size_t r = 0; r < q.size(); ++r) {
    const double w = island.without_matrix ? island.sparse.diagonal_of(static_cast<int>(r)) : island.matrix()(r, r);
    if (q[r] * q[r] > least * w) return;
  }
  std::fill(q.begin(), q.end(), 0.0);
}

}  // namespace sinew::contact
