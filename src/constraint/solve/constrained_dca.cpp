// src/constraint/solve/constrained_dca.cpp
#include "sinew/constraint/solve/constrained_dca.hpp"

#include "constraint/checks.hpp"
#include "constraint/rows/constraint_entry.hpp"

namespace sinew {
namespace {

// The forces of each row cancel: both sides are bodies.
bool is_between_bodies(const ConstraintEntry& c) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.frames; })
          return kind.frames.node_a > 0 && kind.frames.node_b > 0;
        else
          return false;
      },
      c.kind);
}
constexpr int kRowsOfATie = 6;

// f(constraint, first row, rows): the rows of each constraint, six at a time.
template <class Fn>
void for_ties(const ConstraintSet& set, Fn&& f) {
  for (const ConstraintEntry& c : set.entries())
    for (int r = 0; r < c.rows(); r += kRowsOfATie) f(c, c.row + r, std::min(kRowsOfATie, c.rows() - r));
}
// g(entry, row): those of `rows` rows from `first`, without the world's.
template <class Fn>
void for_entries(const ConstraintSet& set, const ConstraintEntry& c, int first, int rows, Fn&& g) {
  for (int e = c.entry; e < c.entry + c.entries; ++e) {
    const delassus::Entry& entry = set.problem().entries()[at(e)];
    if (entry.node > 0 && entry.row >= first && entry.row < first + rows) g(e, entry);
  }
}
std::vector<DcaTie> make_ties(const Model& m, const ConstraintSet& set) {
  set.problem().made_for().check("ConstrainedDcaWorkspace", m, "the constraint set");
  std::vector<DcaTie> ties;
  for_ties(set, [&](const ConstraintEntry& c, int first, int rows) {
    DcaTie& tie = ties.emplace_back(DcaTie{rows, {}, is_between_bodies(c)});
    for_entries(set, c, first, rows, [&](int, const delassus::Entry& e) {
      tie.entries.push_back({e.row - first, e.node});
    });
  });
  return ties;
}

}  // namespace

ConstrainedDcaWorkspace::ConstrainedDcaWorkspace(const Model& m, const ConstraintSet& set)
    : tree(m, DcaPlan(m, make_ties(m, set))) {
  for_ties(set, [&](const ConstraintEntry& c, int first, int rows) {
    for (int r = 0; r < rows; ++r) row_of.push_back(first + r);
    for_entries(set, c, first, rows, [&](int e, const delassus::Entry&) { entry_of.push_back(e); });
  });
  forces.resize(entry_of.size());
  k.resize(row_of.size());
  y.resize(row_of.size());
}

int constrained_dca(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, ConstrainedDcaWorkspace& ws,
                    In<double> q, In<double> v, In<double> tau, In<double> k, Out<double> qdd, Out<double> lambda,
                    const Surroundings<double>& around) {
  const char* call = "constrained_dca";
  check_rows(call, m, set, rows);
  ws.tree.motions.made_for.check(call, m);
  check_size(call, "rows of the workspace", ws.row_of.size(), at(set.rows()));
  check_size(call, "k", k.size(), at(set.rows()));
  check_size(call, "lambda", lambda.size(), at(set.rows()));
  for (std::size_t e = 0; e < ws.forces.size(); ++e) ws.forces[e] = rows.K[ws.entry_of[e]];
  for (std::size_t r = 0; r < ws.k.size(); ++r) ws.k[r] = k[ws.row_of[r]];
  const int rank = dca_with_ties(m, ws.tree, q, v, tau, ws.forces, ws.k, qdd, ws.y, around);
  for (std::size_t r = 0; r < ws.y.size(); ++r) lambda[ws.row_of[r]] = ws.y[r];
  return rank;
}

}  // namespace sinew
