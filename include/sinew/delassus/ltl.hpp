// sinew/delassus/ltl.hpp - LTL-OSIM: through the sparse factor of the mass matrix [S23 section II-A]
//   M = L^T D L,   Y = L^-T J^T,   W = Y^T D^-1 Y                                      [S23 4-6]
// O(n d^2 + m d^2 + m^2 d), with the zeros of J, L and Y left out: rows meet only on common ancestors.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew::delassus {

// The Jacobian of the rows, one row of `stride` numbers a freedom: J^T over the problem's columns.
template <class T>
struct RowJacobian {
  RowJacobian(const Model&, const Problem&);
  int stride;
  std::vector<T> forces;     // 6 x columns
  std::vector<T> transpose;  // (freedoms) rows; only the columns below a freedom's node are set
};
// After the turns and general joints of `crba` are known.
template <class T>
void calc_row_jacobian(const Model&, const Problem&, const CrbaWorkspace<T>&, RowJacobian<T>&, In<T> q, In<Force<T>> K);

template <class T>
struct LtlWorkspace {
  LtlWorkspace(const Model&, const Problem&);
  Problem problem;
  CrbaWorkspace<T> crba;
  RowJacobian<T> jacobian;
  std::vector<T> H;             // packed by model.dof_tree()
  std::vector<int> begin, end;  // (freedoms) columns below
  std::vector<T> Lambda;
};

// As efpa().
template <class T>
void ltl(const Model&, LtlWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
