// tests/sim/drives_test.cpp - springs, dampers, actuators, stops and dry friction in the stepper
#include "sinew/sim/drives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/random.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// A cart of 2 kg on a rail, without weight.
ModelBuilder make_cart(double gravity = 0) {
  ModelBuilder b("cart");
  b.gravity({gravity, 0, 0});
  b.body("cart").mass(2, {}, Sym3<double>::diagonal(1, 1, 1));
  return b;
}
ActuatorSpec servo(double kp, double kv) {
  ActuatorSpec a;
  a.name = "servo", a.kind = "position", a.target = "rail", a.gain = {kp, 0, 0}, a.bias = {0, -kp, -kv};
  return a;
}
Simulation run(const Model& m, const ConstraintSet& set, double dt, double seconds, double x, double v,
               double control = 0) {
  Simulation s(m, set, {.dt = dt});
  s.state.q = {x}, s.state.v = {v};
  for (double& u : s.control) u = control;
  for (long i = 0; i < std::lround(seconds / dt); ++i) s.step();
  return s;
}

}  // namespace

TEST(Drives, ADampedSpringConvergesToItsClosedForm) {
  ModelBuilder b = make_cart();
  const double m = 2, k = 50, d = 3, rest = 0.1, decay = d / (2 * m), w = std::sqrt(k / m - decay * decay);
  b.prismatic("rail", "world", "cart").axis({1, 0, 0}).spring(k, rest).damping(d);
  const Model model = b.build().value();
  const ConstraintSet set(model);
  const double t = 1, x0 = 0.5;
  const double want = rest + (x0 - rest) * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  double error[2], work_error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double dt = fine ? 5e-4 : 1e-3;
    Simulation s(model, set, {.dt = dt});
    s.state.q = {x0};
    double springs = 0, dampers = 0;  // forces at the end of each step, times the mean velocity
    for (long i = 0; i < std::lround(t / dt); ++i) {
      const double before = s.state.v[0];
      s.step();
      const double v = s.state.v[0], moved = dt * (before + v) / 2;
      springs -= k * (s.state.q[0] - rest) * moved, dampers -= d * v * moved;
    }
    error[fine] = std::abs(s.state.q[0] - want);
    const WorkAccount& work = s.totals().work;
    EXPECT_NEAR(work.springs, springs, 5e-14);
    EXPECT_NEAR(work.dampers, dampers, 5e-14);
    EXPECT_NEAR(s.unaccounted_energy(), 0, 5e-14);
    work_error[fine] = work.springs - k / 2 * (std::pow(x0 - rest, 2) - std::pow(s.state.q[0] - rest, 2));
  }
  EXPECT_TRUE(is_small(error[0], 5e-3));
  EXPECT_NEAR(std::log2(error[0] / error[1]), 1, 0.1);
  // What the spring stores and what it did differ by the step's error only.
  EXPECT_TRUE(is_small(std::abs(work_error[0]), 0.06));
  EXPECT_NEAR(std::log2(work_error[0] / work_error[1]), 1, 0.01);
}

TEST(Drives, NoStiffnessIsTooLargeForAStep) {
  ModelBuilder b = make_cart(9.81);
  b.prismatic("rail", "world", "cart").axis({1, 0, 0}).spring(1e9, 0).damping(1e7);
  const Model model = b.build().value();
  const ConstraintSet set(model);
  Simulation s = run(model, set, 0.01, 5, 0.3, 0);
  // at rest where the spring carries the weight, to the last digits
  EXPECT_NEAR(s.state.q[0], 2 * 9.81 / 1e9, 1e-15);
  EXPECT_NEAR(s.state.v[0], 0, 2e-14);
}

TEST(Drives, APositionActuatorHoldsAndSaturates) {
  ModelBuilder b = make_cart(9.81);
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  b.spec().actuators.push_back(servo(4000, 300));
  {
    const Model model = b.build().value();
    const ConstraintSet set(model);
    Simulation s = run(model, set, 0.01, 4, 0, 0, 0.25);
    EXPECT_NEAR(s.state.q[0], 0.25 + 2 * 9.81 / 4000, 2e-14);
    EXPECT_NEAR(s.actuator_forces()[0], -2 * 9.81, 5e-12);
  }
  // Too weak for the weight: it falls with what is left.
  b.spec().actuators[0].force_lower = -10, b.spec().actuators[0].force_upper = 10;
  const Model model = b.build().value();
  const ConstraintSet set(model);
  for (const double dt : {1e-3, 1e-5}) {
    const Simulation s = run(model, set, dt, 0.5, 1, 0, 0);
    EXPECT_EQ(s.actuator_forces()[0], -10);
    EXPECT_NEAR(s.state.v[0], (2 * 9.81 - 10) / 2 * 0.5, 1e-11);
  }
}

