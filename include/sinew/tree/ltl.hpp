// sinew/tree/ltl.hpp - factorization of matrices with branch-induced sparsity: H = L^T L and H = L^T D L
// L has no entry where H has none, so factorization costs O(n d^2) and everything after it O(n d), d the depth.
//   LtdlFactor<double> f(model.dof_tree());
//   crba_packed(model, workspace, q, f.packed);   // H
//   factor(model.dof_tree(), f);                  // L and D in its place
//   solve(model.dof_tree(), f, x);                // x = H^-1 x
// Reference: [F08 Table 6.3], [F08 Table 6.5]; costs to the operation as in [F08 Table 6.6], where
//   D1 = tree.d1() [F08 6.26], D2 = tree.d2() [F08 6.27].
// Differs from [F08]: rows are packed (model/dof_tree.hpp); L^T x works in situ too; H x works in situ from the factor.
// Vectors hold one number per freedom in the tree's order; to_tree_order and to_velocity_order convert from and to v.
// For every scalar of the closed set. If H is not positive definite the factor has NaN (LTL) or pivots <= 0 (LTDL).
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/dof_tree.hpp"

namespace sinew {

// Filled with H by the caller; after factor(), L.
template <class T>
struct LtlFactor {
  using Scalar = T;
  static constexpr bool kUnit = false;
  explicit LtlFactor(const DofTree& tree) : packed(tree.packed_size()), shape(tree.shape()) {}
  std::vector<T> packed;
  std::uint64_t shape;  // of the tree that it was made for
};
// Filled with H by the caller; after factor(), D on the diagonal and the rest of L, whose own diagonal is 1.
template <class T>
struct LtdlFactor {
  using Scalar = T;
  static constexpr bool kUnit = true;
  explicit LtdlFactor(const DofTree& tree) : packed(tree.packed_size()), shape(tree.shape()) {}
  std::vector<T> packed;
  std::uint64_t shape;  // of the tree that it was made for
};
// Factor is one of these two, for every scalar of the closed set.
template <class Factor>
using FactorVector = VectorView<typename Factor::Scalar>;
template <class Factor>
using FactorMatrix = MatrixView<typename Factor::Scalar>;

// In place. LTL: n sqrt + D1 d + D2 (m + a). LTDL: D1 d + D2 (m + a).
template <class Factor>
void factor(const DofTree&, Factor&);

// After factor(), in situ. LTL: n m + D1 (m + a). LTDL: D1 (m + a).
template <class Factor>
void multiply_by_l(const DofTree&, const Factor&, FactorVector<Factor> x);
template <class Factor>
void multiply_by_l_transpose(const DofTree&, const Factor&, FactorVector<Factor> x);
// x = L^-1 x and x = L^-T x. LTL: n d + D1 (m + a). LTDL: D1 (m + a).
template <class Factor>
void solve_l(const DofTree&, const Factor&, FactorVector<Factor> x);
template <class Factor>
void solve_l_transpose(const DofTree&, const Factor&, FactorVector<Factor> x);
// x = H x. LTL: 2 n m + 2 D1 (m + a). LTDL: n m + 2 D1 (m + a), as much as with H itself.
template <class Factor>
void multiply(const DofTree&, const Factor&, FactorVector<Factor> x);
// x = H^-1 x. LTL: 2 n d + 2 D1 (m + a). LTDL: n d + 2 D1 (m + a).
template <class Factor>
void solve(const DofTree&, const Factor&, FactorVector<Factor> x);
// ln det H.
template <class Factor>
typename Factor::Scalar calc_log_determinant(const DofTree&, const Factor&);
// L^-1 in place of L, with the same sparsity. LTDL keeps D on the diagonal, which is 1 in L^-1 as in L.
template <class Factor>
void invert_l(const DofTree&, Factor&);
// L as a whole matrix, rows and columns in the tree's order: lower triangular.
template <class Factor>
void to_dense_l(const DofTree&, const Factor&, FactorMatrix<Factor> L);

// With H itself, packed: y = H x, n m + 2 D1 (m + a). y and x are two vectors.
template <class T>
void multiply_by_packed(const DofTree&, const std::vector<T>& H, In<T> x, Out<T> y);
// The whole symmetric matrix, rows and columns in the order of the velocity coordinates; and back, reading for each
// pair of freedoms on one path the entry in the row of the one farther from the root.
template <class T>
void to_dense(const DofTree&, const std::vector<T>& H, OutMatrix<T> M);
template <class T>
void from_dense(const DofTree&, MatrixView<const std::type_identity_t<T>> M, std::vector<T>& H);

// Velocity coordinates in the tree's order, and back.
template <class T>
void to_tree_order(const DofTree&, In<T> v, std::vector<T>& x);
template <class T>
void to_velocity_order(const DofTree&, const std::vector<T>& x, Out<T> v);

}  // namespace sinew
