// tests/sim/simulation_test.cpp - scenes with known answers, at two step sizes
#include "sinew/sim/simulation.hpp"

#include <random>

#include "sinew/constraint/rows/maximal.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/ball_world.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

struct Ball {
  Vec3<double> at, velocity{}, spin{};
};
// Balls of 1 kg above a floor that leans by `slope` about y, so that they roll along x.
Model make_balls(std::size_t n, double friction, double restitution, double slope = 0) {
  ModelBuilder b("balls");
  b.gravity({kGravity * std::sin(slope), 0, -kGravity * std::cos(slope)});
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = "ball" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, kRadius), {}).sphere(kRadius, {});
    b.free(name + " flies", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction, s.restitution = restitution;
  return compile(b.spec()).value();
}
State start(const Model& m, const std::vector<Ball>& balls) {
  State s = make_state(m);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const double q[] = {balls[i].at.x, balls[i].at.y, balls[i].at.z};
    const double v[] = {balls[i].spin.x,     balls[i].spin.y,     balls[i].spin.z,
                        balls[i].velocity.x, balls[i].velocity.y, balls[i].velocity.z};
    std::copy(std::begin(q), std::end(q), s.q.begin() + static_cast<std::ptrdiff_t>(7 * i + 4));
    std::copy(std::begin(v), std::end(v), s.v.begin() + static_cast<std::ptrdiff_t>(6 * i));
  }
  return s;
}
// Velocity of a ball along the axes of the world.
Vec3<double> velocity_of(const Model& m, const State& s, int ball) {
  VelocityWorkspace<double> ws(m);
  calc_velocities(m, ws, s.q, s.v);
  return get_point_velocity(ws, m.bodies()[ball + 1]);
}
State run(const Model& m, const State& from, double seconds, double dt, SimulationOptions options = {}) {
  const ConstraintSet set(m);
  options.dt = dt;
  Simulation s(m, set, options);
  s.state = from;
  for (long i = 0; i < std::lround(seconds / dt); ++i) s.step();
  EXPECT_EQ(s.totals().unsolved, 0);
  EXPECT_TRUE(is_small(s.totals().worst_residual, 3e-10));
  return s.state;
}
// log2 of how much the error shrinks when the step is halved.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace

TEST(Simulation, ASlidingBallRolls) {
  const double mu = 0.2, v0 = 1, t = 2 * v0 / (7 * mu * kGravity), distance = 12 * v0 * v0 / (49 * mu * kGravity);
  const Model m = make_balls(1, mu, 0);
  const State from = start(m, {{{0, 0, kRadius}, {v0, 0, 0}}});
  // Before it rolls it slows down at mu g; afterwards it keeps 5/7 of its speed.
  EXPECT_NEAR(velocity_of(m, run(m, from, t / 2, t / 1000), 0).x, v0 - mu * kGravity * t / 2, 3e-13);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double dt = (fine ? 0.5e-3 : 1e-3) * t;
    const State end = run(m, from, t, dt);
    error[fine] = std::abs(end.q[4] - distance);
    EXPECT_NEAR(velocity_of(m, end, 0).x, 5 * v0 / 7, 1e-12);
    EXPECT_NEAR(end.q[6], kRadius, 2e-14);
  }
  EXPECT_TRUE(is_small(error[0], 1e-3 * distance));
  EXPECT_NEAR(order(error[0], error[1]), 1, 5e-9);
}

TEST(Simulation, ABallOnASlopeRollsOrSlides) {
  const double slope = 0.5;
  for (const double mu : {0.3 * std::tan(slope), 0.25 * std::tan(slope)}) {  // 2/7 of the tangent is the limit
    SCOPED_TRACE(mu);
    const Model m = make_balls(1, mu, 0, slope);
    const State end = run(m, start(m, {{{0, 0, kRadius}}}), 0.5, 1e-3);
    const bool rolls = mu >= 2.0 / 7 * std::tan(slope);
    const double a = rolls ? kGravity * std::sin(slope) / 1.4 : kGravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(velocity_of(m, end, 0).x, 0.5 * a, 2e-13);
  }
}

