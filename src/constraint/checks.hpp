// src/constraint/checks.hpp - checks that sets, rows and workspaces belong together; throw std::invalid_argument
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "tree/checks.hpp"

namespace sinew {

inline void check_set(const char* call, const Model& m, const ConstraintSet& set) {
  set.problem().made_for().check(call, m, "the constraint set");
}
// The set and the rows are of this model, and their numbers of rows agree.
inline void check_rows(const char* call, const Model& m, const ConstraintSet& set, const ConstraintRows& rows) {
  check_set(call, m, set);
  rows.motion.kinematics.made_for.check(call, m, "ConstraintRows");
  check_size(call, "ConstraintRows::k", rows.k.size(), at(set.rows()));
  check_size(call, "ConstraintRows::K", rows.K.size(), set.problem().entries().size());
}
// The solver's workspace has the size of the system, and so do the answers.
inline void check_solve(const char* call, const DofTree& tree, const ConstrainedSystem& s, std::size_t workspace_rows,
                        std::size_t x, std::size_t lambda) {
  check_size(call, "the system", s.f.size(), at(tree.size()));
  check_size(call, "the workspace", workspace_rows, s.k.size());
  check_size(call, "x", x, s.f.size());
  check_size(call, "lambda", lambda, s.k.size());
}

}  // namespace sinew
