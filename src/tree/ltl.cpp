// src/tree/ltl.cpp
#include "sinew/tree/ltl.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"

namespace sinew {
namespace {

template <class T>
void check_packed(const char* call, const DofTree& tree, const std::vector<T>& packed) {
  check_size(call, "packed", packed.size(), tree.packed_size());
}
template <class Factor>
void check(const char* call, const DofTree& tree, const Factor& f) {
  check_packed(call, tree, f.packed);
  if (f.shape != tree.shape())
    throw std::invalid_argument(std::string(call) + ": the factor was made for another tree with as many entries, " +
                                std::to_string(f.packed.size()) + " of " + std::to_string(tree.packed_size()));
}
template <class Factor>
void check(const char* call, const DofTree& tree, const Factor& f, const FactorVector<Factor>& x) {
  check(call, tree, f);
  check_size(call, "x", x.size(), at(tree.size()));
}
template <class T>
void check_square(const char* call, const DofTree& tree, const MatrixView<T>& M) {
  check_size(call, "a column of the matrix", M.rows(), at(tree.size()));
  check_size(call, "a row of the matrix", M.cols(), at(tree.size()));
}

// The scalars define no logarithm, because no kernel needs one.
[[maybe_unused]] double log_of(double x) { return std::log(x); }
[[maybe_unused]] float log_of(float x) { return std::log(x); }
[[maybe_unused]] Counted log_of(const Counted& x) { return Counted(std::log(x.value)); }
[[maybe_unused]] Dual log_of(const Dual& x) { return Dual{std::log(x.value), x.slope / x.value}; }
template <class T, int N>
Pack<T, N> log_of(const Pack<T, N>& x) {
  Pack<T, N> out;
  for (int lane = 0; lane < N; ++lane) out.set(lane, std::log(x[lane]));
  return out;
}

}  // namespace

template <class Factor>
void factor(const DofTree& tree, Factor& f) {
  check("factor", tree, f);
  if constexpr (Factor::kUnit)
    kernel::factor_ltdl(tree, f.packed.data());
  else
    kernel::factor_ltl(tree, f.packed.data());
}

template <class Factor>
void multiply_by_l(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("multiply_by_l", tree, f, x);
  kernel::multiply_l<Factor::kUnit>(tree, f.packed.data(), x.data());
}
template <class Factor>
void multiply_by_l_transpose(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("multiply_by_l_transpose", tree, f, x);
  kernel::multiply_l_transpose<Factor::kUnit>(tree, f.packed.data(), x.data());
}
template <class Factor>
void solve_l(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("solve_l", tree, f, x);
  kernel::solve_l<Factor::kUnit>(tree, f.packed.data(), x.data());
}
template <class Factor>
void solve_l_transpose(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("solve_l_transpose", tree, f, x);
  kernel::solve_l_transpose<Factor::kUnit>(tree, f.packed.data(), x.data());
}
// H x = L^T (D (L x))
template <class Factor>
void multiply(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("multiply", tree, f, x);
  kernel::multiply_l<Factor::kUnit>(tree, f.packed.data(), x.data());
  if constexpr (Factor::kUnit)
    for (int k = 0; k < tree.size(); ++k) x[k] *= f.packed[tree.row(k) + at(tree.depth(k))];
  kernel::multiply_l_transpose<Factor::kUnit>(tree, f.packed.data(), x.data());
}
// H^-1 x = L^-1 (D^-1 (L^-T x))
template <class Factor>
void solve(const DofTree& tree, const Factor& f, FactorVector<Factor> x) {
  check("solve", tree, f, x);
  kernel::solve_l_transpose<Factor::kUnit>(tree, f.packed.data(), x.data());
  if constexpr (Factor::kUnit)
    for (int k = 0; k < tree.size(); ++k) x[k] /= f.packed[tree.row(k) + at(tree.depth(k))];
  kernel::solve_l<Factor::kUnit>(tree, f.packed.data(), x.data());
}

template <class Factor>
typename Factor::Scalar calc_log_determinant(const DofTree& tree, const Factor& f) {
  using T = typename Factor::Scalar;
  check("calc_log_determinant", tree, f);
  T sum{};
  for (int k = 0; k < tree.size(); ++k) sum += log_of(f.packed[tree.row(k) + at(tree.depth(k))]);
  return Factor::kUnit ? sum : sum + sum;
}

template <class Factor>
void invert_l(const DofTree& tree, Factor& f) {
  check("invert_l", tree, f);
  kernel::invert_l<Factor::kUnit>(tree, f.packed.data());
}

template <class Factor>
void to_dense_l(const DofTree& tree, const Factor& f, FactorMatrix<Factor> L) {
  using T = typename Factor::Scalar;
  check("to_dense_l", tree, f);
  check_square("to_dense_l", tree, L);
  for (int i = 0; i < tree.size(); ++i)
    for (int j = 0; j < tree.size(); ++j) L(at(i), at(j)) = lit<T>(0);
  for (int i = 0; i < tree.size(); ++i) {
    const T* row = f.packed.data() + tree.row(i);
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p) L(at(i), at(j)) = row[p];
    if constexpr (Factor::kUnit) L(at(i), at(i)) = lit<T>(1);
  }
}

