// sinew/delassus/operator.hpp - the Delassus matrix as something to apply, not to form
//   factor(...)            articulated inertias at q, O(n)
//   multiply(...)          y = W x = J M^-1 J^T x, O(n + rows)
//   solve_damped(...)      x = (W + mu)^-1 b, O(n + rows), without W: Woodbury's identity makes it
//                          x = (b - J (M + J^T J / mu)^-1 J^T b / mu) / mu,
//                          and M + J^T J / mu is the mass matrix of the same tree with heavier links, as long as every
//                          row acts on one node
//   solve_damped_by_iteration(...)   the same for rows on several nodes, by conjugate gradients with multiply()
// Reference: [S23 13] for what W is; Woodbury and conjugate gradients are textbook.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct OperatorWorkspace {
  OperatorWorkspace(const Model&, const Problem&);
  Problem problem;
  bool one_node_a_row;  // damped solves need no iteration
  ArticulatedWorkspace<T> inertias;
  std::vector<T> shifts, u;  // (nodes) of one-axis joints; (freedoms)
  std::vector<Force<T>> forces, slot_forces;
  std::vector<Motion<T>> slot_motions;
  std::vector<Motion<T>> accelerations;  // (nodes) of the last multiply
  std::vector<Force<T>> K;               // (entries) of the last factor
  std::vector<T> work[4];                // (rows)
  double mu = -1;                        // the damping that is in the inertias; 0: none; -1: not factored
};

// Ahead of multiply (mu = 0) or solve_damped (mu > 0).
template <class T>
void factor(const Model&, OperatorWorkspace<T>&, In<T> q, In<Force<T>> K, double mu = 0, double time = 0);
template <class T>
void multiply(const Model&, OperatorWorkspace<T>&, In<T> x, Out<T> y);
// Throws std::invalid_argument where a row acts on several nodes.
template <class T>
void solve_damped(const Model&, OperatorWorkspace<T>&, In<T> b, Out<T> x);

struct IterationReport {
  bool converged = false;
  int iterations = 0;
  double residual = 0;  // |b - (W + mu) x| / |b|, measured on the answer
};
// After factor with mu = 0. x holds a first guess. At most `limit` products; stops at the relative residual
// `tolerance`.
IterationReport solve_damped_by_iteration(const Model&, OperatorWorkspace<double>&, double mu, In<double> b,
                                          Out<double> x, double tolerance = 1e-12, int limit = 1000);

}  // namespace sinew::delassus
