// src/constraint/solve/multipliers.cpp
#include "sinew/constraint/solve/multipliers.hpp"

#include "constraint/checks.hpp"

namespace sinew {

void solve_by_multipliers(const DofTree& tree, MultipliersWorkspace& ws, const ConstrainedSystem& s,
                          const RankOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out) {
  check_solve("solve_by_multipliers", tree, s, ws.equation.k.size(), x.size(), lambda.size());
  ForceEquation& e = ws.equation;
  calc_inverse_inertia(s, e.matrix());
  e.k = s.k;
  e.b = s.b;
  e.size = s.size;
  e.full = s.full;
  solve(e, o, lambda, out);
  calc_motion(tree, s, lambda, x);
}

}  // namespace sinew
