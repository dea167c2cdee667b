// tests/sim/scenes_test.cpp - every scene in models/scenes does what its first line says
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/constraint/two_trees/primary_secondary.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/sim/snapshot.hpp"
#include "sinew/tree/momentum.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

TEST(Scenes, EveryFileHasATestHere) {
  const std::set<std::string> tested{"box_stack",     "capture",    "domino_row",     "dual_arm_wheel",
                                     "four_bar_wall", "gripper",    "humanoid_falls", "newtons_cradle",
                                     "quadruped",     "rattleback", "rocking_block",  "slide_to_roll",
                                     "tippe_top"};  // the rattleback's and the top's: friction_order_test.cpp
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(std::string(SINEW_SOURCE_DIR) + "/models/scenes"))
    if (file.path().extension() == ".xml") found.insert(file.path().stem().string());
  EXPECT_EQ(found, tested);
}

TEST(Scenes, TheBoxesStayWhereTheyAre) {
  Scenario s = Scenario::load("box_stack");
  s.run_for(2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(norm(s.position(fmt::format("box{}", i)) - Vec3<double>{0, 0, 0.05 + 0.1 * i}), 0, 2e-14) << i;
  }
  EXPECT_NEAR(s.force("box0", "world").z, 10 * kGravity, 3e-12);
}

// At rest the impulses of one step are right for the next, mostly without a look at the matrix; rounding moves nothing.
// A run that is cut there goes on with the same bits.
TEST(Scenes, WhatRestsIsNotSolvedAgain) {
  Scenario s = Scenario::load("box_stack"), other = Scenario::load("box_stack");
  for (int i = 0; i < 500; ++i) s.sim().step();
  int again = 0;
  for (int i = 0; i < 200; ++i) {
    if (i == 150) other.sim().restore(s.sim().make_snapshot());
    const StepReport& r = s.sim().step();
    EXPECT_EQ(r.unsolved + r.close, 0);
    EXPECT_TRUE(is_small(r.residual, 5e-13));
    again += r.solver == lcp::kLastAnswer;
  }
  EXPECT_GT(again, 120);
  for (int i = 150; i < 200; ++i) other.sim().step();
  EXPECT_EQ(s.sim().state.q, other.sim().state.q);
  EXPECT_EQ(s.sim().state.v, other.sim().state.v);
  EXPECT_EQ(s.sim().totals().iterations, other.sim().totals().iterations);
}

TEST(Scenes, TheDominoesFallInTurn) {
  Scenario s = Scenario::load("domino_row");
  std::vector<double> fell(20, INFINITY);
  while (s.sim().state.time < 0.9 && std::isinf(fell[19])) {
    s.step();
    for (std::size_t i = 0; i < fell.size(); ++i)
      if (s.tilt(fmt::format("domino{}", i)) > 0.3) fell[i] = std::min(fell[i], s.sim().state.time);
  }
  for (std::size_t i = 1; i < fell.size() && std::isfinite(fell[i]); ++i) EXPECT_GT(fell[i], fell[i - 1]) << i;
  EXPECT_TRUE(std::isfinite(fell[19])) << testing::PrintToString(fell);
}

// Only joints brake, so the momentum of the whole stays, to the order of the step.
TEST(Scenes, TheCapturedSatelliteStopsTumbling) {
  Scenario s = Scenario::load("capture");
  MomentumWorkspace<double> ws(s.model());
  const auto momentum = [&] { return calc_momentum(s.model(), ws, s.sim().state.q, s.sim().state.v); };
  const auto turning = [&](const char* body) {
    return norm(get_velocity(ws.motion, s.model().bodies()[*s.model().find_body(body)], ReferenceFrame::mixed).ang);
  };
  const Force<double> before = momentum();
  const double energy = s.energy();
  EXPECT_GT(turning("satellite"), 0.07);
  s.run_for(8);
  EXPECT_TRUE(near(momentum(), before, 1, 1, 0.003));
  EXPECT_LT(s.energy(), 0.21 * energy);
  EXPECT_LT(turning("satellite"), 0.02);
}

