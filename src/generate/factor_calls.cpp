// src/generate/factor_calls.cpp
#include "generate/factor_calls.hpp"

#include "generate/mass_matrix.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"

namespace sinew::generate {
namespace {

// M = L^T D L, with 1 / D on the diagonal.
class Factor {
 public:
  Factor(const Model& m, std::vector<Traced> packed) : tree_(m.dof_tree()), L_(std::move(packed)) {
    kernel::factor_ltdl_reciprocal(tree_, L_.data());  // [S23 4]
  }
  // M x = b in place, by the freedoms of the tree.
  void solve(std::vector<Traced>& x) const {
    kernel::solve_l_transpose<true>(tree_, L_.data(), x.data());
    for (int i = 0; i < tree_.size(); ++i) x[at(i)] *= L_[tree_.row(i) + at(tree_.depth(i))];
    kernel::solve_l<true>(tree_, L_.data(), x.data());
  }
  // By the coordinates of the model.
  void invert(MatrixView<Traced> to) const {
    std::vector<Traced> W = L_;
    kernel::invert_l<true>(tree_, W.data());
    const auto entry = [&](int i, int p) { return p == tree_.depth(i) ? lit<Traced>(1) : W[tree_.row(i) + at(p)]; };
    for (int i = 0; i < tree_.size(); ++i)
      for (int j = i; j < tree_.size(); ++j) {
        int k = i;  // the last freedom above both, or i itself
        while (k >= 0 && j >= tree_.end(k)) k = tree_.parent(k);
        Traced sum = lit<Traced>(0);
        for (int p = k < 0 ? -1 : tree_.depth(k); p >= 0; k = tree_.parent(k), --p)
          sum += entry(i, p) * L_[tree_.row(k) + at(p)] * entry(j, p);
        to(at(tree_.velocity(i)), at(tree_.velocity(j))) = to(at(tree_.velocity(j)), at(tree_.velocity(i))) = sum;
      }
  }

 private:
  const DofTree& tree_;
  std::vector<Traced> L_;
};

std::vector<Traced> pack(const DofTree& tree, const MatrixView<Traced>& M) {
  std::vector<Traced> out(tree.packed_size());
  for (int i = 0; i < tree.size(); ++i)
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p)
      out[tree.row(i) + at(p)] = M(at(tree.velocity(i)), at(tree.velocity(j)));
  return out;
}

}  // namespace

void call_mass_inverse_by_factor(const Arguments<Traced>& x) {
  Factor(x.m, pack_mass_matrix(x.m, x.in[0])).invert(x.square());
}

// What does not depend on the accelerations is recorded twice, and found to be the same when the graph is simplified.
void call_daba_by_factor(const Arguments<Traced>& x) {
  const DofTree& tree = x.m.dof_tree();
  const std::size_t n = at(x.m.nv());
  RneaDerivativesWorkspace<Traced> ws(x.m);
  std::vector<Traced> rest(n), tau(n), column(n), M(n * n);
  const MatrixView<Traced> of_a(M.data(), n, n);
  calc_rnea_derivatives(x.m, ws, x.in[0], x.in[1], VectorView<const Traced>(rest.data(), n), VectorView<Traced>(tau),
                        x.square(1), x.square(2), of_a);
  const Factor factor(x.m, pack(tree, of_a));
  const auto velocity = [&](int i) { return at(tree.velocity(i)); };
  for (int i = 0; i < tree.size(); ++i) column[at(i)] = x.in[2][velocity(i)] - tau[velocity(i)];
  factor.solve(column);
  for (int i = 0; i < tree.size(); ++i) x.out[0][velocity(i)] = column[at(i)];
  calc_rnea_derivatives(x.m, ws, x.in[0], x.in[1], VectorView<const Traced>(x.out[0].data(), n),
                        VectorView<Traced>(tau), x.square(1), x.square(2), of_a);
  for (const MatrixView<Traced>& slopes : {x.square(1), x.square(2)})
    for (std::size_t k = 0; k < n; ++k) {
      for (int i = 0; i < tree.size(); ++i) column[at(i)] = -slopes(velocity(i), k);
      factor.solve(column);
      for (int i = 0; i < tree.size(); ++i) slopes(velocity(i), k) = column[at(i)];
    }
  factor.invert(x.square(3));
}

}  // namespace sinew::generate
