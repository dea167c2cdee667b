// tests/constraint/rank/explicit_form_test.cpp - K x = k as x = G y + g, for every rank
#include "sinew/constraint/rank/explicit_form.hpp"

#include <gtest/gtest.h>

#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// m x n of the given rank, entries of order 1.
Grid<double> random_matrix(Random& rng, int m, int n, int rank) {
  Grid<double> A(m, rank), B(rank, n), out(m, n);
  for (double& x : A.numbers) x = rng.uniform(-1, 1);
  for (double& x : B.numbers) x = rng.uniform(-1, 1);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < rank; ++k) out(i, j) += A(i, k) * B(k, j);
  return out;
}
MatrixView<const double> view(const Grid<double>& A) { return {A.numbers.data(), A.rows, A.cols}; }

TEST(ExplicitForm, SolvesForEveryRank) {
  Random rng(1);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + rng.below(9), m = rng.below(11), rank = rng.below(std::min(m, n) + 1);
    SCOPED_TRACE(testing::Message() << m << " x " << n << " of rank " << rank);
    Grid<double> K = random_matrix(rng, m, n, rank);
    const std::vector<double> k = K * random_numbers(rng, n);
    const ExplicitForm f = calc_explicit_form(view(K), k);
    ASSERT_EQ(f.rank, rank);
    EXPECT_EQ(static_cast<int>(f.independent.size()), n - rank);
    EXPECT_EQ(static_cast<int>(f.redundant.size()), m - rank);
    EXPECT_TRUE(near(K * f.g, k, 100)) << "K g = k";  // [F08 8.51]
    EXPECT_TRUE(near(f.inconsistency, 0.0, 100));
    const std::size_t free = f.independent.size();
    for (std::size_t c = 0; c < free; ++c) {
      std::vector<double> column;
      for (std::size_t i = 0; i < f.g.size(); ++i) column.push_back(f.G[i * free + c]);
      EXPECT_TRUE(near(K * column, std::vector<double>(k.size()), 100)) << "K G = 0";
      // An identity in the independent rows: full column rank.
      for (std::size_t r = 0; r < free; ++r) EXPECT_EQ(column[f.independent[r]], r == c ? 1.0 : 0.0);
    }
  }
}

TEST(ExplicitForm, KeepsTheIndependentsThatAreNamed) {
  // x0 + x1 = 1, x1 + x2 = 2, and their difference.
  const std::vector<double> K{1, 1, 0, 0, 0, 1, 1, 0, 1, 0, -1, 0}, k{1, 2, -1};
  const MatrixView<const double> K_view(K.data(), 3, 4);
  for (const int y : {0, 1, 2}) {
    const ExplicitForm f = calc_explicit_form(K_view, k, {.independent = {y}});
    EXPECT_EQ(f.rank, 2);
    EXPECT_EQ(f.independent, (std::vector<int>{y, 3}));
    EXPECT_EQ(f.redundant.size(), 1u);
    EXPECT_EQ(f.g[y], 0);
  }
  EXPECT_THROW(calc_explicit_form(K_view, k, {.independent = {0, 2}}), std::invalid_argument);
  EXPECT_THROW(calc_explicit_form(K_view, k, {.independent = {4}}), std::invalid_argument);
  EXPECT_THROW(calc_explicit_form(K_view, std::vector<double>(2)), std::invalid_argument);
}

TEST(ExplicitForm, SaysByHowMuchRowsContradict) {
  const std::vector<double> K{1, 2, 2, 4}, k{1, 5};
  const ExplicitForm f = calc_explicit_form({K.data(), 2, 2}, k);
  EXPECT_EQ(f.rank, 1);
  EXPECT_TRUE(near(f.inconsistency, 1.5, 4));  // the row of the larger pivot is kept: 1 - 5 / 2
  EXPECT_EQ(f.redundant, std::vector<int>{0});
}

}  // namespace
}  // namespace sinew::test