// m (v+ - v) = dt clamp(sum of clamp(f)), with forces at the end of the step: decreasing in v+, so bisection finds it.
TEST(Drives, LimitsAreThoseOfTheForceAtTheEndOfTheStep) {
  ModelBuilder b = make_cart();
  b.prismatic("rail", "world", "cart").axis({1, 0, 0}).max_effort(30);
  ActuatorSpec strong = servo(4000, 300), weak = servo(900, 20);
  strong.gear[0] = 0.5, strong.force_lower = -20, strong.force_upper = 50;
  weak.name = "weak", weak.gear[0] = -2, weak.force_lower = -6, weak.force_upper = 5;
  b.spec().actuators = {strong, weak};
  const Model model = b.build().value();
  const double dt = 2e-3, m = 2;
  Simulation s(model, {.dt = dt});
  s.state.q = {0.1};
  Random rng(3);
  int limited = 0, free = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i % 20 == 0) s.control = {0.1 * rng.normal(), 0.1 * rng.normal()};
    const double q = s.state.q[0], v = s.state.v[0];
    const auto force = [&](double after) {
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const ActuatorSpec& a = model.spec().actuators[k];
        const double gear = a.gear[0];
        const double f = a.gain[0] * s.control[k] + a.bias[1] * gear * (q + dt * after) + a.bias[2] * gear * after;
        sum += gear * std::clamp(f, a.force_lower, a.force_upper);
      }
      return std::clamp(sum, -30.0, 30.0);
    };
    double low = v - 1, high = v + 1;
    for (int k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      (m * (middle - v) < dt * force(middle) ? low : high) = middle;
    }
    s.step();
    EXPECT_NEAR(s.state.v[0], low, 1e-14);
    ++(std::abs(force(low)) == 30 ? limited : free);
  }
  EXPECT_GT(limited, 100);
  EXPECT_GT(free, 100);
}

// Armature that comes and goes: the same in all formulations, and in trees that are split off.
TEST(Drives, LimitedServosMoveAlikeInEveryFormulation) {
  ModelBuilder b("arms");
  b.gravity({0, 0, -9.81});
  for (const std::string arm : {"a", "b"}) {
    std::string parent = "world";
    for (const std::string part : {"1", "2", "3"}) {
      const std::string name = arm + part;
      b.body(name).mass(1, {0.2, 0, 0.05}, Sym3<double>::diagonal(0.02, 0.03, 0.04));
      b.revolute("joint " + name, parent, name)
          .axis(part == "2" ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0})
          .at({parent == "world" ? (arm == "a" ? 0.0 : 2.0) : 0.4, 0, 0})
          .armature(part == "3" ? 0.01 : 0)
          .friction(part == "2" ? 0.05 : 0);
      ActuatorSpec a = servo(200, 10);
      a.name = name, a.target = "joint " + name, a.force_lower = -3, a.force_upper = part == "1" ? 8 : 3;
      b.spec().actuators.push_back(a);
      parent = name;
    }
  }
  const Model model = b.build().value();
  std::vector<double> first;
  for (const Formulation f : kFormulations) {
    Simulation s(model, {.dt = 2e-3, .formulation = f, .solver = {.tolerance = 1e-12, .warm = true}});
    s.control = {0.5, -0.4, 0.3, 0.01, 0.02, -0.01};
    for (int i = 0; i < 300; ++i) s.step();
    std::vector<double> end = s.state.q;
    end.insert(end.end(), s.state.v.begin(), s.state.v.end());
    if (first.empty()) first = end;
    for (std::size_t i = 0; i < end.size(); ++i) EXPECT_NEAR(end[i], first[i], 5e-13) << to_string(f);
  }
}

TEST(Drives, GearTurnsForceAndLength) {
  ModelBuilder b = make_cart();
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  ActuatorSpec a;
  a.name = "motor", a.kind = "motor", a.target = "rail", a.gear[0] = 3, a.control_upper = 2, a.control_lower = -2;
  b.spec().actuators.push_back(a);
  const Model model = b.build().value();
  const ConstraintSet set(model);
  const Simulation s = run(model, set, 1e-3, 1, 0, 0, 10);  // the control is cut to 2
  EXPECT_NEAR(s.state.v[0], 3 * 2 / 2.0, 2e-13);
  EXPECT_NEAR(s.totals().work.actuators, 0.5 * 2 * 9, 5e-12);
}

