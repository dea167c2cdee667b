// tests/delassus/problem_test.cpp - entries, columns, end-effectors and plans
#include "sinew/delassus/problem.hpp"

#include <gtest/gtest.h>

#include "sinew/delassus/plan.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/delassus_case.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

TEST(DelassusProblem, ColumnsFollowTheNodes) {
  const Model m = compile(mechanisms::chain(5)).value();
  const Problem p(m, 4, {{0, 5}, {1, 2}, {2, 0}, {3, 5}});
  EXPECT_EQ(p.columns(), 3);  // one entry is on the world
  EXPECT_EQ(p.row_of(0), 1);
  EXPECT_EQ(p.row_of(1), 0);
  EXPECT_EQ(p.row_of(2), 3);
  EXPECT_FALSE(p.plain());
  ASSERT_EQ(p.ends().size(), 2u);
  EXPECT_EQ(p.ends()[1].node, 5);
  EXPECT_EQ(p.end_on(3), -1);
  EXPECT_EQ(p.begin(1), 0);
  EXPECT_EQ(p.end(1), 3);
  EXPECT_EQ(p.begin(3), 1);
  EXPECT_TRUE(Problem(m, 2, {{0, 1}, {1, 4}}).plain());
}
TEST(DelassusProblem, WhatDoesNotExistIsRefused) {
  const Model m = compile(mechanisms::chain(5)).value();
  EXPECT_THROW(Problem(m, 1, {{1, 1}}), std::invalid_argument);
  EXPECT_THROW(Problem(m, 1, {{0, 6}}), std::invalid_argument);
  EXPECT_THROW(Problem(m, -1, {}), std::invalid_argument);
  try {
    Problem(m, 2, {{0, 9}});
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "delassus problem: an entry names node 9 (there are 6, counted from 0)");
  }
}

int node_of(const Model& m, const char* frame) { return m.find_frame(frame).value().node; }

// The stations of a humanoid: where arms meet, and the pelvis, which floats.
TEST(DelassusPlan, StationsOfAHumanoid) {
  const Model m = compile(mechanisms::humanoid()).value();
  std::vector<Entry> entries;
  for (const char* frame : {"left_sole", "right_sole", "left_palm", "right_palm"})
    for (int r = 0; r < 6; ++r) entries.push_back({static_cast<int>(entries.size()), node_of(m, frame)});
  const Problem p(m, 24, entries);
  const int chest = m.topology().closest_common_ancestor(node_of(m, "left_palm"), node_of(m, "right_palm"));
  EXPECT_EQ(find_pvr_stations(m, p), std::vector<int>{chest});
  const Plan pvr = make_pvr_plan(m, p);
  ASSERT_EQ(pvr.stations().size(), 2u);
  EXPECT_TRUE(pvr.stations()[0].free);
  EXPECT_EQ(pvr.stations()[1].node, chest);
  EXPECT_EQ(pvr.stations()[1].above, 0);
  EXPECT_EQ(pvr.end(chest) - pvr.begin(chest), 6);
  const Plan pv = make_pv_plan(m, p);
  EXPECT_EQ(pv.stations().size(), 1u);
  EXPECT_EQ(pv.end(chest) - pv.begin(chest), 12);
  // six rows would go three joints further as twelve: not worth a station
  EXPECT_EQ(make_mixed_plan(m, p).stations().size(), 1u);
}
// A leaf of more than six rows is a station of its own.
TEST(DelassusPlan, LargeLeaves) {
  const Model m = compile(mechanisms::chain(20)).value();
  std::vector<Entry> entries;
  for (int r = 0; r < 12; ++r) entries.push_back({r, 20});
  const Problem p(m, 12, entries);
  const Plan plan = make_pvr_plan(m, p);
  ASSERT_EQ(plan.stations().size(), 1u);
  EXPECT_EQ(plan.stations()[0].node, 20);
  EXPECT_EQ(plan.end(7) - plan.begin(7), 6);
}

}  // namespace
}  // namespace sinew::test