TEST(Simulation, ABouncingBallComesToRest) {
  const double h = 1, e = 0.8, fall = std::sqrt(2 * h / kGravity), zeno = fall * (1 + e) / (1 - e);
  const Model m = make_balls(1, 0.5, e);
  const State from = start(m, {{{0, 0, kRadius + h}}});
  // The second apex, h e^4, is reached after  fall (1 + 2 e + e^2).
  const double second = fall * (1 + 2 * e + 2 * e * e - e * e);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const State end = run(m, from, second, fine ? 0.5e-4 : 1e-4);
    error[fine] = std::abs(end.q[6] - kRadius - h * std::pow(e, 4));
  }
  EXPECT_TRUE(is_small(error[0], 5e-7));
  EXPECT_LT(error[1], 0.75 * error[0]);
  // After Zeno's time it lies still, exactly.
  const State rest = run(m, from, 1.1 * zeno, 1e-3), later = run(m, rest, 10, 1e-2);
  EXPECT_NEAR(rest.q[6], kRadius, 2e-14);
  EXPECT_NEAR(later.q[6], kRadius, 2e-14);
  for (const double v : later.v) EXPECT_NEAR(v, 0, 2e-14);
}

TEST(Simulation, ASpinningBallFliesStraight) {
  const Model m = make_balls(1, 0.5, 0);
  const State end = run(m, start(m, {{{0, 0, 50}, {3, 4, 0}, {7, -20, 11}}}), 1, 1e-2);
  EXPECT_TRUE(near(velocity_of(m, end, 0), Vec3<double>{3, 4, -kGravity}, 1e3));
  EXPECT_NEAR(end.q[4], 3, 1e-12);
  EXPECT_NEAR(end.q[5], 4, 2e-13);
  EXPECT_NEAR(end.q[6], 50 - kGravity / 2, 9e-13);  // on its parabola
}

TEST(Simulation, APlanarBodyFliesStraight) {
  ModelBuilder b("puck");
  b.body("puck").mass(solid_sphere(1, 0.1), {});
  b.planar("slides", "world", "puck");
  const Model m = compile(b.gravity({0, 0, 0}).spec()).value();
  State from = make_state(m);
  from.q[0] = 0.3, from.v = {5, 2, 1};
  const State end = run(m, from, 1, 1e-2);
  EXPECT_NEAR(end.q[1], 2 * std::cos(0.3) - std::sin(0.3), 5e-14);
  EXPECT_NEAR(end.q[2], 2 * std::sin(0.3) + std::cos(0.3), 1e-13);
}

// Two pads on slides press a ball from both sides with the force N: it stays while 2 mu N >= m g.
TEST(Simulation, TwoFingersHoldABallOrLetItSlip) {
  const double N = 20;
  ModelBuilder b("gripper");
  b.gravity({0, 0, -kGravity});
  b.body("ball").mass(solid_sphere(1, kRadius), {}).sphere(kRadius, {});
  b.free("ball flies", "world", "ball");
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    b.body(name).mass(solid_sphere(0.5, 0.05), {}).sphere(0.05, {});
    b.prismatic(name + " slides", "world", name).at({side * (kRadius + 0.05), 0, 0}).axis({1, 0, 0});
  }
  for (const double mu : {kGravity / (2 * N) + 0.01, kGravity / (2 * N) - 0.01}) {
    SCOPED_TRACE(mu);
    for (ShapeSpec& s : b.spec().shapes) s.friction = mu;
    const Model m = compile(b.spec()).value();
    const ConstraintSet set(m);
    Simulation s(m, set, {.dt = 1e-4});
    const std::vector<double> tau{0, 0, 0, 0, 0, 0, N, -N};
    for (int i = 0; i < 100; ++i) s.step(tau);
    const double fall = std::max(0.0, kGravity - 2 * mu * N);
    // as it slips, the pads come to press a little downwards too
    EXPECT_NEAR(velocity_of(m, s.state, 0).z, -0.01 * fall, 0.01 * 0.01 * fall + 1e-12);
    EXPECT_EQ(s.contacts().size(), 2u);
  }
}

TEST(Simulation, BallsHitEachOther) {
  // One runs into one at rest: (1 - e) / 2 and (1 + e) / 2 of its speed, without friction and far above the floor.
  const double e = 0.6;
  const Model m = make_balls(2, 0, e);
  const State end = run(m, start(m, {{{0, 0, 50}, {2, 0, 0}}, {{0.3, 0, 50}}}), 0.2, 1e-4);
  EXPECT_NEAR(velocity_of(m, end, 0).x, (1 - e), 2e-14);
  EXPECT_NEAR(velocity_of(m, end, 1).x, (1 + e), 3e-14);
}