template <class T>
void multiply_by_packed(const DofTree& tree, const std::vector<T>& H, In<T> x, Out<T> y) {
  check_packed("multiply_by_packed", tree, H);
  check_size("multiply_by_packed", "x", x.size(), at(tree.size()));
  check_size("multiply_by_packed", "y", y.size(), at(tree.size()));
  kernel::multiply_h(tree, H.data(), x.data(), y.data());
}

template <class T>
void to_dense(const DofTree& tree, const std::vector<T>& H, OutMatrix<T> M) {
  check_packed("to_dense", tree, H);
  check_square("to_dense", tree, M);
  for (std::size_t i = 0; i < M.rows(); ++i)
    for (std::size_t j = 0; j < M.cols(); ++j) M(i, j) = lit<T>(0);
  for (int i = 0; i < tree.size(); ++i) {
    const T* row = H.data() + tree.row(i);
    const std::size_t vi = at(tree.velocity(i));
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p) {
      const std::size_t vj = at(tree.velocity(j));
      M(vi, vj) = M(vj, vi) = row[p];
    }
  }
}
template <class T>
void from_dense(const DofTree& tree, MatrixView<const std::type_identity_t<T>> M, std::vector<T>& H) {
  check_packed("from_dense", tree, H);
  check_square("from_dense", tree, M);
  for (int i = 0; i < tree.size(); ++i) {
    T* row = H.data() + tree.row(i);
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p)
      row[p] = M(at(tree.velocity(i)), at(tree.velocity(j)));
  }
}

template <class T>
void to_tree_order(const DofTree& tree, In<T> v, std::vector<T>& x) {
  check_size("to_tree_order", "v", v.size(), at(tree.size()));
  check_size("to_tree_order", "x", x.size(), at(tree.size()));
  for (int k = 0; k < tree.size(); ++k) x[k] = v[tree.velocity(k)];
}
template <class T>
void to_velocity_order(const DofTree& tree, const std::vector<T>& x, Out<T> v) {
  check_size("to_velocity_order", "x", x.size(), at(tree.size()));
  check_size("to_velocity_order", "v", v.size(), at(tree.size()));
  for (int k = 0; k < tree.size(); ++k) v[tree.velocity(k)] = x[k];
}

#define SINEW_INSTANTIATE_FACTOR(F)                                                 \
  template void factor(const DofTree&, F&);                                         \
  template void multiply_by_l(const DofTree&, const F&, FactorVector<F>);           \
  template void multiply_by_l_transpose(const DofTree&, const F&, FactorVector<F>); \
  template void solve_l(const DofTree&, const F&, FactorVector<F>);                 \
  template void solve_l_transpose(const DofTree&, const F&, FactorVector<F>);       \
  template void multiply(const DofTree&, const F&, FactorVector<F>);                \
  template void solve(const DofTree&, const F&, FactorVector<F>);                   \
  template F::Scalar calc_log_determinant(const DofTree&, const F&);                \
  template void invert_l(const DofTree&, F&);                                       \
  template void to_dense_l(const DofTree&, const F&, FactorMatrix<F>);
#define SINEW_INSTANTIATE(T)                                                                            \
  SINEW_INSTANTIATE_FACTOR(LtlFactor<T>)                                                                \
  SINEW_INSTANTIATE_FACTOR(LtdlFactor<T>)                                                               \
  template void multiply_by_packed(const DofTree&, const std::vector<T>&, In<T>, Out<T>);               \
  template void to_dense(const DofTree&, const std::vector<T>&, OutMatrix<T>);                          \
  template void from_dense(const DofTree&, MatrixView<const std::type_identity_t<T>>, std::vector<T>&); \
  template void to_tree_order(const DofTree&, In<T>, std::vector<T>&);                                  \
  template void to_velocity_order(const DofTree&, const std::vector<T>&, Out<T>);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE
#undef SINEW_INSTANTIATE_FACTOR

}  // namespace sinew
