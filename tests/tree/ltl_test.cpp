// tests/tree/ltl_test.cpp - LTL and LTDL with branch-induced sparsity (TREE-5)
#include "sinew/tree/ltl.hpp"

#include <Eigen/Dense>
#include <numeric>

#include "sinew/tree/crba.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "support/naive_dynamics.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
// Eigen's expressions, each compiled once.
MatrixXd transposed(const MatrixXd& a) { return a.transpose(); }

// Velocity coordinates in a random order. Parents as given: depth first, -1 at the root.
DofTree make_tree(std::vector<int> parent, Random& rng) {
  std::vector<int> velocity(parent.size());
  std::iota(velocity.begin(), velocity.end(), 0);
  for (std::size_t i = velocity.size(); i > 1; --i) std::swap(velocity[i - 1], velocity[rng.below(int(i))]);
  return DofTree(std::move(parent), std::move(velocity));
}
DofTree chain(int n, Random& rng) {
  std::vector<int> parent(at(n));
  std::iota(parent.begin(), parent.end(), -1);
  return make_tree(parent, rng);
}
// Each freedom hangs on the one before or on some ancestor of that, so that subtrees are runs.
DofTree random_dof_tree(int n, Random& rng) {
  std::vector<int> parent;
  for (int k = 0; k < n; ++k) {
    int p = k - 1;
    while (p >= 0 && rng.below(3) == 0) p = parent[p];
    parent.push_back(p);
  }
  return make_tree(parent, rng);
}
// The seven bodies of [F08 Fig 6.3], depth first: lambda = (0, 1, 1, 2, 2, 3, 3) under another numbering.
DofTree binary_tree(Random& rng) { return make_tree({-1, 0, 1, 1, 0, 4, 4}, rng); }

// H = L^T L with L lower triangular and nothing off the paths; in the tree's order.
MatrixXd random_inertia_matrix(const DofTree& tree, Random& rng) {
  MatrixXd L = MatrixXd::Zero(tree.size(), tree.size());
  for (int i = 0; i < tree.size(); ++i) {
    for (int j = tree.parent(i); j >= 0; j = tree.parent(j)) L(i, j) = rng.uniform(-1, 1);
    L(i, i) = rng.uniform(1.1, 2);
  }
  return dense_product(transposed(L), L);
}
template <class T>
std::vector<T> packed_of(const DofTree& tree, const MatrixXd& H) {
  std::vector<T> out(tree.packed_size());
  for (int i = 0; i < tree.size(); ++i)
    for (int j = i, p = tree.depth(i); p >= 0; j = tree.parent(j), --p) out[tree.row(i) + at(p)] = lit<T>(H(i, j));
  return out;
}
template <class Factor>
Factor factored(const DofTree& tree, const MatrixXd& H) {
  Factor f(tree);
  f.packed = packed_of<typename Factor::Scalar>(tree, H);
  factor(tree, f);
  return f;
}
template <class T>
std::vector<T> random_vector(int n, Random& rng) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(lit<T>(rng.uniform(1.5, 3)));
  return x;
}
MatrixXd to_eigen(const std::vector<double>& x) {
  return Eigen::Map<const MatrixXd>(x.data(), Eigen::Index(x.size()), 1);
}
std::vector<double> to_numbers(const MatrixXd& m) {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) out.push_back(m(i, j));
  return out;
}
template <class Factor>
MatrixXd dense_l(const DofTree& tree, const Factor& f) {
  const std::size_t n = at(tree.size());
  std::vector<double> numbers(n * n);
  to_dense_l(tree, f, MatrixView<double>(numbers.data(), n, n));
  return Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(numbers.data(), tree.size(), tree.size());
}
template <class T>
MatrixXd dense_d(const DofTree& tree, const LtdlFactor<T>& f) {
  MatrixXd D = MatrixXd::Zero(tree.size(), tree.size());
  for (int k = 0; k < tree.size(); ++k) D(k, k) = f.packed[tree.row(k) + at(tree.depth(k))];
  return D;
}
template <class F>
void for_trees(F f) {
  for_seeds(20, [&](Random& rng) {
    f(binary_tree(rng), rng);
    f(chain(1 + rng.below(40), rng), rng);
    f(random_dof_tree(1 + rng.below(60), rng), rng);
  });
}