TEST(Simulation, ThePendulumNeverGainsEnergyAndNeverOverlaps) {
  for (const int n : {3, 12}) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::pendulum(n)).value();
    const ConstraintSet set(m);
    for (const int directions : {0, 4}) {
      SimulationOptions o;
      o.dt = 2e-4;
      o.solver.directions = directions;
      o.solver.warm = true;
      Simulation s(m, set, o);
      s.state.q = m.spec().keyframes[0].q;
      s.state.v = m.spec().keyframes[0].v;
      const double before = s.kinetic_energy() + s.potential_energy();
      while (s.state.time < 3) {
        const StepReport& r = s.step();
        EXPECT_TRUE(is_small(r.work.collisions, slack(1e-9, "they take energy; the tolerance of the solver may show")));
      }
      const SimulationTotals& t = s.totals();
      EXPECT_GT(t.collisions, 2);
      EXPECT_EQ(t.unsolved, 0);
      EXPECT_TRUE(is_small(t.worst_residual, slack(1e-9, "the tolerance of the solver may show")));
      EXPECT_TRUE(is_small(t.deepest, slack(1e-9, "none; the tolerance of the solver may show")));
      EXPECT_TRUE(is_small(t.work.contact_normal + t.work.contact_friction,
                           slack(1e-9, "contacts take energy; the tolerance of the solver may show")));
      // What is unaccounted for is the error of a first-order integrator.
      const double after = s.kinetic_energy() + s.potential_energy();
      EXPECT_NEAR(after - before, t.work.collisions + (t.work.contact_normal + t.work.contact_friction),
                  2e-3 * std::abs(before));
    }
  }
}

TEST(Simulation, EnergyIsKeptUntilTheFirstContactToFirstOrder) {
  const Model m = compile(mechanisms::pendulum(12)).value();
  const ConstraintSet set(m);
  double drift[2];
  for (int fine = 0; fine < 2; ++fine) {
    SimulationOptions o;
    o.dt = fine ? 1e-4 : 2e-4;
    Simulation s(m, set, o);
    s.state.q = m.spec().keyframes[0].q;
    s.state.v = m.spec().keyframes[0].v;
    const double before = s.kinetic_energy() + s.potential_energy();
    while (s.state.time < 0.17) s.step();
    EXPECT_EQ(s.totals().collisions, 0);
    drift[fine] = std::abs(s.kinetic_energy() + s.potential_energy() - before) / before;
  }
  EXPECT_TRUE(is_small(drift[1], 1e-4));
  EXPECT_NEAR(order(drift[0], drift[1]), 1, 0.1);
}

TEST(Simulation, FormulationsTakeTheSameWay) {
  const Model m = compile(mechanisms::pendulum(4)).value();
  State from = make_state(m);
  from.q = m.spec().keyframes[0].q;
  from.v = m.spec().keyframes[0].v;
  const State want = run(m, from, 0.3, 1e-3);
  for (const Formulation f : kFormulations) {
    SimulationOptions o;
    o.formulation = f;
    const State got = run(m, from, 0.3, 1e-3, o);
    for (std::size_t i = 0; i < want.q.size(); ++i) EXPECT_NEAR(got.q[i], want.q[i], 5e-12) << to_string(f);
  }
}

TEST(Simulation, MaximalCoordinatesAgreeBetterWithSmallerSteps) {
  const Model tree = compile(mechanisms::pendulum(4)).value(), twin = compile(make_maximal(tree)).value();
  State from = make_state(tree);
  from.q = tree.spec().keyframes[0].q;
  from.v = tree.spec().keyframes[0].v;
  double gap[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double dt = fine ? 1e-4 : 4e-4;
    const State a = to_maximal_state(tree, twin, run(tree, from, 0.3, dt));
    const State b = run(twin, to_maximal_state(tree, twin, from), 0.3, dt);
    gap[fine] = 0;
    for (std::size_t i = 4; i < 28; i += 7)
      for (std::size_t k = 0; k < 3; ++k) gap[fine] = std::max(gap[fine], std::abs(a.q[i + k] - b.q[i + k]));
  }
  EXPECT_TRUE(is_small(gap[0], 7e-3));
  EXPECT_LT(gap[1], 0.5 * gap[0]);
}

