// tests/sim/budget_test.cpp - steps with too little time for their problems
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::test {
namespace {

Model make_falling_boxes(int boxes) {
  std::string bodies;
  for (int i = 0; i < boxes; ++i)
    bodies += "<body pos=\"" + std::to_string(0.03 * (i % 3)) + " " + std::to_string(0.02 * (i % 5)) + " " +
              std::to_string(0.06 + 0.11 * i) + "\" euler=\"" + std::to_string(20 * i) + " " + std::to_string(7 * i) +
              " 0\"><freejoint/><geom type=\"box\" size=\".05 .04 .03\" mass=\"1\"/></body>";
  return compile(parse_mjcf("<mujoco><option timestep=\"0.002\"/><worldbody><geom type=\"plane\" size=\"5 5 1\"/>" +
                            bodies + "</worldbody></mujoco>")
                     .value())
      .value();
}

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