TEST(Drives, AThrusterAtASite) {
  ModelBuilder b("ship");
  b.gravity({});
  b.body("ship").mass(4, {}, Sym3<double>::diagonal(1, 1, 2)).frame("nozzle", shift_frame(Vec3<double>{0, 0.5, 0}));
  b.free("flies", "world", "ship");
  ActuatorSpec a;
  a.name = "thruster", a.transmission = Transmission::site, a.target = "nozzle", a.gear = {1, 0, 0, 0, 0, 0};
  b.spec().actuators.push_back(a);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-4});
  s.control = {8};
  s.step();
  // 8 N along x at y = 0.5: 2 m/s^2, and -4 N m about z with 2 kg m^2; by the end of the step the axes have turned
  const double turned = -2 * 1e-4 * 1e-4, w = -2 * 1e-4, v = 2 * 1e-4;
  EXPECT_NEAR(s.acceleration()[3], 2 * std::cos(turned) - w * v * std::sin(turned), 3e-14);
  EXPECT_NEAR(s.acceleration()[4], -2 * std::sin(turned) - w * v * std::cos(turned), 2e-14);
  EXPECT_NEAR(s.acceleration()[2], -2, 3e-14);
  for (int i = 0; i < 999; ++i) s.step();
  EXPECT_NEAR(s.unaccounted_energy(), 0, 2e-12 * s.totals().work.external);
  EXPECT_GT(s.totals().work.external, 0);
}

TEST(Drives, ABallJointsSpringPullsBackAboutAnyAxis) {
  ModelBuilder b("ball");
  b.gravity({});
  b.body("ball").mass(1, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1));
  b.spherical("socket", "world", "ball").spring(5).damping(0.5);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  s.state.q = {std::cos(0.5), 0.6 * std::sin(0.5), 0, 0.8 * std::sin(0.5)};
  s.step();
  // A spherical inertia turns about the axis of the turn alone: 5 N m/rad times 1 rad, at the end of the step
  const double a = -5 / (0.1 + 1e-3 * 0.5 + 1e-6 * 5);
  EXPECT_NEAR(s.acceleration()[0], 0.6 * a, 5e-13);
  EXPECT_NEAR(s.acceleration()[1], 0, 2e-14);
  EXPECT_NEAR(s.acceleration()[2], 0.8 * a, 5e-13);
  for (int i = 0; i < 5000; ++i) s.step();
  EXPECT_NEAR(s.state.q[0], 1, 1e-11);
}

TEST(Drives, ABallJointsSpringHasNoOtherRest) {
  ModelBuilder b("ball");
  b.body("ball").mass(1, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1));
  b.spherical("socket", "world", "ball").spring(5, 0.25);
  const Model m = b.build().value();
  try {
    Simulation s(m, {.dt = 1e-3});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("rest 0.25"), std::string::npos) << e.what();
  }
}

TEST(Drives, AnActuatorOnATendonThatIsNotThereIsRefusedByName) {
  ModelBuilder b = make_cart();
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  ActuatorSpec a;
  a.name = "puller", a.transmission = Transmission::tendon, a.target = "rope";
  b.spec().actuators.push_back(a);
  const Result<Model> r = b.build();
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.diagnostics().list().front().code, Code::unknown_name);
  EXPECT_NE(to_string(r.diagnostics().list().front()).find("'puller'"), std::string::npos);
}

// A pendulum falls onto its stop and stays: no bounce, no passing, at any step size.
TEST(Drives, AStopIsNotPassed) {
  ModelBuilder b("arm");
  b.gravity({0, 0, -9.81});
  b.body("arm").mass(1, {0.5, 0, 0}, Sym3<double>::diagonal(0.01, 0.1, 0.1));
  b.revolute("hinge", "world", "arm").axis({0, 1, 0}).limits(-2, 0.7);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  for (const double dt : {1e-2, 1e-3}) {
    Simulation s(m, set, {.dt = dt});
    for (int i = 0; i < 2 / dt; ++i) {
      s.step();
      EXPECT_LE(s.state.q[0], 0.7 + 1e-12);
    }
    EXPECT_NEAR(s.state.q[0], 0.7, 2e-14);
    EXPECT_NEAR(s.state.v[0], 0, 2e-14);
    // its impulse carries the weight
    EXPECT_NEAR(s.joint_impulses()[0] / dt, 9.81 * 0.5 * std::cos(0.7), 2e-14);
    EXPECT_NEAR(s.totals().work.stops, -9.81 * 0.5 * std::sin(0.7), 3 * dt * dt);
    EXPECT_TRUE(is_small(s.totals().worst_violation, 1e-14));
  }
}

// Dry friction: slides to rest in v^2 m / (2 F), then holds, for loads below F and not above.
TEST(Drives, DryFrictionStopsAndHolds) {
  ModelBuilder b = make_cart();
  b.prismatic("rail", "world", "cart").axis({1, 0, 0}).friction(4);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Simulation s = run(m, set, fine ? 1e-3 : 2e-3, 2, 0, 2);
    error[fine] = std::abs(s.state.q[0] - 2 * 2 * 2 / (2 * 4.0));
    EXPECT_EQ(s.state.v[0], 0);
    EXPECT_NEAR(s.totals().work.joint_friction, -4, 2e-13);
    const double x = s.state.q[0];
    s.applied = {3.99};
    for (int i = 0; i < 1000; ++i) s.step();
    EXPECT_EQ(s.state.q[0], x);
    s.applied = {4.5};
    for (int i = 0; i < 100; ++i) s.step();
    EXPECT_NEAR(s.state.v[0], 0.25 * 100 * s.options().dt, 2e-14);
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 1, 1e-10);
}

