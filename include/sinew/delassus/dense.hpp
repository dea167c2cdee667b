// sinew/delassus/dense.hpp - W = J M^-1 J^T as it is written, zeros and all [S23 Table I, naive]
// O(n^3 + m n^2 + m^2 n): M = C C^T, Y = C^-1 J^T, W = Y^T Y.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/ltl.hpp"

namespace sinew::delassus {

template <class T>
struct DenseWorkspace {
  DenseWorkspace(const Model&, const Problem&);
  Problem problem;
  CrbaWorkspace<T> crba;
  RowJacobian<T> jacobian;
  std::vector<T> M, Y;
};

// As efpa().
template <class T>
void dense(const Model&, DenseWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