// The book's own text on a dense matrix, entries counted from 1. [F08 Table 6.3]
namespace book {
void ltl(MatrixXd& H, const std::vector<int>& lambda) {
  for (int k = int(H.rows()); k >= 1; --k) {
    H(k - 1, k - 1) = std::sqrt(H(k - 1, k - 1));
    for (int i = lambda[k]; i != 0; i = lambda[i]) H(k - 1, i - 1) /= H(k - 1, k - 1);
    for (int i = lambda[k]; i != 0; i = lambda[i])
      for (int j = i; j != 0; j = lambda[j]) H(i - 1, j - 1) -= H(k - 1, i - 1) * H(k - 1, j - 1);
  }
}
void ltdl(MatrixXd& H, const std::vector<int>& lambda) {
  for (int k = int(H.rows()); k >= 1; --k)
    for (int i = lambda[k]; i != 0; i = lambda[i]) {
      const double a = H(k - 1, i - 1) / H(k - 1, k - 1);
      for (int j = i; j != 0; j = lambda[j]) H(i - 1, j - 1) -= a * H(k - 1, j - 1);
      H(k - 1, i - 1) = a;
    }
}
std::vector<int> parents(const DofTree& tree) {
  std::vector<int> lambda{0};
  for (int k = 0; k < tree.size(); ++k) lambda.push_back(tree.parent(k) + 1);
  return lambda;
}
}  // namespace book

// 1 Book cases -------------------------------------------------------------------------------------------------------

// Figure 6.3 and 6.4: D1 = 10, D2 = 14, 27 of 49 entries; the first three rows cost 2 + 3 operations each.
TEST(Ltl, BinaryTreeOfSevenBodies) {
  Random rng(1);
  const DofTree tree = binary_tree(rng);
  EXPECT_EQ(tree.d1(), 10);
  EXPECT_EQ(tree.d2(), 14);
  EXPECT_EQ(tree.size() + 2 * tree.d1(), 27);
  for (const int leaf : {2, 3, 5, 6}) EXPECT_EQ(tree.depth(leaf), 2);
}
TEST(Ltl, UnbranchedTreesHaveTheFullCounts) {
  Random rng(2);
  for (const long n : {1L, 2L, 7L, 30L, 100L}) {
    const DofTree tree = chain(int(n), rng);
    EXPECT_EQ(tree.d1(), (n * n - n) / 2);
    EXPECT_EQ(tree.d2(), (n * n * n - n) / 6);
  }
}
TEST(Ltl, IsTheBooksFactor) {
  for_trees([](const DofTree& tree, Random& rng) {
    const MatrixXd H = random_inertia_matrix(tree, rng);
    MatrixXd ltl = H, ltdl = H;
    book::ltl(ltl, book::parents(tree));
    book::ltdl(ltdl, book::parents(tree));
    EXPECT_TRUE(near(factored<LtlFactor<double>>(tree, H).packed, packed_of<double>(tree, ltl), 1e3));
    EXPECT_TRUE(near(factored<LtdlFactor<double>>(tree, H).packed, packed_of<double>(tree, ltdl), 1e3));
  });
}

// 2 Identities -------------------------------------------------------------------------------------------------------