// Everything at once, in six formulations: they take the same way.
TEST(Drives, FormulationsAgreeOnAllDrives) {
  ModelBuilder b("walker");
  b.gravity({0, 0, -9.81});
  b.body("hull").mass(3, {0.02, 0, 0.01}, Sym3<double>::diagonal(0.03, 0.04, 0.05)).sphere(0.1).frame("jet", {});
  b.body("leg")
      .mass(0.5, {0, 0, -0.1}, Sym3<double>::diagonal(0.01, 0.01, 0.002))
      .sphere(0.03, shift_frame(Vec3<double>{0, 0, -0.2}));
  b.free("flies", "world", "hull").neutral({1, 0, 0, 0, 0, 0, 0.3}).damping(0.1);
  b.revolute("hip", "hull", "leg").axis({0, 1, 0}).limits(-0.3, 0.3).friction(0.05).spring(2, 0.5).armature(0.01);
  ActuatorSpec a = servo(5, 0.2);
  a.target = "hip";
  ActuatorSpec jet;
  jet.name = "jet", jet.transmission = Transmission::site, jet.target = "jet", jet.gear = {0.2, 0, 1, 0, 0.1, 0};
  b.spec().actuators = {a, jet};
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane, floor.friction = 0.6;
  b.spec().shapes.push_back(floor);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  State want;
  for (const Formulation f : kFormulations) {
    SCOPED_TRACE(to_string(f));
    SimulationOptions o;
    o.dt = 2e-3, o.formulation = f;
    Simulation s(m, set, o);
    s.state.v = {0.5, 1, 0.2, 0.4, 0, 0, 3};
    s.external.resize(3);
    s.external[2] = {{0, 0.1, 0}, {0.3, 0, 0}};
    s.controller = [](Simulation& sim) {
      sim.control[0] = std::sin(20 * sim.state.time), sim.control[1] = 3;
      sim.applied[6] = 0.1;
    };
    for (int i = 0; i < 200; ++i) s.step();
    EXPECT_EQ(s.totals().unsolved, 0);
    EXPECT_GT(s.totals().contact_steps, 20);
    EXPECT_TRUE(is_small(std::abs(s.unaccounted_energy()), 0.02));
    if (want.q.empty()) want = s.state;
    for (std::size_t i = 0; i < want.q.size(); ++i) EXPECT_NEAR(s.state.q[i], want.q[i], 2e-13);
    for (std::size_t i = 0; i < want.v.size(); ++i) EXPECT_NEAR(s.state.v[i], want.v[i], 2e-12);
  }
}

// A massless finger on a cart, held by a servo too weak for its speed: at the limit, m + armature stays what it moves.
TEST(Drives, AMasslessFingerAtTheLimitOfItsServoKeepsMoving) {
  ModelBuilder b = make_cart();
  b.body("finger");
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  b.prismatic("slide", "cart", "finger").axis({1, 0, 0}).max_effort(5);
  ActuatorSpec a = servo(4000, 300);
  a.target = "slide";
  b.spec().actuators.push_back(a);
  const Model model = b.build().value();
  Simulation s(model, {.dt = 1e-3});
  s.state.v = {1, 0};
  s.control = {0.1};
  const double armature = 1e-3 * 300 + 1e-6 * 4000;
  s.step();
  EXPECT_NEAR(s.state.v[0], 1, 1e-14);  // nothing holds the cart
  EXPECT_NEAR(s.state.v[1], 1e-3 * 5 / armature, 1e-14);
  for (int i = 0; i < 20000; ++i) s.step();
  EXPECT_NEAR(s.state.q[1], 0.1, 2e-14);
  EXPECT_NEAR(s.state.v[0], 1, 2e-14);
}

TEST(Drives, ControlsThatAreNotFiniteAreNamed) {
  ModelBuilder b = make_cart();
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  b.spec().actuators.push_back(servo(10, 1));
  const Model m = b.build().value();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  s.step();
  const State before = s.state;
  s.control = {NAN};
  try {
    s.step();
    FAIL();
  } catch (const std::runtime_error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("step 2"), std::string::npos) << what;
    EXPECT_NE(what.find("'cart'"), std::string::npos) << what;
    EXPECT_NE(what.find("'servo'"), std::string::npos) << what;
  }
  EXPECT_EQ(s.state.q, before.q);
  EXPECT_EQ(s.state.time, before.time);
}

}  // namespace sinew::test
