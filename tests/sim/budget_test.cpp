// tests/sim/budget_test.cpp - steps with too little time for their problems
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/sim/simulation.hpp"
#include "support/falling_boxes.hpp"

namespace sinew::test {
namespace {

// Hardly any time: the run goes on, says which problems lacked it, and stays near the floor.
TEST(StepBudget, IsCountedAndTheRunGoesOn) {
  const Model m = make_falling_boxes(8);
  Simulation hurried(m, {.most_seconds = 1e-9}), calm(m);
  for (int i = 0; i < 500; ++i) hurried.step(), calm.step();
  EXPECT_GT(hurried.totals().out_of_time, 50);
  EXPECT_GE(hurried.totals().unsolved, hurried.totals().out_of_time);
  EXPECT_LT(hurried.totals().deepest, 0.02);
  EXPECT_EQ(calm.totals().out_of_time, 0);
  EXPECT_EQ(calm.totals().unsolved, 0);
}

// Enough time changes no bit.
TEST(StepBudget, EnoughTimeChangesNothing) {
  const Model m = make_falling_boxes(4);
  Simulation a(m, {.most_seconds = INFINITY}), b(m);
  for (int i = 0; i < 300; ++i) a.step(), b.step();
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.totals().out_of_time, 0);
}

TEST(StepBudget, Refuses) {
  const Model m = make_falling_boxes(1);
  EXPECT_THROW(Simulation(m, {.most_seconds = -1}), std::invalid_argument);
  EXPECT_THROW(Simulation(m, {.most_seconds = std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
