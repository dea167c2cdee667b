// src/constraint/embedding/loop_solver.hpp - what is done with a LoopElimination
#pragma once
#include "sinew/constraint/embedding/loop_elimination.hpp"

namespace sinew {

// After calc_constraint_rows: which coordinates depend on which. held: (nv) 1 for those that become dependent only
// where no others can. tolerance: a row counts as implied if the others leave less of it. Allocates.
void choose_coordinates(const Model&, const ConstraintRows&, LoopElimination&, In<char> held, double tolerance);
// After calc_constraint_rows and choose_coordinates: G of each step. False, and `culprit`, where a step has lost a
// pivot. Allocates nothing.
bool factor_loops(const Model&, const ConstraintRows&, LoopElimination&, int& culprit);
// After factor_loops: x with K x = k, where x is given in its independent entries. Rows that others imply are not
// read; `left` becomes the largest difference between their k and what the others imply, and `left_row` its row.
void solve_loops(LoopElimination&, In<double> k, Out<double> x, double& left, int& left_row);
// After factor_loops: lambda with (K^T lambda)_j = f_j at the dependent coordinates j; 0 for rows that others imply.
// If f is orthogonal to all x that K allows, then K^T lambda = f.
void solve_loops_transpose(LoopElimination&, In<double> f, Out<double> lambda);

}  // namespace sinew