// The weld of the scene is the coupling of two trees at the same state.
TEST(Scenes, TheCaptureIsACoupling) {
  Scenario s = Scenario::load("capture");
  const Model p = compile(mechanisms::servicer()).value(), satellite = compile(mechanisms::satellite()).value();
  const State& x = s.sim().state;
  const ConstraintSet set(s.model());
  ConstrainedWorkspace ws(s.model(), set);
  std::vector<double> tau(24), want(24), lambda(6), got(24), f(6);
  ASSERT_EQ(constrained_forward_dynamics(s.model(), set, ws, x.q, x.v, tau, want, lambda).status, SolveStatus::solved);
  const LoopEntry& weld = s.model().loops()[0];
  Place hand = *p.find_frame("left_hand"), grip = satellite.bodies()[1];
  hand.in_node = weld.in_a, grip.in_node = weld.in_b;
  CoupledTree tree_p(p, {hand}), tree_s(satellite, {grip});
  prepare(p, tree_p, {x.q.data(), 19}, {x.v.data(), 18}, {tau.data(), 18});
  prepare(satellite, tree_s, {x.q.data() + 19, 7}, {x.v.data() + 18, 6}, {tau.data() + 18, 6});
  std::vector<double> A(36), B(36), U(6);
  for (std::size_t i = 0; i < 6; ++i) A[7 * i] = 1, B[7 * i] = -1, U[i] = tree_s.bias[i] - tree_p.bias[i];
  CouplingWorkspace coupling(tree_p, tree_s, 6);
  couple(p, tree_p, satellite, tree_s, coupling, {A.data(), 6, 6}, {B.data(), 6, 6}, U, {got.data(), 18},
         {got.data() + 18, 6}, f);
  EXPECT_TRUE(near(got, want, 40));
}

// Five balls at once: the first keeps (2/5 - 1) of its speed, the others get 2/5. Nothing is lost.
TEST(Scenes, TheCradleTakesTheSimultaneousLaw) {
  Scenario s = Scenario::load("newtons_cradle");
  const double before = s.energy();
  double speed = 0;
  while (s.sim().totals().collisions == 0 && s.sim().state.time < 1) speed = s.sim().state.v[0], s.step();
  ASSERT_GT(s.sim().totals().collisions, 0);
  EXPECT_NEAR(std::abs(speed) * 0.8, std::sqrt(2 * kGravity * 0.8 * (1 - std::cos(0.6))), 5e-3);
  EXPECT_NEAR(s.sim().state.v[0], -0.6 * speed, 5e-4);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(s.sim().state.v[i], 0.4 * speed, 2e-5) << i;
  EXPECT_NEAR(s.energy(), before, 1e-6 * before);  // of velocities that are half a step old
}

TEST(Scenes, TheBallRollsInTheEnd) {
  Scenario s = Scenario::load("slide_to_roll");
  s.run_for(0.3);
  EXPECT_NEAR(s.velocity("ball").x, 5.0 / 7, 5e-14);
}

TEST(Scenes, TheBlockRocksDownToRest) {
  Scenario s = Scenario::load("rocking_block");
  s.run_for(2);
  EXPECT_NEAR(s.tilt("block"), 0, 2e-14);
  EXPECT_NEAR(norm(s.velocity("block")), 0, 2e-14);
  EXPECT_NEAR(s.position("block").z, 0.15, 2e-14);
}

TEST(Scenes, TheQuadrupedStands) {
  Scenario s = Scenario::load("quadruped");
  s.run_for(3);
  double weight = 0;
  for (const BodyEntry& b : s.model().bodies()) weight += b.inertia.m * kGravity;
  double carried = 0;
  for (std::size_t i = 0; i < s.sim().contacts().size(); ++i) carried += s.sim().contact_force(i).z;
  EXPECT_NEAR(carried, weight, 1e-4 * weight);
  EXPECT_GT(s.position("trunk").z, 0.3);
  EXPECT_TRUE(is_small(s.tilt("trunk"), 0.05));
  EXPECT_TRUE(is_small(norm(s.velocity("trunk")), 1e-3));
}

TEST(Scenes, TheHumanoidLies) {
  Scenario s = Scenario::load("humanoid_falls");
  const double before = s.energy();
  while (s.sim().state.time < 5.5) s.sim().step();  // on its knees first, until it tips over
  EXPECT_TRUE(is_small(s.sim().kinetic_energy(), slack(1e-6 * before, "it lies; how still depends on the fall")));
  EXPECT_LT(s.energy(), 0.5 * before);
  EXPECT_TRUE(is_small(s.sim().totals().deepest, 1e-5));
  EXPECT_TRUE(is_small(s.sim().totals().worst_violation, slack(1e-8, "what the solver may leave is `acceptable`")));
}