TEST(Ltl, FactorsMultiplyToTheMatrix) {
  for_trees([](const DofTree& tree, Random& rng) {
    const MatrixXd H = random_inertia_matrix(tree, rng);
    const auto ltl = factored<LtlFactor<double>>(tree, H);
    const auto ltdl = factored<LtdlFactor<double>>(tree, H);
    const MatrixXd L = dense_l(tree, ltl), U = dense_l(tree, ltdl);
    EXPECT_TRUE(near(to_numbers(dense_product(transposed(L), L)), to_numbers(H), 100));
    EXPECT_TRUE(
        near(to_numbers(dense_product(transposed(U), dense_product(dense_d(tree, ltdl), U))), to_numbers(H), 100));
    const double want = std::log(dense_determinant(H));
    EXPECT_TRUE(near(calc_log_determinant(tree, ltl), want, 1e3));
    EXPECT_TRUE(near(calc_log_determinant(tree, ltdl), want, 1e3));
    // the quickest variant keeps 1/D
    std::vector<double> quick = packed_of<double>(tree, H);
    kernel::factor_ltdl_reciprocal(tree, quick.data());
    for (int k = 0; k < tree.size(); ++k) {
      double& w = quick[tree.row(k) + at(tree.depth(k))];
      w = 1 / w;
    }
    EXPECT_TRUE(near(quick, ltdl.packed, 1e3));
  });
}

template <class Factor>
void check_operators(const DofTree& tree, Random& rng) {
  const MatrixXd H = random_inertia_matrix(tree, rng);
  auto f = factored<Factor>(tree, H);
  const MatrixXd L = dense_l(tree, f);
  const double n = 10 * (1 + dense_condition(H));
  const std::vector<double> x = random_vector<double>(tree.size(), rng);
  const MatrixXd e = to_eigen(x);
  const auto check = [&](auto operation, const MatrixXd& want) {
    std::vector<double> y = x;
    operation(y);
    EXPECT_TRUE(near(y, to_numbers(want), n));
  };
  check([&](auto& y) { multiply_by_l(tree, f, y); }, dense_product(L, e));
  check([&](auto& y) { multiply_by_l_transpose(tree, f, y); }, dense_product(transposed(L), e));
  check([&](auto& y) { solve_l(tree, f, y); }, dense_product(dense_inverse(L), e));
  check([&](auto& y) { solve_l_transpose(tree, f, y); }, dense_product(dense_inverse(transposed(L)), e));
  check([&](auto& y) { multiply(tree, f, y); }, dense_product(H, e));
  check([&](auto& y) { solve(tree, f, y); }, dense_product(dense_inverse(H), e));
  check([&](auto& y) { multiply_by_packed(tree, packed_of<double>(tree, H), x, y); }, dense_product(H, e));
  const std::vector<double> before = f.packed;
  invert_l(tree, f);
  EXPECT_TRUE(near(to_numbers(dense_l(tree, f)), to_numbers(dense_inverse(L)), n));
  for (int k = 0; k < tree.size() && Factor::kUnit; ++k) {
    const std::size_t diagonal = tree.row(k) + at(tree.depth(k));
    EXPECT_EQ(f.packed[diagonal], before[diagonal]);
  }
}
TEST(Ltl, OperatorsAreThoseOfTheMatrices) {
  for_trees([](const DofTree& tree, Random& rng) {
    check_operators<LtlFactor<double>>(tree, rng);
    check_operators<LtdlFactor<double>>(tree, rng);
  });
}

TEST(Ltl, DenseFormIsInTheOrderOfTheVelocities) {
  for_trees([](const DofTree& tree, Random& rng) {
    const MatrixXd H = random_inertia_matrix(tree, rng);
    const std::size_t n = at(tree.size());
    const std::vector<double> packed = packed_of<double>(tree, H);
    std::vector<double> M(n * n), again(packed.size()), v(n), x(n), y(n);
    to_dense(tree, packed, MatrixView<double>(M.data(), n, n));
    for (int i = 0; i < tree.size(); ++i)
      for (int j = 0; j < tree.size(); ++j)
        EXPECT_EQ(M[at(tree.velocity(i)) * n + at(tree.velocity(j))], std::abs(H(i, j)) < 1e-300 ? 0 : H(i, j));
    from_dense(tree, MatrixView<const double>(M.data(), n, n), again);
    EXPECT_EQ(packed, again);
    for (double& e : v) e = rng.uniform();
    to_tree_order(tree, v, x);
    for (int k = 0; k < tree.size(); ++k) EXPECT_EQ(x[k], v[tree.velocity(k)]);
    to_velocity_order(tree, x, y);
    EXPECT_EQ(v, y);
  });
}

