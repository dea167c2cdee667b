// tests/batch/parallel_contacts_test.cpp - on several threads the same contacts and motion as on one
#include "sinew/batch/parallel_contacts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/base/random.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Balls, boxes and hulls on a floor, in layers.
Model make_layers(int n) {
  ModelBuilder b("layers");
  MeshSpec stone;
  stone.name = "stone";
  Random rng(5);
  for (int i = 0; i < 60; ++i) {
    const double x = rng.normal(), y = rng.normal(), z = rng.normal(), s = 0.1 / std::sqrt(x * x + y * y + z * z);
    stone.vertices.push_back({s * x, s * y, s * z});
  }
  b.add_mesh(stone);
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  constexpr ShapeKind kKinds[] = {ShapeKind::sphere, ShapeKind::box, ShapeKind::mesh};
  for (int i = 0; i < n; ++i) {
    const std::string name = "body" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {});
    ShapeSpec s;
    s.body = name, s.kind = kKinds[i % 3], s.size = {0.1, 0.1, 0.1}, s.hull = true;
    if (s.kind == ShapeKind::mesh) s.asset = "stone";
    b.spec().shapes.push_back(s);
    b.free(name + " moves", "world", name);
  }
  return compile(b.spec()).value();
}
std::vector<double> place_in_layers(const Model& m, int n, int side) {
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  for (int i = 0; i < n; ++i) {
    double* x = q.data() + 7 * i + 4;
    x[0] = 0.2 * (i % side), x[1] = 0.2 * (i / side % side), x[2] = 0.1 + 0.199 * (i / (side * side));
  }
  return q;
}

// Leaning towers, far apart: each is an island.
std::vector<double> place_in_towers(const Model& m, int n, int height) {
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  for (int i = 0; i < n; ++i) {
    double* x = q.data() + 7 * i + 4;
    x[0] = 2 * (i / height) + 0.02 * (i % height), x[2] = 0.11 + 0.21 * (i % height);
  }
  return q;
}

}  // namespace

TEST(ParallelContacts, TheSameBitsOnAnyNumberOfThreads) {
  constexpr int kBodies = 1500;
  const Model m = make_layers(kBodies);
  const std::vector<double> q = place_in_layers(m, kBodies, 12);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  ContactShapes alone(m);
  std::vector<ContactPoint> expected, found;
  alone.find(ws, 5e-3, expected);
  EXPECT_GT(expected.size(), 3000u);
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    ContactShapes shapes(m);
    use_threads(shapes, pool);
    for (int round = 0; round < 3; ++round) {
      shapes.find(ws, 5e-3, found);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected[i].id);
        EXPECT_EQ(found[i].gap, expected[i].gap);
        EXPECT_TRUE(found[i].point == expected[i].point && found[i].normal == expected[i].normal);
      }
    }
    const AllocationCount allocations;
    shapes.find(ws, 5e-3, found);
    EXPECT_EQ(allocations.count(), 0);
  }
}

// Towers of other heights, so that islands differ in size; of mixed shapes, so that they fall.
TEST(ParallelContacts, TheSameMotionOnAnyNumberOfThreads) {
  constexpr int kBodies = 42, kHeight = 5, kSteps = 120;
  const Model m = make_layers(kBodies);
  const auto run = [&](int threads, bool with_pool) {
    Simulation s(m, {.dt = 2e-3, .sleep = false});
    s.state.q = place_in_towers(m, kBodies, kHeight);
    ThreadPool pool(threads);
    if (with_pool) use_threads(s, pool);
    std::size_t problems = 0;
    std::vector<double> residuals;
    s.set_watch(
        [&](const lcp::FrictionProblem&, const lcp::Certificate& c) { ++problems, residuals.push_back(c.residual); });
    for (int i = 0; i < kSteps; ++i) s.step();
    EXPECT_GT(problems, 5u * kSteps);
    std::vector<double> out = s.state.q;
    for (const std::vector<double>& more : {s.state.v, residuals}) out.insert(out.end(), more.begin(), more.end());
    out.push_back(static_cast<double>(s.totals().unsolved));
    return out;
  };
  const std::vector<double> alone = run(1, false);
  for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(run(threads, true), alone) << threads;
}

TEST(ParallelContacts, TooManyThreadsAreRefused) {
  EXPECT_THROW(ThreadPool(2'000'000'000), std::invalid_argument);
  EXPECT_EQ(ThreadPool(3).size(), 3);
  EXPECT_GE(ThreadPool(0).size(), 1);
}

TEST(ParallelContacts, AnInterruptReachesEveryThread) {
  constexpr int kBodies = 42;
  const Model m = make_layers(kBodies);
  ThreadPool pool(3);
  Simulation s(m, {.dt = 2e-3});
  use_threads(s, pool);
  s.state.q = place_in_towers(m, kBodies, 5);
  for (int i = 0; i < 40; ++i) s.step();
  const State before = s.state;
  std::atomic<bool> asked = true;
  s.interrupt = Interrupt(asked);
  EXPECT_THROW(s.step(), Interrupted);
  EXPECT_EQ(s.state.q, before.q);
  asked = false;
  s.step();
  s.set_loop({});
  s.step();
  EXPECT_GT(s.state.time, before.time + 3e-3);
}

}  // namespace sinew::test
