// sinew/delassus/operator.hpp - the Delassus matrix as an operator: products and solves without forming W
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
  Problem problem;                       // as given
  bool one_node_a_row;                   // damped solves need no iteration
  ArticulatedWorkspace<T> inertias;      // k and 1 / D of each freedom                       by factor
  std::vector<T> shifts;                 // (nodes) of one-axis joints along their axis       by factor
  std::vector<T> u;                      // (freedoms) S^T F                                  by each product
  std::vector<Force<T>> forces;          // (nodes) forces of the rows on a node              by each product
  std::vector<Force<T>> slot_forces;     // (branch slots) forces that the children hand over
  std::vector<Motion<T>> slot_motions;   // (branch slots) acceleration of a node with many children
  std::vector<Motion<T>> accelerations;  // (nodes) of the last multiply
  std::vector<Force<T>> K;               // (entries) of the last factor
  std::vector<T> work[4];                // (rows) of the damped solves
  double mu = -1;                        // the damping that is in the inertias; 0: none; -1: not factored
};

// Call before multiply (mu = 0) or solve_damped (mu > 0).
template <class T>
void factor(const Model&, OperatorWorkspace<T>&, In<T> q, In<Force<T>> K, double mu = 0, double time = 0);
template <class T>
void multiply(const Model&, OperatorWorkspace<T>&, In<T> x, Out<T> y);
// Throws std::invalid_argument where a row acts on several nodes.
template <class T>
void solve_damped(const Model&, OperatorWorkspace<T>&, In<T> b, Out<T> x);

// How an iteration ended.
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