TEST(Scenes, TheGripperDoesNotLetTheBallSlip) {
  Scenario s = Scenario::load("gripper");
  const Vec3<double> from = s.position("ball");
  s.run_for(10);
  EXPECT_NEAR(norm(s.position("ball") - from), 0, 2e-14);
  const Vec3<double> held = s.force("ball", "left_finger") + s.force("ball", "right_finger");
  EXPECT_NEAR(norm(held - Vec3<double>{0, 0, 0.2 * kGravity}), 0, 2e-14);
}

TEST(Scenes, TheRockerMeetsTheWallAndTheLoopStaysClosed) {
  Scenario s = Scenario::load("four_bar_wall");
  s.run_for(2);
  ASSERT_EQ(s.sim().contacts().size(), 1u);
  EXPECT_NEAR(s.sim().contacts()[0].gap, 0, 2e-14);
  EXPECT_NEAR(norm(s.spin("rocker")), 0, 2e-14);
  EXPECT_TRUE(is_small(s.sim().totals().worst_drift, 2e-14));
}

// The peg ends 0.05 m before the middle of the wheel, which is 0.03 m thick on either side.
TEST(Scenes, TheArmsTakeTheWheelOffItsPeg) {
  Scenario s = Scenario::load("dual_arm_wheel");
  const Vec3<double> from = s.position("wheel");
  s.run_for(2);
  const Vec3<double> moved = s.position("wheel") - from;
  EXPECT_LT(moved.x, -0.05 - 0.03 - 0.05);
  EXPECT_GT(moved.z, -0.05);
  EXPECT_TRUE(is_small(norm(s.velocity("wheel")), 0.05));
  EXPECT_EQ(norm(s.force("wheel", "world")), 0);
  const Vec3<double> held = s.force("wheel", "left_palm") + s.force("wheel", "right_palm");
  EXPECT_NEAR(held.z, 3 * kGravity, 1e-3);
}

// Not one step of the first seconds does, contacts that come for the first time included.
TEST(Scenes, StepsAllocateNothing) {
  for (const auto& [name, seed, steps] : {std::tuple{"box_stack", 0u, 1500},
                                          {"box_stack", 1u, 700},
                                          {"quadruped", 0u, 600},
                                          {"humanoid_falls", 1u, 1500}}) {
    Scenario s = Scenario::load(name);
    std::optional<RandomPushes> pushes;
    if (seed != 0) pushes.emplace(s.model(), seed, s.sim().options().dt);
    s.sim().external.resize(s.model().bodies().size());
    long first = -1, count = 0;
    for (int i = 0; i < steps; ++i) {
      if (pushes) pushes->calc(i, s.sim().state, s.sim().external);
      const AllocationCount allocations;
      s.sim().step();
      if (allocations.count() > 0 && first < 0) first = s.sim().totals().steps;
      count += allocations.count();
    }
    EXPECT_EQ(count, 0) << name << ", from step " << first;
  }
}

// Islands of many bodies are solved without W: no step allocates in the room that a run before has made.
TEST(Scenes, ManyBodiesAllocateNothingTheSecondTime) {
  Scenario s = Scenario::load("domino_row");
  const State start = s.sim().state;
  constexpr int kSteps = 500;
  for (int i = 0; i < kSteps; ++i) s.sim().step();
  ASSERT_GE(s.sim().totals().largest_size, s.sim().options().solver.sparse_rows);
  s.sim().restart(start);
  const AllocationCount allocations;
  for (int i = 0; i < kSteps; ++i) s.sim().step();
  EXPECT_EQ(allocations.count(), 0);
}

// Nor the first time, where room was made for them.
TEST(Scenes, ManyBodiesAllocateNothingInTheirRoom) {
  Scenario s = Scenario::load("domino_row");
  s.sim().reserve(300);
  long count = 0, first = -1;
  for (int i = 0; i < 500; ++i) {
    const AllocationCount allocations;
    s.sim().step();
    if (allocations.count() > 0 && first < 0) first = i;
    count += allocations.count();
  }
  EXPECT_EQ(count, 0) << "from step " << first;
  EXPECT_GE(s.sim().totals().largest_size, s.sim().options().solver.sparse_rows);
  EXPECT_LT(s.sim().totals().most_contacts, 300);
  EXPECT_THROW(s.sim().reserve(-1), std::invalid_argument);
  EXPECT_THROW(s.sim().reserve(2'000'000'000), std::invalid_argument);
}

}  // namespace sinew::test
