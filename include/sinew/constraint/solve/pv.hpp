// sinew/constraint/solve/pv.hpp - constraint forces from two sweeps of the tree: O(n + m^2)
// Then m^3 / 6 for A lambda = b. Uses the Popov-Vereshchagin solver of delassus/pv_dynamics.hpp; neither H nor K is
// formed. Where that finds a row that those before it imply, constraint/solve/force_equation.hpp takes over with the
// same A: rank, shortest lambda, rows that contradict.
#pragma once
#include <memory>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/constraint/solve/force_equation.hpp"
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew {

// Scratch of solve_by_pv.
struct PvSolver {
  PvSolver(const Model&, const ConstraintSet&);
  std::unique_ptr<delassus::PvDynamicsWorkspace> dynamics;
  ForceEquation equation;  // of the last set with rows that others imply
};

// After calc_constraint_rows. Of the system only f, k, made_of and full are read.
void solve_by_pv(const Model&, const ConstraintSet&, const ConstraintRows&, PvSolver&, In<double> q,
                 const ConstrainedSystem&, const RankOptions&, Out<double> x, Out<double> lambda, SolveCertificate&,
                 double time = 0);

}  // namespace sinew
