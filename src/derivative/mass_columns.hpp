// src/derivative/mass_columns.hpp - columns of numbers divided by M
#pragma once
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"

namespace sinew {

// X = -M^-1 X, by the factors L^T D L of M at q. column: (nv) scratch.
template <class T>
void solve_minus_mass(const Model& m, CrbaWorkspace<T>& crba, LtdlFactor<T>& f, std::vector<T>& column, In<T> q,
                      double time, const MatrixView<T>& X) {
  const DofTree& tree = m.dof_tree();
  crba_packed<T>(m, crba, q, f.packed, time);
  factor(tree, f);
  for (std::size_t c = 0; c < X.cols(); ++c) {
    for (int k = 0; k < m.nv(); ++k) column[at(k)] = -X(at(tree.velocity(k)), c);
    solve(tree, f, VectorView<T>(column));
    for (int k = 0; k < m.nv(); ++k) X(at(tree.velocity(k)), c) = column[at(k)];
  }
}

}  // namespace sinew