// The whole way: M of a tree by composite bodies, packed, factored, and forward dynamics from it.
TEST(Ltl, SolvesTheEquationOfMotionOfTrees) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const DofTree& tree = m.dof_tree();
    CrbaWorkspace<double> crba(m);
    LtdlFactor<double> f(tree);
    crba_packed(m, crba, s.q, f.packed);
    factor(tree, f);
    const std::vector<double> h = naive_rnea(m, s.q, s.v, std::vector<double>(s.v.size()));
    std::vector<double> rhs = s.a, x(rhs.size()), a(rhs.size());
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] -= h[i];
    to_tree_order(tree, rhs, x);
    solve(tree, f, x);
    to_velocity_order(tree, x, a);
    const MatrixXd M = naive_mass_matrix(m, s.q);
    EXPECT_TRUE(near(a, naive_forward_dynamics(m, s.q, s.v, s.a), 500 + (m.nv() == 0 ? 0 : dense_condition(M))));
  });
}

// 3 Costs of Table 6.6, to the operation -----------------------------------------------------------------------------

template <class Factor>
void check_costs(const DofTree& tree, Random& rng) {
  const MatrixXd H = random_inertia_matrix(tree, rng);
  const std::vector<Counted> packed = packed_of<Counted>(tree, H), x = random_vector<Counted>(tree.size(), rng);
  const long n = tree.size(), D1 = tree.d1(), D2 = tree.d2(), sqrt = Factor::kUnit ? 0 : n, own = Factor::kUnit ? 0 : n;
  Factor f(tree);
  const auto check = [&](const char* name, auto operation, const OperationCount& want) {
    std::vector<Counted> y = x;
    const Tally tally;
    operation(y);
    const OperationCount c = tally.count();
    EXPECT_EQ(c, want) << name << ", n = " << n << ": " << c.mul << "m " << c.add << "a " << c.div << "d " << c.sqrt
                       << "s";
  };
  f.packed = packed;
  check("factorization", [&](auto&) { factor(tree, f); }, {D2, D2, D1, sqrt, 0});
  check("back-substitution", [&](auto& y) { solve(tree, f, y); }, {2 * D1, 2 * D1, Factor::kUnit ? n : 2 * n, 0, 0});
  check("L x", [&](auto& y) { multiply_by_l(tree, f, y); }, {own + D1, D1, 0, 0, 0});
  check("L^T x", [&](auto& y) { multiply_by_l_transpose(tree, f, y); }, {own + D1, D1, 0, 0, 0});
  check("L^-1 x", [&](auto& y) { solve_l(tree, f, y); }, {D1, D1, own, 0, 0});
  check("L^-T x", [&](auto& y) { solve_l_transpose(tree, f, y); }, {D1, D1, own, 0, 0});
  check("H x by factors", [&](auto& y) { multiply(tree, f, y); },
        {(Factor::kUnit ? n : 2 * n) + 2 * D1, 2 * D1, 0, 0, 0});
  check("H x", [&](auto& y) { multiply_by_packed(tree, packed, x, y); }, {n + 2 * D1, 2 * D1, 0, 0, 0});
  if constexpr (Factor::kUnit) {
    check("L^-1", [&](auto&) { invert_l(tree, f); }, {D2 - D1, D2 - D1, 0, 0, 0});
    f.packed = packed;
    check("with 1/D", [&](auto&) { kernel::factor_ltdl_reciprocal(tree, f.packed.data()); }, {D1 + D2, D2, n, 0, 0});
  }
}
TEST(Ltl, CostsAreThoseOfTable6_6) {
  for_trees([](const DofTree& tree, Random& rng) {
    check_costs<LtlFactor<Counted>>(tree, rng);
    check_costs<LtdlFactor<Counted>>(tree, rng);
  });
}

