// tests/spatial/counts_test.cpp - the costs of [F08] Tables A.4, A.5 and section A.5, to the operation
#include "reproduce/spatial_costs.hpp"
#include "sinew/base/scalars.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using C = Counted;

// The tables of `sinew reproduce f08`.
void check(const std::vector<app::SpatialCost>& table) {
  for (const app::SpatialCost& row : table)
    EXPECT_EQ(row.counted, row.book) << row.name << ": " << row.counted.mul << "m + " << row.counted.add
                                     << "a, the book has " << row.book.mul << "m + " << row.book.add << "a";
}

TEST(Counts, TableA4) {
  const auto table = app::SpatialCosts().table_a4();
  EXPECT_EQ(table.size(), 24u);
  check(table);
}

TEST(Counts, TableA5) {
  const auto table = app::SpatialCosts().table_a5();
  EXPECT_EQ(table.size(), 34u);  // eleven for each axis, and one between Denavit-Hartenberg frames
  check(table);
}

TEST(Counts, TricksOfA5) {
  const auto table = app::SpatialCosts().tricks();
  EXPECT_EQ(table.size(), 9u);
  check(table);
}

// What Counted leaves out, and what it does not.
TEST(Counts, TrivialOperandsAreFree) {
  const C x(0.3), y(-0.7), zero(0), one(1), minus(-1);
  const Tally free;
  x + zero, zero + x, x - zero, zero - x, -x;
  x *zero, x *one, x *minus, minus *x, zero *y;
  x / one, x / minus, zero / x, select(x < y, x, y), abs(x), min(x, y);
  EXPECT_EQ(free.count(), OperationCount{});
  const Tally not_free;
  x *y, lit<C>(2) * x, x *x, x + y, x - y, x + one;
  EXPECT_EQ(not_free.count(), (OperationCount{3, 3, 0, 0, 0}));
  const Tally tally;
  C s, c;
  sincos(x, s, c), sqrt(x), atan2(x, y), x / y;
  EXPECT_EQ(tally.count(), (OperationCount{0, 0, 1, 1, 3}));
}

}  // namespace
}  // namespace sinew::test
