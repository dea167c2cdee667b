// src/constraint/two_trees/coupling_steps.hpp - the part that both versions of step D share
#pragma once
#include "sinew/constraint/two_trees/primary_secondary.hpp"

namespace sinew {

// nu' = nu'^f - M^-1 J^* A^* f: steps E and F.
inline void add_correction(const Model& m, CoupledTree& t, MatrixView<const double> A, In<double> f, Out<double> a) {
  for (std::size_t p = 0; p < t.force.size(); ++p) {
    t.force[p] = 0;
    for (std::size_t r = 0; r < A.rows(); ++r) t.force[p] -= A(r, p) * f[r];
  }
  calc_motion(m.dof_tree(), t.system, t.force, a);  // [R92 0.36]
  for (std::size_t i = 0; i < t.free.size(); ++i) a[i] += t.free[i];
}

inline void check_tree(const char* call, const Model& m, const CoupledTree& t, std::size_t accelerations) {
  t.aba.made_for.check(call, m, "CoupledTree");
  check_size(call, "accelerations", accelerations, at(m.nv()));
}
inline void check_coupling(const char* call, const CoupledTree& p, MatrixView<const double> A_P, const CoupledTree& s,
                           MatrixView<const double> A_S, std::size_t rows, std::size_t forces) {
  check_size(call, "columns of A_P", A_P.cols(), p.alpha.size());
  check_size(call, "rows of A_P", A_P.rows(), rows);
  check_size(call, "columns of A_S", A_S.cols(), s.alpha.size());
  check_size(call, "rows of A_S", A_S.rows(), rows);
  check_size(call, "f", forces, rows);
}

}  // namespace sinew
