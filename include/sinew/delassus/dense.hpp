// sinew/delassus/dense.hpp - W = J M^-1 J^T by dense matrices, zeros included [S23 Table I, naive]
// O(n^3 + m n^2 + m^2 n): M = C C^T, Y = C^-1 J^T, W = Y^T Y.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/kernel/row_jacobian.hpp"

namespace sinew::delassus {

template <class T>
struct DenseWorkspace {
  DenseWorkspace(const Model&, const Problem&);
  Problem problem;          // as given
  CrbaWorkspace<T> crba;    // makes M
  RowJacobian<T> jacobian;  // J^T
  std::vector<T> M;         // nv x nv, then C
  std::vector<T> Y;         // nv x rows
};

// As efpa().
template <class T>
void dense(const Model&, DenseWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
