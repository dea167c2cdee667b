// sinew/delassus/ltl.hpp - LTL-OSIM: through the sparse factor of the mass matrix [S23 section II-A]
//   M = L^T D L,   Y = L^-T J^T,   W = Y^T D^-1 Y                                      [S23 4-6]
// O(n d^2 + m d^2 + m^2 d), with the zeros of J, L and Y left out: rows meet only on common ancestors.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/kernel/row_jacobian.hpp"

namespace sinew::delassus {

template <class T>
struct LtlWorkspace {
  LtlWorkspace(const Model&, const Problem&);
  Problem problem;              // as given
  CrbaWorkspace<T> crba;        // makes H
  RowJacobian<T> jacobian;      // J^T, then Y
  std::vector<T> H;             // M packed by model.dof_tree(), then L and D
  std::vector<int> begin, end;  // (freedoms) the columns that a freedom moves: begin .. end - 1
  std::vector<T> Lambda;        // W over the problem's columns
};

// As efpa().
template <class T>
void ltl(const Model&, LtlWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
