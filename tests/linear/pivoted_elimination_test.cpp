// tests/linear/pivoted_elimination_test.cpp - rank, solutions and what rows and columns imply each other
#include "sinew/linear/pivoted_elimination.hpp"

#include <gtest/gtest.h>

#include "sinew/linear/tolerance.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_matrix.hpp"

namespace sinew::test {
namespace {

using Eigen::VectorXd;

TEST(PivotedElimination, FindsTheRank) {
  Random rng(1);
  for (const auto& [rows, cols] : kShapes)
    for (int rank = 0; rank <= std::min(rows, cols); ++rank) {
      const RowMajor A = matrix_of_singular_values(rng, rows, cols, graded(rank, 1e-4));
      const linear::PivotedElimination e = linear::eliminate(view_of(A), linear::kDependent);
      EXPECT_EQ(e.rank, rank) << rows << " x " << cols;
      if (rank > 0) {
        EXPECT_EQ(e.rank, dense_rank(A, linear::kDependent));
      }
    }
}

// A N = 0, and rows that are left are combinations of the pivot rows.
TEST(PivotedElimination, ShowsWhatIsImplied) {
  Random rng(2);
  for (const auto& [rows, cols] : kShapes) {
    const int rank = std::min(rows, cols) / 2;
    const RowMajor A = matrix_of_singular_values(rng, rows, cols, graded(rank, 1e-2));
    const linear::PivotedElimination e = linear::eliminate(view_of(A), linear::kDependent);
    ASSERT_EQ(e.rank, rank);
    Numbers x(at(rank));
    for (int j = 0; j < cols - rank; ++j) {
      calc_null_column(e, j, x.data());
      VectorXd null = VectorXd::Zero(cols);
      for (int p = 0; p < rank; ++p) null[e.col[p]] = x[p];
      null[e.col[rank + j]] = 1;
      EXPECT_TRUE(near(numbers_of(VectorXd(A * null)), Numbers(at(rows)), 20, null.cwiseAbs().maxCoeff()));
    }
    for (int i = 0; i < rows - rank; ++i) {
      calc_combination(e, i, x.data());
      VectorXd rest = A.row(e.row[rank + i]).transpose();
      for (int p = 0; p < rank; ++p) rest -= x[p] * A.row(e.row[p]).transpose();
      EXPECT_TRUE(near(numbers_of(rest), Numbers(at(cols)), 20));
    }
  }
}

TEST(PivotedElimination, SolvesAsEigenDoes) {
  Random rng(3);
  for (const int n : {0, 1, 2, 6, 15, 30}) {
    const RowMajor A = matrix_of_singular_values(rng, n, n, graded(n, 1e-2));
    const VectorXd b = random_vector(rng, n);
    EXPECT_TRUE(
        near(linear::solve(view_of(A), numbers_of(b)), numbers_of(dense_solve(A, b)), 30, 100 * largest(numbers_of(b))))
        << n;
    const linear::PivotedElimination e = linear::eliminate(view_of(A), 0);
    Numbers y(at(n));
    for (int p = 0; p < n; ++p) y[p] = b[e.col[p]];
    solve_pivots_transpose(e, y.data());
    Numbers x(at(n));
    for (int p = 0; p < n; ++p) x[e.row[p]] = y[p];
    EXPECT_TRUE(near(x, numbers_of(dense_solve(A.transpose(), b)), 30, 100 * largest(numbers_of(b)))) << n;
  }
}

// Equations that agree: some solution, zero where there is no pivot.
TEST(PivotedElimination, SolvesWhatIsSingularButConsistent) {
  Random rng(4);
  const RowMajor A = matrix_of_singular_values(rng, 9, 7, graded(4, 1e-2));
  const VectorXd b = A * random_vector(rng, 7);
  const Numbers x = linear::solve(view_of(A), numbers_of(b));
  const VectorXd again = A * Eigen::Map<const VectorXd>(x.data(), 7);
  EXPECT_TRUE(near(numbers_of(again), numbers_of(b), 20, largest(x)));
  EXPECT_EQ(std::count(x.begin(), x.end(), 0.0), 3);
  EXPECT_THROW(linear::solve(view_of(A), Numbers(8)), std::invalid_argument);
}

// Held columns become pivots last; leading rows and columns that are known to be independent always.
TEST(PivotedElimination, HoldsColumnsAndKeepsLeadingOnes) {
  linear::PivotedElimination e(2, 3);
  e(0, 0) = 9, e(0, 1) = 1, e(1, 2) = 0.5, e(1, 0) = 9;
  e.held[0] = 1;
  eliminate(e, 1e-9);
  EXPECT_EQ(e.rank, 2);
  EXPECT_EQ(e.col[2], 0);

  linear::PivotedElimination k(2, 2);
  k(0, 0) = 1e-30, k(1, 1) = 1;
  eliminate(k, 1e-9);
  EXPECT_EQ(k.rank, 1);
  k.resize(2, 2);
  k(0, 0) = 1e-30, k(1, 1) = 1;
  eliminate(k, 1e-9, 1);
  EXPECT_EQ(k.rank, 2);
}

}  // namespace
}  // namespace sinew::test
