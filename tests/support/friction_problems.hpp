// tests/support/friction_problems.hpp - a thousand contact problems, the same on every machine
// 1 to 100 contacts. Most come from bodies: W = J M^-1 J^T and q = J v, so that a solution exists; some are random
// matrices. The kinds are those that hurt: mass ratios to 10 000, more contact points than freedoms, tall stacks,
// matrices of low rank, grasps, no friction and much of it.
#pragma once
#include <string_view>
#include <vector>

#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::test {

inline constexpr int kFrictionCases = 1000;

struct FrictionCase {
  std::string_view kind;
  std::vector<double> W, q, mu;
  lcp::SparseProblem sparse;  // the same from masses and Jacobians, where it comes from bodies: without trees otherwise
  int contacts() const { return static_cast<int>(mu.size()); }
  lcp::FrictionProblem problem() const {
    lcp::FrictionProblem p;
    p.W = {W.data(), q.size(), q.size()}, p.q = q, p.mu = mu;
    return p;
  }
};

// index: 0 .. kFrictionCases - 1, but any will do.
FrictionCase make_friction_case(int index);

}  // namespace sinew::test
