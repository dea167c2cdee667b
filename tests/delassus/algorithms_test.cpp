// tests/delassus/algorithms_test.cpp - every Delassus algorithm on every kind of problem (OS-1 .. OS-7)
#include <gtest/gtest.h>

#include "sinew/delassus/algorithm.hpp"
#include "support/delassus_case.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

std::vector<double> matrix_of(const DelassusCase& c, Algorithm a) {
  Delassus<double> delassus(c.model, c.problem, a);
  return delassus_numbers<double>(c.problem, [&](auto W) { delassus.calc(c.q, c.K, W); });
}

// 1 Second path ------------------------------------------------------------------------------------------------------

// 2000 random problems. The definition is a product of three matrices, whose condition limits what it can say.
TEST(Delassus, AllAlgorithmsAreTheDefinition) {
  for (int seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    const std::vector<double> want = numbers_of(naive_delassus(c));
    const double condition = c.model.nv() ? conditioning(c) : 1;
    for (const Algorithm a : kAlgorithms) EXPECT_TRUE(near(matrix_of(c, a), want, 50 * condition)) << to_string(a);
    if (HasFailure()) break;
  }
}

// Among themselves, where the mass matrix does not blur them: to 1e-11 of the largest entry.
TEST(Delassus, AlgorithmsAgreeAmongThemselves) {
  int compared = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0 || c.problem.columns() == 0 || conditioning(c) > 1e4) continue;
    ++compared;
    const std::vector<double> want = matrix_of(c, Algorithm::pvr);
    for (const Algorithm a : kAlgorithms) EXPECT_TRUE(near(matrix_of(c, a), want, 1e-11 / 0x1p-52)) << to_string(a);
  }
  EXPECT_GT(compared, 1000);
}

// 2 Identities -------------------------------------------------------------------------------------------------------

// Symmetric and positive semidefinite; rows without entries, or on the world only, are zero.
TEST(Delassus, SymmetricSemidefiniteAndZeroWhereNothingActs) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    Random rng(static_cast<std::uint64_t>(seed));
    const std::size_t n = static_cast<std::size_t>(c.problem.rows());
    std::vector<bool> acts(n);
    for (const Entry& e : c.problem.entries()) acts[e.row] = acts[e.row] || e.node != 0;
    for (const Algorithm a : kAlgorithms) {
      const std::vector<double> W = matrix_of(c, a);
      const std::vector<double> x = random_numbers(rng, c.problem.rows());
      double form = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_EQ(W[i * n + j], W[j * n + i]);
          if (!acts[i]) {
            EXPECT_EQ(W[i * n + j], 0);
          }
          form += x[i] * W[i * n + j] * x[j];
        }
      EXPECT_GE(form, -1e-12 * largest(W) * static_cast<double>(n * n)) << to_string(a);
    }
  }
}
TEST(Delassus, NoRowsIsNoMatrix) {
  const DelassusCase c = random_delassus_case(0);  // every eleventh has none
  const Problem none(c.model, 0, {});
  for (const Algorithm a : kAlgorithms) {
    Delassus<double> delassus(c.model, none, a);
    delassus.calc(c.q, {}, {nullptr, 0, 0});
  }
}

// 3 Scalars, discipline ----------------------------------------------------------------------------------------------

template <class T>
std::vector<double> values_in(const DelassusCase& c, Algorithm a) {
  std::vector<T> q;
  for (const double x : c.q) q.push_back(lit<T>(x));
  std::vector<Force<T>> K;
  for (const Force<double>& f : c.K) K.push_back(cast<T>(f));
  Delassus<T> delassus(c.model, c.problem, a);
  std::vector<double> out;
  for (const T& x : delassus_numbers<T>(c.problem, [&](auto W) { delassus.calc(q, K, W); }))
    out.push_back(lane_of(x, 0));
  return out;
}
TEST(Delassus, AllScalarsAgree) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0 || conditioning(c) > 1e3) continue;
    for (const Algorithm a : kAlgorithms) {
      const std::vector<double> want = matrix_of(c, a);
      EXPECT_TRUE(near(values_in<Counted>(c, a), want, 50)) << to_string(a);
      EXPECT_TRUE(near(values_in<Dual>(c, a), want, 50)) << to_string(a);
      EXPECT_TRUE(near_float(values_in<float>(c, a), want, 20 * conditioning(c))) << to_string(a);
    }
  }
}
TEST(Delassus, AllocatesNothingAndRepeatsItsBits) {
  for (const int seed : {3, 17, 40}) {
    const DelassusCase c = random_delassus_case(seed);
    for (const Algorithm a : kAlgorithms) {
      Delassus<double> delassus(c.model, c.problem, a);
      const std::size_t n = static_cast<std::size_t>(c.problem.rows());
      std::vector<double> first(n * n), second(n * n);
      delassus.calc(c.q, c.K, {first.data(), n, n});
      const AllocationCount allocations;
      delassus.calc(c.q, c.K, {second.data(), n, n});
      EXPECT_EQ(allocations.count(), 0) << to_string(a);
      EXPECT_EQ(first, second) << to_string(a);
    }
  }
}
TEST(Delassus, WrongSizesAreRefusedByName) {
  const DelassusCase c = random_delassus_case(3);
  const std::size_t n = static_cast<std::size_t>(c.problem.rows());
  std::vector<double> W((n + 1) * (n + 1));
  for (const Algorithm a : kAlgorithms) {
    Delassus<double> delassus(c.model, c.problem, a);
    EXPECT_THROW(delassus.calc(c.q, c.K, {W.data(), n + 1, n}), std::invalid_argument);
    EXPECT_THROW(delassus.calc({}, c.K, {W.data(), n, n}), std::invalid_argument);
    EXPECT_THROW(delassus.calc(c.q, {}, {W.data(), n, n}), std::invalid_argument);
  }
  EXPECT_EQ(find_algorithm("pvr"), Algorithm::pvr);
  EXPECT_EQ(find_algorithm("quick"), std::nullopt);
}

}  // namespace
}  // namespace sinew::test