TEST(Simulation, IslandsDoNotFeelEachOther) {
  // Two balls that meet, alone and among four others: the same bits.
  const std::vector<Ball> two{{{0, 0, kRadius}, {1, 0.1, 0}}, {{0.3, 0, kRadius}}};
  std::vector<Ball> six = two;
  for (const double y : {5.0, 5.15}) six.push_back({{0, y, 0.3}, {0.3, 0, 1}, {0, 4, 0}});
  six.push_back({{-4, 0, kRadius}});
  six.push_back({{9, 0, kRadius}, {0.5, 0, 0}});
  const Model a = make_balls(2, 0.3, 0.4), b = make_balls(6, 0.3, 0.4);
  const State alone = run(a, start(a, two), 0.5, 1e-3), among = run(b, start(b, six), 0.5, 1e-3);
  for (std::size_t i = 0; i < alone.q.size(); ++i) EXPECT_EQ(alone.q[i], among.q[i]);
  for (std::size_t i = 0; i < alone.v.size(); ++i) EXPECT_EQ(alone.v[i], among.v[i]);
}

// Contacts that a step will hardly close wait outside its problem. Whatever shoves the arm about: every contact within
// reach at the start of a step obeys gap + dt u >= 0 at its end, in the problem or not.
TEST(Simulation, ContactsThatWaitObeyTheirLaw) {
  ModelBuilder b("arm");
  for (int i = 0; i < 6; ++i) {
    const std::string name = "link" + std::to_string(i), parent = i == 0 ? "world" : "link" + std::to_string(i - 1);
    b.body(name).mass(solid_sphere(1, 0.05), make_placement({0.2, 0, 0})).sphere(0.05, make_placement({0.2, 0, 0}));
    b.revolute("joint" + std::to_string(i), parent, name)
        .axis(i % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1})
        .at({i == 0 ? 0 : 0.2, 0, i == 0 ? 0.3 : 0})
        .damping(0.1);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  const Model m = b.build().value();
  constexpr double kStep = 5e-3;
  Simulation s(m, {.dt = kStep});
  ContactShapes shapes(m);
  VelocityWorkspace<double> ws(m);
  std::vector<ContactPoint> near;
  std::vector<double> u;
  std::mt19937 chance(7);
  std::uniform_real_distribution<double> torque(-20, 20);
  long waited = 0, called = 0;
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    for (double& x : s.applied) x = i % 20 == 0 ? torque(chance) : 0.9 * x;
    const std::vector<double> q = s.state.q;
    calc_velocities(m, ws, q, s.state.v);
    shapes.find_within(ws, kStep, near);
    const StepReport& r = s.step();
    EXPECT_EQ(r.unsolved, 0) << i << ' ' << r.contacts << ' ' << r.joint_rows << ' ' << r.residual << ' '
                             << r.penetration;
    called += r.refinements > 0, waited += static_cast<long>(near.size()) - r.contacts;
    calc_velocities(m, ws, q, s.state.v);
    u.resize(3 * near.size());
    calc_contact_velocities(near, ws, u);
    for (std::size_t c = 0; c < near.size(); ++c)
      if (near[c].gap > 0) worst = std::max(worst, -(near[c].gap + kStep * u[3 * c]));
  }
  EXPECT_TRUE(is_small(worst, slack(1e-9, "the tolerance of the solver may show")));
  EXPECT_GT(waited, 200);
  EXPECT_GT(called, 5);
}

TEST(Simulation, RestingContactsAllocateNothing) {
  const Model m = make_balls(3, 0.5, 0);
  const ConstraintSet set(m);
  SimulationOptions o;
  o.dt = 1e-3;
  o.solver.warm = true;
  Simulation s(m, set, o);
  s.state = start(m, {{{0, 0, kRadius}}, {{1, 0, kRadius}}, {{2, 0, kRadius}}});
  for (int i = 0; i < 10; ++i) s.step();
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) s.step();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(s.contacts().size(), 3u);
}

TEST(Simulation, BadOptionsAndNumbersAreNamed) {
  const Model m = make_balls(1, 0.5, 0);
  const ConstraintSet set(m);
  EXPECT_THROW(Simulation(m, set, {}), std::invalid_argument);  // neither the model nor the options state a step
  EXPECT_THROW(Simulation(m, set, {.dt = -1}), std::invalid_argument);
  EXPECT_THROW(Simulation(m, set, {.dt = 1e-3, .recovery = 2}), std::invalid_argument);
  Simulation s(m, set, {.dt = 1e-3});
  s.state.v[0] = std::nan("");
  const State before = s.state;
  EXPECT_THROW(s.step(), std::runtime_error);
  EXPECT_EQ(s.state.q, before.q);
  EXPECT_EQ(s.state.time, before.time);
}

}  // namespace sinew::test
