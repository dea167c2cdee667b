// src/generate/mass_matrix.cpp
#include "generate/mass_matrix.hpp"

#include "sinew/tree/equivalent_model.hpp"

namespace sinew::generate {

std::vector<Traced> pack_mass_matrix(const Model& m, VectorView<const Traced> q) {
  const std::size_t n = at(m.nv());
  const DofTree& tree = m.dof_tree();
  std::vector<Traced> M(n * n), packed(tree.packed_size());
  CrbaWorkspace<Traced> ws(m);
  crba(EquivalentModel(m), ws, q, MatrixView<Traced>(M.data(), n, n));
  for (int i = 0; i < tree.size(); ++i)
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p)
      packed[tree.row(i) + at(p)] = M[at(tree.velocity(i)) * n + at(tree.velocity(j))];
  return packed;
}

}  // namespace sinew::generate
