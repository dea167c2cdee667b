// tests/linear/sparse_ldl_test.cpp - the sparse factor against a dense solution
#include "linear/sparse_ldl.hpp"

#include <gtest/gtest.h>

#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_matrix.hpp"

namespace sinew::test {
namespace {

using Eigen::VectorXd;
using Entries = std::vector<linear::SparseSymmetric::Entry>;

// Quasidefinite: the first half of the diagonal positive, the second negative; some places come twice.
Entries make_entries(Random& rng, int n) {
  Entries out;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      if (rng.below(4) == 0) out.push_back({i, j, rng.normal()});
    out.push_back({i, i, i < (n + 1) / 2 ? 2.0 * n : -2.0 * n});
    if (rng.below(2) == 0) out.push_back({i, i, rng.normal()});
  }
  for (int i = n - 1; i > 0; --i) std::swap(out[rng.below(i + 1)], out[i]);
  return out;
}
RowMajor to_dense(const Entries& entries, int n) {
  RowMajor out = RowMajor::Zero(n, n);
  for (const auto& e : entries) {
    out(e.row, e.col) += e.value;
    if (e.row != e.col) out(e.col, e.row) += e.value;
  }
  return out;
}

TEST(SparseLdl, SolvesAsADenseFactorDoes) {
  Random rng(1);
  for (const int n : {0, 1, 2, 7, 30, 60}) {
    Entries entries = make_entries(rng, n);
    linear::SparseSymmetric m;
    linear::SparseLdl ldl;
    EXPECT_EQ(ldl.nonzeros(), 0);
    for (int round = 0; round < 2; ++round) {  // the second with other numbers at the same places
      m.assign(n, entries);
      ASSERT_EQ(m.size(), n);
      const RowMajor A = to_dense(entries, n);
      const VectorXd b = random_vector(rng, n), x0 = random_vector(rng, n);
      ldl.factor(m);
      Numbers x = numbers_of(x0), r = numbers_of(b);
      m.subtract_product(numbers_of(x0), r);
      EXPECT_TRUE(near(r, numbers_of(VectorXd(b - A * x0)), 20, 4.0 * n)) << n;
      ldl.add_solution(numbers_of(b), x);
      EXPECT_TRUE(near(x, numbers_of(VectorXd(x0 + dense_solve(A, b))), 10)) << n;
      for (auto& e : entries) e.value *= rng.uniform(0.5, 1);
    }
  }
}

TEST(SparseSymmetric, AddsUpWhatComesTwiceAndKeepsItsDiagonal) {
  linear::SparseSymmetric m;
  m.assign(3, {{2, 0, 1}, {0, 0, 3}, {2, 2, 0}, {1, 1, 5}, {2, 0, 2}});
  EXPECT_EQ(m.nonzeros(), 4);
  EXPECT_EQ(m.diagonal(2), 0);
  EXPECT_EQ(m.row(m.first(0) + 1), 2);
  EXPECT_EQ(m.value(m.first(0) + 1), 3);
  m.set_diagonal(2, -1);
  EXPECT_EQ(m.diagonal(2), -1);
  linear::SparseLdl ldl;
  ldl.factor(m);
  m.assign(3, {{0, 0, 1}});
  EXPECT_THROW(ldl.factor(m), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
