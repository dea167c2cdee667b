// tests/linear/lu_test.cpp - elimination with partial pivoting, and within an envelope
#include "linear/lu.hpp"

#include <gtest/gtest.h>

#include "linear/envelope.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_matrix.hpp"

namespace sinew::test {
namespace {

using Eigen::VectorXd;

// Sizes on both sides of the panels of 16 columns; rows further apart than they are long.
TEST(Lu, SolvesAsEigenDoesForEverySize) {
  Random rng(1);
  for (const int n : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 50, 70}) {
    const RowMajor A = matrix_of_singular_values(rng, n, n, graded(n, 1e-2));
    RowMajor room = RowMajor::Constant(n, n + 5, 7.0);
    room.leftCols(n) = A;
    const MatrixView<double> view(room.data(), at(n), at(n), at(n + 5));
    std::vector<int> order(at(n));
    const double ratio = linear::factor_lu(view, order.data());
    EXPECT_GT(ratio, n == 0 ? 0.5 : 1e-4) << n;
    const VectorXd b = random_vector(rng, n);
    Numbers x = numbers_of(b), work(at(n));
    linear::solve_lu({room.data(), at(n), at(n), at(n + 5)}, order.data(), x.data(), work.data());
    EXPECT_TRUE(near(x, numbers_of(dense_solve(A, b)), 30, 100 * largest(numbers_of(b)))) << n;
    for (int i = 0; i < n; ++i)
      for (int j = n; j < n + 5; ++j) ASSERT_EQ(room(i, j), 7.0);
  }
}

// Rows from 1 down to 1e-12: the residual of each is rounding of its own size.
TEST(Lu, IsStableForGradedRows) {
  Random rng(2);
  const int n = 24;
  RowMajor A = random_matrix(rng, n, n);
  const VectorXd grade = graded(n, 1e-12);
  for (int i = 0; i < n; ++i) A.row(i) *= grade[i];
  RowMajor factor = A;
  std::vector<int> order(at(n));
  linear::factor_lu(view_of(factor), order.data());
  const VectorXd b = grade.cwiseProduct(random_vector(rng, n));
  Numbers x = numbers_of(b), work(at(n));
  linear::solve_lu(view_of(std::as_const(factor)), order.data(), x.data(), work.data());
  const VectorXd rest = (A * Eigen::Map<VectorXd>(x.data(), n) - b).cwiseQuotient(grade);
  EXPECT_TRUE(near(numbers_of(rest), Numbers(at(n)), 100, largest(x)));
}

TEST(Lu, SaysThatAMatrixIsSingular) {
  Random rng(3);
  for (const int n : {1, 2, 7, 20, 40}) {
    VectorXd values = graded(n, 1e-2);
    values[n - 1] = 0;
    RowMajor A = matrix_of_singular_values(rng, n, n, values);
    std::vector<int> order(at(n));
    EXPECT_LE(linear::factor_lu(view_of(A), order.data()), linear::kSingular) << n;
    RowMajor zero = RowMajor::Zero(n, n);
    EXPECT_EQ(linear::factor_lu(view_of(zero), order.data()), 0) << n;
    // with a floor there is an answer, however large
    zero.setZero();
    linear::factor_lu(view_of(zero), order.data(), linear::kPivotFloor);
    Numbers x(at(n), 1.0), work(at(n));
    linear::solve_lu(view_of(std::as_const(zero)), order.data(), x.data(), work.data());
    for (const double e : x) EXPECT_EQ(e, 1 / linear::kPivotFloor);
  }
}

// Row i of the lower and of the upper triangle begins at first[i].
struct EnvelopeCase {
  RowMajor A;
  std::vector<int> first;
};
EnvelopeCase make_envelope(Random& rng, int n, bool symmetric) {
  EnvelopeCase out{RowMajor::Zero(n, n), std::vector<int>(at(n))};
  for (int i = 0; i < n; ++i) {
    out.first[i] = rng.below(i + 1);
    for (int j = out.first[i]; j < i; ++j) {
      out.A(i, j) = rng.normal();
      out.A(j, i) = symmetric ? out.A(i, j) : rng.normal();
    }
    out.A(i, i) = 2 * n + rng.uniform();
  }
  return out;
}

TEST(Envelope, SolvesAsEigenDoes) {
  Random rng(4);
  for (const int n : {0, 1, 2, 5, 9, 23, 40}) {
    const VectorXd b = random_vector(rng, n);
    {
      const EnvelopeCase c = make_envelope(rng, n, true);
      RowMajor A = c.A;
      ASSERT_TRUE(linear::factor_envelope(view_of(A), c.first.data()));
      Numbers x = numbers_of(b);
      linear::solve_envelope(view_of(std::as_const(A)), c.first.data(), x.data());
      EXPECT_TRUE(near(x, numbers_of(dense_solve(c.A, b)), 1)) << n;
    }
    const EnvelopeCase c = make_envelope(rng, n, false);
    RowMajor lower = c.A, upper = c.A.transpose();
    EXPECT_GT(linear::factor_envelope(view_of(lower), view_of(upper), c.first.data()), 0.1);
    Numbers x = numbers_of(b);
    linear::solve_envelope(view_of(std::as_const(lower)), view_of(std::as_const(upper)), c.first.data(), x.data());
    EXPECT_TRUE(near(x, numbers_of(dense_solve(c.A, b)), 1)) << n;
  }
}

TEST(Envelope, SaysWhereItNeedsPivots) {
  const std::vector<int> first{0, 0};
  RowMajor A(2, 2);
  A << 1, 0, 2, 1;  // lower triangle of an indefinite matrix
  EXPECT_FALSE(linear::factor_envelope(view_of(A), first.data()));
  RowMajor lower(2, 2), upper(2, 2);
  lower << 0, 0, 1, 0, upper << 0, 0, 1, 0;  // [0 1; 1 0]
  EXPECT_EQ(linear::factor_envelope(view_of(lower), view_of(upper), first.data()), 0);
  lower << 1, 0, 1, 1, upper << 1, 0, 1, 1;  // [1 1; 1 1]
  EXPECT_EQ(linear::factor_envelope(view_of(lower), view_of(upper), first.data()), 0);
}

TEST(Rows, SumsAreTheSameWhateverTheAlignment) {
  Random rng(5);
  for (int n = 0; n < 40; ++n) {
    Numbers a(at(n + 3)), b(at(n + 3));
    for (double& x : a) x = rng.normal();
    for (double& x : b) x = rng.normal();
    double exact = 0, largest_one = 0;
    for (int i = 0; i < n; ++i) exact += a[i] * b[i], largest_one = std::max(largest_one, std::abs(a[i]));
    const double here = linear::dot(a.data(), b.data(), n);
    EXPECT_TRUE(near(here, exact, 10)) << n;
    EXPECT_EQ(linear::largest_entry(a.data(), n), largest_one);
    Numbers moved(a.size() + 1);
    std::copy(a.begin(), a.end(), moved.begin() + 1);
    EXPECT_EQ(linear::dot(moved.data() + 1, b.data(), n), here);
    EXPECT_TRUE(linear::is_finite(a.data(), at(n)));
    if (n == 0) continue;
    a[n - 1] = n % 2 == 0 ? INFINITY : NAN;
    EXPECT_FALSE(linear::is_finite(a.data(), at(n))) << n;
  }
}

}  // namespace
}  // namespace sinew::test
