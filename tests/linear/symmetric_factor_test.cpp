// tests/linear/symmetric_factor_test.cpp - factors of positive definite and semidefinite matrices
#include "sinew/linear/symmetric_factor.hpp"

#include <gtest/gtest.h>

#include "linear/growing_cholesky.hpp"
#include "linear/ldl.hpp"
#include "linear/rows.hpp"
#include "linear/semidefinite.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/linear/tolerance.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_matrix.hpp"

namespace sinew::test {
namespace {

using Eigen::VectorXd;

linear::SymmetricFactor make_factor(const RowMajor& A) {
  const int n = static_cast<int>(A.rows());
  linear::SymmetricFactor f(n + 3);  // a smaller problem in the room of a larger one
  f.resize(n);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) f(i, j) = A(i, j);
  return f;
}

// Every width of the strips of sixteen, eight and four columns.
TEST(SymmetricFactor, SolvesAsEigenDoesForEverySize) {
  Random rng(1);
  for (int n = 0; n <= 40; ++n) {
    const RowMajor A = symmetric_of_eigenvalues(rng, graded(n, 1e-2));
    const VectorXd b = random_vector(rng, n);
    linear::SymmetricFactor f = make_factor(A);
    ASSERT_TRUE(factor(f)) << n;
    Numbers x = numbers_of(b);
    solve(f, x.data());
    EXPECT_TRUE(near(x, numbers_of(dense_solve(A, b)), 30, 100 * largest(numbers_of(b)))) << n;
  }
}

// Scaling of rows by powers of ten changes no pivot's share of its diagonal.
TEST(SymmetricFactor, IsNotTroubledByUnits) {
  Random rng(2);
  const int n = 12;
  const RowMajor A = symmetric_of_eigenvalues(rng, graded(n, 1e-1));
  VectorXd unit(n);
  for (int i = 0; i < n; ++i) unit[i] = std::pow(10, i - 6);
  const RowMajor scaled = unit.asDiagonal() * A * unit.asDiagonal();
  const VectorXd b = random_vector(rng, n);
  linear::SymmetricFactor f = make_factor(scaled);
  ASSERT_TRUE(factor(f, 1e-3));
  Numbers x = numbers_of(VectorXd(unit.cwiseProduct(b)));
  solve(f, x.data());
  for (int i = 0; i < n; ++i) x[i] *= unit[i];
  EXPECT_TRUE(near(x, numbers_of(dense_solve(A, b)), 30, 10 * largest(numbers_of(b))));
}

TEST(SymmetricFactor, NamesTheRowThatOthersImply) {
  Random rng(3);
  RowMajor J = random_matrix(rng, 6, 20);
  J.row(4) = 2 * J.row(1) - J.row(2);
  const RowMajor A = J * J.transpose();
  std::vector<double> a(6 * static_cast<std::size_t>(linear::ldl_stride(6))), work(12);
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) a[i * linear::ldl_stride(6) + j] = A(i, j);
  const linear::LdlOutcome out = linear::factor_ldl(a.data(), 6, linear::kImpliedPivot, work.data(), work.data() + 6);
  EXPECT_EQ(out.singular_row, 4);
  EXPECT_LT(std::abs(out.least_pivot), 1e-14);
  linear::SymmetricFactor indefinite = make_factor(RowMajor(-A));
  EXPECT_FALSE(factor(indefinite));
}

TEST(SmallLdl, InvertsAndSolvesUpToSixRows) {
  Random rng(4);
  for (int n = 0; n <= 6; ++n) {
    const RowMajor A = symmetric_of_eigenvalues(rng, graded(n, 1e-2));
    linear::SmallLdl<double> f{n, {}};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) f.a[i][j] = A(i, j);
    f.factor();
    const VectorXd b = random_vector(rng, n);
    Numbers x = numbers_of(b);
    f.solve(x.data());
    EXPECT_TRUE(near(x, numbers_of(dense_solve(A, b)), 10, 100 * largest(numbers_of(b)))) << n;
    if (n < 6) continue;
    Mat6<double> m;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) m(i, j) = A(i, j);
    const RowMajor inverse = dense_inverse(A);
    EXPECT_TRUE(near(flatten(linear::inverse_of(m)), Numbers(inverse.data(), inverse.data() + 36), 10, 100));
  }
}

// A = L L^T again, and as many columns as the rank.
TEST(Semidefinite, FindsTheRankAndTheFactor) {
  Random rng(5);
  for (const int n : {0, 1, 2, 5, 17, 40})
    for (int rank = 0; rank <= n; rank += n < 6 ? 1 : 7) {
      VectorXd values = VectorXd::Zero(n);
      values.head(rank) = graded(rank, 1e-6);
      const RowMajor A = symmetric_of_eigenvalues(rng, values);
      RowMajor L = RowMajor::Zero(n, n);
      std::vector<double> diagonal(at(n));
      std::vector<int> order(at(n));
      for (int i = 0; i < n; ++i) diagonal[i] = A(i, i);
      const int found = linear::factor_semidefinite(
          view_of(L), diagonal.data(), order.data(), linear::kSemidefinite,
          [&](int i, int p, int k) { return A(i, p) - linear::dot(L.row(i).data(), L.row(p).data(), k); });
      ASSERT_EQ(found, rank) << n;
      const RowMajor again = L * L.transpose();
      EXPECT_TRUE(near(numbers_of(again), numbers_of(A), 4)) << n << ' ' << rank;
      std::sort(order.begin(), order.end());
      for (int i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
    }
}

TEST(Semidefinite, TakesTheFirstOfEqualDiagonals) {
  RowMajor L = RowMajor::Zero(4, 4);
  std::vector<double> diagonal{1, 2, 1, 2};
  std::vector<int> order(4);
  EXPECT_EQ(
      linear::factor_semidefinite(view_of(L), diagonal.data(), order.data(), 0, [](int, int, int) { return 0.0; }), 4);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 0, 2}));
}

TEST(GrowingCholesky, LeavesOutRowsThatDepend) {
  Random rng(6);
  RowMajor J = random_matrix(rng, 9, 20);
  J.row(3) = J.row(0) - 2 * J.row(2);
  J.row(7).setZero();
  const RowMajor A = J * J.transpose();
  linear::GrowingCholesky f;
  std::vector<int> kept;
  for (int r = 0; r < 9; ++r)
    if (f.add(A(r, r), linear::kImpliedContact, [&](std::size_t i) { return A(kept[i], r); })) kept.push_back(r);
  EXPECT_EQ(kept, (std::vector<int>{0, 1, 2, 4, 5, 6, 8}));
  ASSERT_EQ(f.size(), kept.size());
  RowMajor part(7, 7);
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) part(i, j) = A(kept[i], kept[j]);
  const VectorXd b = random_vector(rng, 7);
  Numbers x = numbers_of(b);
  f.solve([&](std::size_t i) -> double& { return x[i]; });
  EXPECT_TRUE(near(x, numbers_of(dense_solve(part, b)), 20));
  f.clear();
  EXPECT_EQ(f.size(), 0u);
}

}  // namespace
}  // namespace sinew::test
