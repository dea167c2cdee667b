// tests/linear/fronts_test.cpp
#include "linear/fronts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linear/lu.hpp"
#include "sinew/base/random.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

struct Pattern {
  std::vector<int> sizes;
  std::vector<linear::Edge> edges;
  int unknowns() const {
    int sum = 0;
    for (const int n : sizes) sum += n;
    return sum;
  }
};
Pattern make_pattern(Random& random, int groups, double share) {
  Pattern p;
  for (int i = 0; i < groups; ++i) {
    p.sizes.push_back(1 + static_cast<int>(random.uniform(0, 8)));
    for (int j = 0; j < i; ++j)
      if (random.uniform() < share) p.edges.push_back({i, j});
  }
  return p;
}
Pattern make_grid(int side) {
  Pattern p;
  p.sizes.assign(at(side * side), 6);
  for (int i = 0; i < side * side; ++i)
    for (const int step : {side, 1})
      if (i >= step && (step > 1 || i % side != 0)) p.edges.push_back({i, i - step});
  return p;
}

// Fills the blocks with random numbers, and the dense matrix alike.
std::vector<double> fill(const Pattern& p, linear::Fronts& fronts, Random& random) {
  const std::size_t n = at(p.unknowns());
  std::vector<double> A(n * n);
  std::vector<std::size_t> start;
  std::size_t sum = 0;
  for (const int size : p.sizes) start.push_back(sum), sum += at(size);
  const auto put = [&](double* block, int row, int column) {
    for (int i = 0; i < p.sizes[at(row)]; ++i)
      for (int j = 0; j < p.sizes[at(column)]; ++j) {
        const double x = random.normal() + (row == column && i == j ? 10 : 0);
        *block++ = A[(start[at(row)] + at(i)) * n + start[at(column)] + at(j)] = x;
      }
  };
  for (int g = 0; g < static_cast<int>(p.sizes.size()); ++g) put(fronts.diagonal(g), g, g);
  for (int e = 0; e < static_cast<int>(p.edges.size()); ++e) {
    put(fronts.high_low(e), p.edges[at(e)].high, p.edges[at(e)].low);
    put(fronts.low_high(e), p.edges[at(e)].low, p.edges[at(e)].high);
  }
  return A;
}

TEST(Fronts, SolvesAsDenseEliminationDoes) {
  linear::Fronts fronts;
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Pattern p = make_pattern(random, 1 + seed % 30, 0.02 + 0.08 * (seed % 5));
    fronts.analyse(p.sizes, p.edges);
    std::vector<double> A = fill(p, fronts, random);
    ASSERT_TRUE(fronts.factor()) << seed;
    std::vector<double> b(at(p.unknowns()));
    for (double& x : b) x = random.normal();
    std::vector<double> x(b.size()), work(b.size()), dense = b;
    std::vector<int> order(b.size());
    fronts.solve(b.data(), x.data());
    linear::factor_lu({A.data(), b.size(), b.size()}, order.data());
    linear::solve_lu({A.data(), b.size(), b.size()}, order.data(), dense.data(), work.data());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - dense[i]));
    EXPECT_TRUE(is_small(worst, 2e-14)) << seed;
  }
}

// The order depends on the pattern alone: a factor that has seen other patterns gives the same bits.
TEST(Fronts, TheSameBitsWhateverWasSolvedBefore) {
  linear::Fronts used;
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Pattern p = make_pattern(random, 25, 0.15);
    linear::Fronts fresh;
    std::vector<double> b(at(p.unknowns()), 1.0), x = b, y = b;
    for (linear::Fronts* f : {&fresh, &used}) {
      Random numbers(seed);
      f->analyse(p.sizes, p.edges);
      fill(p, *f, numbers);
      ASSERT_TRUE(f->factor());
      f->solve(b.data(), f == &fresh ? x.data() : y.data());
    }
    EXPECT_EQ(x, y) << seed;
  }
}

// A grid of n groups fills n log n blocks, a band n^1.5.
TEST(Fronts, GridsFillLittle) {
  linear::Fronts fronts;
  for (const int side : {8, 16, 32}) {
    const Pattern p = make_grid(side);
    fronts.analyse(p.sizes, p.edges);
    const double groups = side * side, blocks = static_cast<double>(fronts.entries()) / 36;
    EXPECT_LT(blocks, 5 * groups * std::log2(groups)) << side;
  }
}

TEST(Fronts, ASingularMatrixIsSaidToBe) {
  linear::Fronts fronts;
  const Pattern p = make_grid(3);
  fronts.analyse(p.sizes, p.edges);
  fronts.clear();
  EXPECT_FALSE(fronts.factor());
  Random random(1);
  fill(p, fronts, random);
  fronts.diagonal(4)[0] = NAN;
  EXPECT_FALSE(fronts.factor());
}

TEST(Fronts, TheSamePatternAllocatesNothing) {
  linear::Fronts fronts;
  const Pattern p = make_grid(6);
  Random random(1);
  std::vector<double> b(at(p.unknowns()), 1.0);
  fronts.analyse(p.sizes, p.edges);
  fill(p, fronts, random);
  const AllocationCount allocations;
  fronts.analyse(p.sizes, p.edges);
  ASSERT_TRUE(fronts.factor());
  fronts.solve(b.data(), b.data());
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
