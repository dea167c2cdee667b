// src/contact/os_sparse.cpp - islands of many bodies: mass matrices and Jacobians of their trees in place of W
//   x0 = M^-1 (f + J^T given),   q = approach + J x0,   v+ = v + x0 + M^-1 J^T z
#include <algorithm>
#include <cmath>
#include <limits>

#include "os.hpp"
#include "tree/columns.hpp"

namespace sinew::contact {

// Mass matrix, and how each coordinate moves its node.
void Os::add_sparse_tree(StepData& d, OsTree& t, ProblemData& island) {
  const Model& m = *t.model;
  t.sparse_tree = island.sparse.add_tree(m.nv());
  island.trees.push_back(static_cast<int>(&t - trees_.data()));
  if (!t.crba) t.crba.emplace(m);
  crba<double>(m, *t.crba, t.q, island.sparse.mass_of(t.sparse_tree), d.step->time);
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const Transform<double>& X = d.motion->kinematics.X[at(t.shift) + i];
    calc_columns(n, Transform<double>{X.E, {}}, t.q.data() + n.q, d.step->time, columns_.data() + t.first_v + n.v);
  }
}

// Adds a force on a node to a row of J: its power along each coordinate from there to the root [F08 8.20].
void Os::add_force(const StepData& d, const OsTree& t, int node, Force<double> f, double* row) const {
  const auto& X = d.motion->kinematics.X;
  const Motion<double>* S = columns_.data() + t.first_v;
  f = in_world_axes(f, X[at(node)]);
  for (int i = node - t.shift; i > 0;) {
    const Node& n = t.model->nodes()[at(i)];
    for (int k = n.v; k < n.v + n.nv; ++k) row[k] += dot(f, S[k]);
    if (n.parent == 0) return;
    f = carried_back(f, X[at(i + t.shift)].r - X[at(n.parent + t.shift)].r);
    i = n.parent;
  }
}

// Entries by row, once per step.
void Os::sort_entries(int rows) {
  if (!first_entry_.empty()) return;
  first_entry_.assign(at(rows) + 1, 0), entry_order_.resize(entries_.size()), cursor_.resize(at(rows));
  for (const delassus::Entry& e : entries_) ++first_entry_[at(e.row) + 1];
  for (std::size_t r = 0; r < at(rows); ++r) first_entry_[r + 1] += first_entry_[r], cursor_[r] = first_entry_[r];
  for (std::size_t e = 0; e < entries_.size(); ++e)
    entry_order_[at(cursor_[at(entries_[e].row)]++)] = static_cast<int>(e);
}

void Os::add_sparse_rows(const StepData& d, ProblemData& island) {
  lcp::SparseProblem& p = island.sparse;
  const lcp::RowLayout layout = d.layout();
  sort_entries(layout.rows());
  for (int k = 0; k < p.blocks(); ++k) {
    const int first = island.rows[at(p.start(k))];
    if (k >= p.free && k < p.ones())
      p.softness[at(k - p.free)] = d.joints[at(first - layout.first_unilateral())].softness;
    for (int r = 0; r < p.width(k); ++r)
      for (int e = first_entry_[at(first + r)]; e < first_entry_[at(first + r) + 1]; ++e) {
        const std::size_t source = at(entry_order_[at(e)]);
        const int node = entries_[source].node, number = tree_of_[at(node)];
        if (number < 0) continue;
        const OsTree& t = trees_[at(number)];
        add_force(d, t, node, K_[source], p.find_term(k, t.sparse_tree) + r * t.model->nv());
      }
  }
  if (!p.finish()) return std::fill(p.q.begin(), p.q.end(), std::numeric_limits<double>::quiet_NaN());

  // Free velocities, and those of the rows.
  impulse_.resize(at(p.velocities()));
  for (const int number : island.trees) {
    const OsTree& t = trees_[at(number)];
    std::copy(t.f.begin(), t.f.end(), impulse_.begin() + p.first_velocity[at(t.sparse_tree)]);
  }
  if (const In<double> given = d.step->impulse; given.size() != 0) {
    given_.assign(island.q.size(), 0.0);
    for (int k = p.start(p.ones()); k < p.size(); ++k)
      given_[at(k)] = given[at(island.rows[at(k)] - layout.first_contact())];
    p.add_impulses(given_, impulse_);
  }
  p.solve_mass(impulse_);
  p.calc_rows(impulse_, p.q);
  for (int r = 0; r < p.size(); ++r) {
    const bool moves = r < p.ones() || p.diagonal_of(r) > 0;
    p.q[at(r)] = moves ? p.q[at(r)] + island.q[at(r)] : 0;
  }
  for (const int number : island.trees) {
    OsTree& t = trees_[at(number)];
    std::copy_n(impulse_.begin() + p.first_velocity[at(t.sparse_tree)], t.x.size(), t.x.begin());
    expect_motion(*d.step, t, p);
  }
}

// M^-1 J^T z as the caller expects it.
void Os::expect_motion(const ContactStep& step, const OsTree& t, lcp::SparseProblem& p) const {
  if (step.expected.size() == 0) return;
  p.expected.resize(at(p.velocities()));
  double* to = p.expected.data() + p.first_velocity[at(t.sparse_tree)];
  for (std::size_t i = 0; i < t.x.size(); ++i) {
    const std::size_t c = coordinate_of(t, i);
    to[i] = step.expected[c] - step.v[c] - t.x[i];
  }
}

// x0 + M^-1 J^T z. Coordinates are compared by the square roots of their energies.
void Os::recover_sparse_tree(const ContactStep& step, const OsTree& t) {
  ProblemData& island = *t.island;
  const std::size_t n = t.x.size(), place = at(island.sparse.first_velocity[at(t.sparse_tree)]);
  const double* M = island.sparse.mass(t.sparse_tree);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = coordinate_of(t, i);
    const double root = std::sqrt(M[i * (n + 1)]);
    x_[c] = t.x[i] + island.pushed[place + i];
    island.note_velocity(root * (step.v[c] + x_[c]));
    island.terms =
        std::max(island.terms, root * (std::abs(step.v[c]) + std::abs(t.x[i]) + island.pushed_terms[place + i]));
  }
}

}  // namespace sinew::contact
