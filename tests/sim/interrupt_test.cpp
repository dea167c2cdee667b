// tests/sim/interrupt_test.cpp - a calculation that is asked to end does, and leaves all as it was
#include "sinew/base/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "sinew/model/builder.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/friction_problems.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Balls and a box that fall on each other and on the floor, and bounce.
Model make_heap() {
  ModelBuilder b("heap");
  for (int i = 0; i < 4; ++i) {
    const std::string name = "ball" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
    b.free(name + " flies", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.5, s.restitution = 0.4;
  return compile(b.spec()).value();
}
State start_heap(const Model& m) {
  State s = make_state(m);
  for (std::size_t i = 0; i < 4; ++i)
    s.q[7 * i + 4] = 0.03 * static_cast<double>(i % 2), s.q[7 * i + 6] = 0.15 + 0.21 * static_cast<double>(i),
                s.v[6 * i + 1] = 3;
  return s;
}

// Sets the flag from another thread while `work` runs; true where the work ended by it.
template <class Work>
bool ends_by_flag(std::atomic<bool>& flag, Work work) {
  flag = false;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flag = true;
  });
  bool ended = false;
  try {
    work();
  } catch (const Interrupted&) {
    ended = true;
  }
  other.join();
  flag = false;
  return ended;
}

TEST(Interrupt, IsAViewOfAFlag) {
  std::atomic<bool> flag = false;
  EXPECT_FALSE(Interrupt().is_possible());
  EXPECT_NO_THROW(Interrupt().check());
  const Interrupt view(flag);
  EXPECT_TRUE(view.is_possible());
  EXPECT_NO_THROW(view.check());
  flag = true;
  EXPECT_TRUE(view.is_asked());
  EXPECT_THROW(view.check(), Interrupted);
}

TEST(Interrupt, EndsEverySolverOfContactProblems) {
  const FrictionCase c = make_friction_case(7);
  std::atomic<bool> flag = false;
  for (const int directions : {0, 4})
    for (const lcp::Method method :
         {lcp::Method::automatic, lcp::Method::gauss_seidel, lcp::Method::alart_curnier, lcp::Method::lemke,
          lcp::Method::pgs, lcp::Method::newton, lcp::Method::proximal, lcp::Method::pivoting}) {
      const bool of_cones = method == lcp::Method::gauss_seidel || method == lcp::Method::alart_curnier;
      if (method != lcp::Method::automatic && of_cones != (directions == 0)) continue;
      SCOPED_TRACE(std::string(to_string(method)) + ", directions " + std::to_string(directions));
      std::vector<double> plain(c.q.size()), again(c.q.size());
      lcp::Solver solver({.method = method, .directions = directions});
      solver.solve(c.problem(), plain);
      solver.options.interrupt = Interrupt(flag);
      flag = true;
      EXPECT_THROW(solver.solve(c.problem(), again), Interrupted);
      flag = false;
      std::fill(again.begin(), again.end(), 0.0);
      solver.solve(c.problem(), again);
      EXPECT_EQ(plain, again);  // bit for bit
    }
}

TEST(Interrupt, EndsTheInteriorPointOfConvexProblems) {
  const double M[] = {2, -1, -1, 2}, q[] = {-1, 1};
  std::atomic<bool> flag = true;
  std::vector<double> z(2);
  lcp::Solver solver({.method = lcp::Method::qp, .interrupt = Interrupt(flag)});
  const lcp::Problem p{{M, 2, 2}, {q, 2}, {}, {}};
  EXPECT_THROW(solver.solve(p, z), Interrupted);
  flag = false;
  EXPECT_EQ(solver.solve(p, z).status, lcp::Status::solved);
}

// The flag is set between two problems of a step, by whoever watches them. The step is taken back, and the run goes on
// as if it had never been interrupted.
TEST(Interrupt, TakesAStepBackBitForBit) {
  const Model m = make_heap();
  Simulation plain(m, {.dt = 2e-3}), run(m, {.dt = 2e-3});
  plain.state = run.state = start_heap(m);
  std::atomic<bool> flag = false;
  int left = 0, interrupted = 0;
  run.interrupt = Interrupt(flag);
  run.set_watch([&](const auto&, const auto&) { flag = flag || left-- == 0; });
  for (int i = 0; i < 400; ++i) {
    const std::vector<std::byte> before = to_bytes(run.make_snapshot());
    const std::size_t contacts = run.contacts().size();
    left = i % 3;
    try {
      run.step();
    } catch (const Interrupted&) {
      ++interrupted;
      EXPECT_EQ(before, to_bytes(run.make_snapshot()));
      EXPECT_EQ(contacts, run.contacts().size());
      for (std::size_t k = 0; k < contacts; ++k) EXPECT_NO_THROW(run.contact_force(k));
      flag = false, left = 1000;
      run.step();
    }
    flag = false;
    plain.step();
    ASSERT_EQ(plain.state.q, run.state.q) << "step " << i;
    ASSERT_EQ(plain.state.v, run.state.v) << "step " << i;
  }
  EXPECT_GT(interrupted, 50);
  EXPECT_EQ(plain.totals().problems, run.totals().problems);
  EXPECT_EQ(plain.totals().work.total(), run.totals().work.total());
}

TEST(Interrupt, IsLookedAtBeforeAStep) {
  const Model m = make_heap();
  const std::atomic<bool> flag = true;
  SimulationOptions o{.dt = 2e-3};
  o.solver.interrupt = Interrupt(flag);  // the other way to give it
  Simulation s(m, o);
  EXPECT_THROW(s.step(), Interrupted);
  EXPECT_EQ(s.totals().steps, 0);
}

TEST(Interrupt, StepsThatMayBeInterruptedAllocateNothing) {
  if (!AllocationCount::works()) GTEST_SKIP();
  const Model m = make_heap();
  const std::atomic<bool> flag = false;
  Simulation s(m, {.dt = 2e-3});
  s.state = start_heap(m), s.interrupt = Interrupt(flag);
  for (int i = 0; i < 300; ++i) s.step();
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) s.step();
  EXPECT_EQ(allocations.count(), 0);
}

// Steps of days, which take minutes.
TEST(Interrupt, EndsStepsOfOtherSteppers) {
  ModelBuilder b("two arms");
  for (const char* name : {"upper", "lower"})
    b.body(name).mass(solid_sphere(1, 0.1), shift_frame(Vec3<double>{0, 0, -1}));
  b.revolute("shoulder", "world", "upper").axis({0, 1, 0});
  b.revolute("elbow", "upper", "lower").axis({0, 1, 0});
  const Model m = compile(b.spec()).value();
  State start = make_state(m);
  for (double& q : start.q) q = 0.7;
  std::atomic<bool> flag = false;
  const double dt = 1e5;
  SmoothSimulation smooth(m, {.dt = dt, .relative = 1e-12, .absolute = 1e-13});
  EventSimulation events(m, {.dt = dt});
  for (Stepper* s : {static_cast<Stepper*>(&smooth), static_cast<Stepper*>(&events)}) {
    s->state = start, s->interrupt = Interrupt(flag);
    EXPECT_TRUE(ends_by_flag(flag, [&] { s->step(); }));
    EXPECT_EQ(s->state.q, start.q);
    EXPECT_EQ(s->state.v, start.v);
    EXPECT_EQ(s->state.time, 0);
    EXPECT_EQ(s->totals().steps, 0);
  }
}

}  // namespace
}  // namespace sinew::test
