// src/constraint/checks.hpp - that sets, rows and workspaces belong together; throws std::invalid_argument
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "tree/checks.hpp"

namespace sinew {

inline void check_set(const char* call, const Model& m, const ConstraintSet& set) {
  set.problem().made_for().check(call, m, "the constraint set");
}
// The set is of this model; the rows too, and as many as the set has.
inline void check_rows(const char* call, const Model& m, const ConstraintSet& set, const ConstraintRows& rows) {
  check_set(call, m, set);
  rows.motion.kinematics.made_for.check(call, m, "ConstraintRows");
  check_size(call, "ConstraintRows::k", rows.k.size(), at(set.rows()));
  check_size(call, "ConstraintRows::K", rows.K.size(), set.problem().entries().size());
}
// A solver's workspace is for as many rows as the system has; the answers fit.
inline void check_solve(const char* call, const DofTree& tree, const ConstrainedSystem& s, std::size_t workspace_rows,
                        std::size_t x, std::size_t lambda) {
  check_size(call, "the system", s.f.size(), at(tree.size()));
  check_size(call, "the workspace", workspace_rows, s.k.size());
  check_size(call, "x", x, s.f.size());
  check_size(call, "lambda", lambda, s.k.size());
}

}  // namespace sinew
