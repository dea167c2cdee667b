// tests/lcp/row_layout_test.cpp - where rows stand, and room that is made before any problem is met
#include "sinew/lcp/row_layout.hpp"

#include <gtest/gtest.h>

#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using lcp::RowBlock;
using lcp::RowLayout;

TEST(RowLayout, BlocksFollowEachOtherAndCoverAllRows) {
  for (const int per_contact : {1, 3, 6}) {
    const RowLayout layout{2, 3, 4, per_contact};
    int row = 0;
    for (const RowBlock block : {RowBlock::free, RowBlock::unilateral, RowBlock::contacts}) {
      EXPECT_EQ(layout.begin(block), row);
      for (int i = 0; i < layout.size(block); ++i, ++row) EXPECT_EQ(layout.block_of(row), block) << row;
    }
    EXPECT_EQ(row, layout.rows());
    EXPECT_EQ(layout.rows(), 2 + 3 + 4 * per_contact);
    for (int contact = 0; contact < layout.contacts; ++contact)
      for (int axis = 0; axis < per_contact; ++axis) {
        const int r = layout.row_of_contact(contact) + axis;
        EXPECT_EQ(layout.contact_of(r), contact);
        EXPECT_EQ(layout.axis_of(r), axis);
      }
  }
}

TEST(RowLayout, OfAProblemAndOfItsPyramid) {
  const std::vector<double> mu(4, 0.5), q(17);
  lcp::FrictionProblem p;
  p.q = q, p.mu = mu, p.free = 2, p.unilateral = 3;
  EXPECT_EQ(p.layout().rows(), p.size());
  EXPECT_EQ(make_polyhedral_layout(p, 8).row_of_contact(1), 5 + 10);
  EXPECT_EQ(polyhedral_size(p, 8), 5 + 4 * 10);
  EXPECT_EQ(to_string(p.layout()), "2 free, 3 unilateral and 4 contacts make 17 rows");
}

// The first problem too, also one that all methods of the default path are tried on.
TEST(RowLayout, AfterReserveEvenTheFirstProblemAllocatesNothing) {
  int tried = 0;
  for (int index = 0; index < 120; ++index) {
    const FrictionCase c = make_friction_case(index);
    const lcp::FrictionProblem p = c.problem();
    std::vector<double> z(p.q.size());
    lcp::Solver solver;
    solver.reserve(p.layout());
    const AllocationCount allocations;
    const lcp::Certificate found = solver.solve(p, z);
    EXPECT_EQ(allocations.count(), 0) << "case " << index << ", " << c.kind << ", solved by " << found.solver;
    tried += found.solver == "interior point" || found.solver == "convex rounds";
  }
  EXPECT_GT(tried, 10);
}

// Making room is not solving: the answer is that of a solver without it, bit for bit.
TEST(RowLayout, ReserveDoesNotChangeTheAnswer) {
  for (int index = 0; index < 40; ++index) {
    const FrictionCase c = make_friction_case(index);
    const lcp::FrictionProblem p = c.problem();
    std::vector<double> plain(p.q.size()), with_room(p.q.size());
    lcp::Solver first, second;
    second.reserve({5, 20, c.contacts() + 7});
    first.solve(p, plain), second.solve(p, with_room);
    EXPECT_EQ(plain, with_room) << "case " << index;
  }
}

TEST(RowLayout, OptionsOfOneCallLeaveTheOthersAlone) {
  const FrictionCase c = make_friction_case(3);
  std::vector<double> z(c.q.size()), other(c.q.size());
  lcp::Solver solver({.method = lcp::Method::alart_curnier});
  EXPECT_EQ(solver.solve(c.problem(), z, {.method = lcp::Method::gauss_seidel}).solver, "gauss_seidel");
  EXPECT_EQ(solver.solve(c.problem(), other).solver, "alart_curnier");
  EXPECT_EQ(solver.options.method, lcp::Method::alart_curnier);
}

}  // namespace
}  // namespace sinew::test