// 4 Degenerate cases, scalars, discipline ----------------------------------------------------------------------------

TEST(Ltl, TreeWithoutFreedoms) {
  const DofTree tree({}, {});
  LtlFactor<double> f(tree);
  std::vector<double> x;
  factor(tree, f);
  solve(tree, f, x);
  EXPECT_EQ(calc_log_determinant(tree, f), 0);
}
TEST(Ltl, WhatIsNotPositiveDefiniteIsNotHidden) {
  Random rng(3);
  const DofTree tree = chain(2, rng);
  MatrixXd H(2, 2);
  H << 1, 2, 2, 1;
  EXPECT_TRUE(std::isnan(factored<LtlFactor<double>>(tree, H).packed[0]));
  EXPECT_LT(factored<LtdlFactor<double>>(tree, H).packed[0], 0);
}

template <class T, template <class> class Factor>
void check_scalar(const DofTree& tree, const MatrixXd& H, const std::vector<double>& x, double eps) {
  auto f = factored<Factor<T>>(tree, H);
  const auto d = factored<Factor<double>>(tree, H);
  EXPECT_TRUE(near(f.packed, d.packed, 1e3, 0, eps));
  std::vector<T> y;
  for (const double e : x) y.push_back(lit<T>(e));
  std::vector<double> z = x;
  solve(tree, f, y);
  solve(tree, d, z);
  EXPECT_TRUE(near(y, z, 3000, 0, eps));
  EXPECT_TRUE(near(calc_log_determinant(tree, f), calc_log_determinant(tree, d), 200, 0, eps));
}
TEST(Ltl, AllScalarsAgree) {
  for_trees([](const DofTree& tree, Random& rng) {
    const MatrixXd H = random_inertia_matrix(tree, rng);
    const std::vector<double> x = random_vector<double>(tree.size(), rng);
    if (dense_condition(H) > 1e4) return;
#define SINEW_CHECK(T)                                                       \
  check_scalar<T, LtlFactor>(tree, H, x, double(ScalarTraits<T>::kEpsilon)); \
  check_scalar<T, LtdlFactor>(tree, H, x, double(ScalarTraits<T>::kEpsilon));
    SINEW_FOR_EACH_SCALAR(SINEW_CHECK)
#undef SINEW_CHECK
  });
}
// d ln det H = tr(H^-1 dH)
TEST(Ltl, DualsCarryTheDerivativeOfTheDeterminant) {
  for_trees([](const DofTree& tree, Random& rng) {
    const MatrixXd H = random_inertia_matrix(tree, rng), dH = random_inertia_matrix(tree, rng);
    LtdlFactor<Dual> f(tree);
    const std::vector<double> value = packed_of<double>(tree, H), slope = packed_of<double>(tree, dH);
    for (std::size_t i = 0; i < value.size(); ++i) f.packed[i] = Dual{value[i], slope[i]};
    factor(tree, f);
    const double want = dense_product(dense_inverse(H), dH).trace();
    EXPECT_TRUE(near(calc_log_determinant(tree, f).slope, want, 3 * (1 + dense_condition(H))));
  });
}

TEST(Ltl, WrongSizesAreRefusedByName) {
  Random rng(4);
  const DofTree tree = chain(3, rng);
  LtlFactor<double> f(tree);
  std::vector<double> two(2);
  try {
    solve(tree, f, two);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "solve: x has 2 entries, the model needs 3");
  }
  f.packed.pop_back();
  EXPECT_THROW(factor(tree, f), std::invalid_argument);
  EXPECT_THROW(to_dense(tree, f.packed, MatrixView<double>(two.data(), 1, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
