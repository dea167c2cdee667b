// tests/sim/tendon_drives_test.cpp - tendons, activations, muscles, cranks and adhesion in the steppers
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/sim/actuator_law.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

constexpr double kG = 9.81;

// A weight of 2 kg that hangs from the ceiling on a string; it moves up and down. The string's length is -q.
ModelBuilder make_hanging_weight() {
  ModelBuilder b("weight");
  b.body("weight").mass(2, {}, Sym3<double>::diagonal(1, 1, 1)).frame("hook");
  b.prismatic("rail", "world", "weight").axis({0, 0, 1}).neutral({-0.5});
  b.spec().frames.push_back({"ceiling", "world", make_placement({0, 0, 0}), {}});
  return b;
}
ActuatorSpec on_tendon(const char* kind, double gear = 1) {
  ActuatorSpec a;
  a.name = kind, a.kind = kind, a.transmission = Transmission::tendon, a.target = "string", a.gear[0] = gear;
  return a;
}
// Two carts on one rail, without weight, and a string from one to the other.
ModelBuilder make_carts() {
  ModelBuilder b("carts");
  b.gravity({0, 0, 0});
  for (const char* name : {"left", "right"}) {
    b.body(name).mass(name[0] == 'l' ? 1 : 3, {}, Sym3<double>::diagonal(1, 1, 1)).frame(std::string(name) + "_eye");
    b.prismatic(std::string(name) + "_rail", "world", name).axis({1, 0, 0});
  }
  return b;
}
void run_for(Stepper& s, double seconds) {
  for (long i = 0, n = std::lround(seconds / s.step_length()); i < n; ++i) s.step();
}

}  // namespace

// Falls freely until the string is taut, loses all speed at once, and hangs at the limit, without overshoot.
TEST(TendonDrives, AHardLimitStopsAFall) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook").limits(0, 1);
  const Model m = b.build().value();
  for (const Formulation f : kFormulations) {
    Simulation s(m, {.dt = 1e-3, .formulation = f});
    const double fall = std::sqrt(2 * 0.5 / kG);
    run_for(s, 0.9 * fall);
    EXPECT_NEAR(s.state.v[0], -kG * s.state.time, 2e-13);
    double lowest = 0;
    for (int i = 0; i < 300; ++i) s.step(), lowest = std::min(lowest, s.state.q[0]);
    EXPECT_NEAR(lowest, -1, 2e-14);
    EXPECT_NEAR(s.state.q[0], -1, 2e-14);
    EXPECT_TRUE(is_small(s.report().violation, 2e-14));
    // The string carries the weight.
    ASSERT_EQ(s.joint_rows().size(), 1u);
    EXPECT_NEAR(s.joint_impulses()[0] / 1e-3, 2 * kG, 2e-13);
  }
}

// A limit out of reach is not in the problem of the step, until the step would pass it: the first shove does, at a
// hundred times the weight.
TEST(TendonDrives, AShoveDoesNotPassALimitThatWasOutOfReach) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook").limits(0.3, 1);
  const Model m = b.build().value();
  for (const double shove : {-1e5, 1e5}) {
    Simulation s(m, {.dt = 1e-2});
    s.step();
    EXPECT_EQ(s.report().joint_rows, 0);
    s.applied[0] = shove;
    s.step();
    EXPECT_EQ(s.report().joint_rows, 1);
    EXPECT_NEAR(s.state.q[0], shove < 0 ? -1 : -0.3, 2e-14);
  }
}

// The same oscillation as that of a spring on the coordinate, to the last digits but a few: soft rows and the twin's
// armature are the same equation.
TEST(TendonDrives, ASpringAndDamperActAsThoseOfAJoint) {
  ModelBuilder string = make_hanging_weight(), joint = make_hanging_weight();
  string.tendon("string").through("ceiling").through("hook").spring(300, 0.6, 0.6).damping(4);
  joint.spec().joints[0].dofs = {DofSpec{.damping = 4, .stiffness = 300, .rest = -0.6}};
  const Model a = string.build().value(), c = joint.build().value();
  Simulation s(a, {.dt = 2e-3}), t(c, {.dt = 2e-3});
  for (int i = 0; i < 500; ++i) {
    s.step(), t.step();
    EXPECT_TRUE(near(s.state.q, t.state.q, 20));
  }
  EXPECT_TRUE(near(s.totals().work.springs, t.totals().work.springs, 2000));
  EXPECT_TRUE(near(s.totals().work.dampers, t.totals().work.dampers, 50));
  SmoothSimulation smooth(a, {.dt = 2e-3});
  run_for(smooth, 1);
  const double w0 = 300 / 2.0, decay = 1, w = std::sqrt(w0 - decay * decay), mean = -0.6 - 2 * kG / 300;
  const double x = (-0.5 - mean) * std::exp(-decay) * (std::cos(w) + decay / w * std::sin(w));
  EXPECT_NEAR(smooth.state.q[0], mean + x, 8e-11);
}

// However stiff, a step of any length is stable, and the string holds the weight where it should.
TEST(TendonDrives, StiffSpringsNeedNoSmallSteps) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook").spring(1e9, 0, 0.7).damping(100);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-2});
  run_for(s, 20);
  EXPECT_NEAR(s.state.q[0], -0.7 - 2 * kG / 1e9, 2e-14);
}

// A string with slack pulls, and never pushes: a weight thrown up from the taut string flies as if there were none.
TEST(TendonDrives, ASlackStringDoesNotPush) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook").spring(1e7, 0, 1);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.state.q = {-1 - 1e-6}, s.state.v = {3};
  s.step();
  EXPECT_NEAR(s.state.v[0], 3 - kG * 1e-3, 6e-14);
  // The energy of a bounce on the string comes back, up to the error of the rule.
  Simulation t(m, {.dt = 1e-5});
  t.state.q = {-0.9}, t.state.v = {-1};
  run_for(t, 0.4);
  EXPECT_GT(t.kinetic_energy() + t.potential_energy(), -3 * 2 * kG);
}

// Dry friction of a string holds up to its strength, and brakes with it.
TEST(TendonDrives, FrictionHoldsOrBrakes) {
  ModelBuilder b = make_carts();
  b.tendon("string").through("left_eye").through("right_eye").friction(2);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.state.q = {0, 1};
  s.applied = {-1.5, 1.5};
  run_for(s, 0.5);
  EXPECT_NEAR(s.state.q[1] - s.state.q[0], 1, 2e-14);
  s.applied = {-5, 5};
  s.step();
  EXPECT_NEAR(s.acceleration()[0], -3, 6e-14);
  EXPECT_NEAR(s.acceleration()[1], 1, 2e-14);
}

// a d2L/dt2 in the equation of motion: (M + a J^T J) dv/dt = tau.
TEST(TendonDrives, ArmatureIsInertiaOfTheLength) {
  ModelBuilder b = make_carts();
  b.tendon("string").through("left_eye").through("right_eye").armature(2);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.state.q = {0, 1};
  s.applied = {1, 4};
  s.step();
  // [1 + 2, -2; -2, 3 + 2] a = [1, 4]
  EXPECT_NEAR(s.acceleration()[0], (5 * 1 + 2 * 4) / 11.0, 2e-14);
  EXPECT_NEAR(s.acceleration()[1], (2 * 1 + 3 * 4) / 11.0, 2e-14);
  EXPECT_THROW(SmoothSimulation(m, {.dt = 1e-3}), std::invalid_argument);
}

// One string twice as fast as another, held as a constraint in all steppers.
TEST(TendonDrives, CoupledTendonsMoveTogether) {
  ModelBuilder b = make_carts();
  b.spec().frames.push_back({"wall", "world", make_placement({-5, 0, 0}), {}});
  b.tendon("a").through("wall").through("left_eye");
  b.tendon("b").through("wall").through("right_eye");
  b.couple_tendons({"gear", "b", "a", {2, 0.5}, 0, true, {}});
  const Model m = b.build().value();
  const auto expect_coupled = [](Stepper& s, double tolerance) {
    const double x = s.state.q[0];
    EXPECT_NEAR(s.state.q[1], 2 * x + 0.5 * x * x, tolerance);
    EXPECT_GT(std::abs(x), 0.1);
  };
  Simulation s(m, {.dt = 1e-3});
  SmoothSimulation smooth(m, {.dt = 1e-3});
  for (Stepper* one : {static_cast<Stepper*>(&s), static_cast<Stepper*>(&smooth)}) {
    one->applied = {1, 2};
    run_for(*one, 1);
  }
  expect_coupled(s, 1e-5), expect_coupled(smooth, 1e-9);
  EXPECT_NEAR(s.state.q[0], smooth.state.q[0], 2e-3);
}

// A position servo on a string is as stable as one on a joint, and holds its force limit.
TEST(TendonDrives, ServosOnTendonsAreImplicit) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook");
  ActuatorSpec servo = on_tendon("position", 2);
  servo.gain = {1e7, 0, 0}, servo.bias = {0, -1e7, -1e5};
  b.spec().actuators.push_back(servo);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 5e-3});
  s.control = {2 * 0.4};
  run_for(s, 10);
  EXPECT_NEAR(s.state.q[0], -0.4 - 2 * kG / 4e7, slack(1e-9, "the tolerance of the solver may show"));
  EXPECT_NEAR(s.actuator_forces()[0], -kG, slack(1e-4, "the tolerance of the solver may show"));
  ModelSpec weak = m.spec();
  weak.actuators[0].force_lower = -3, weak.actuators[0].force_upper = 3;
  const Model limited = compile(weak).value();
  Simulation t(limited, {.dt = 5e-3});
  t.control = {2 * 0.4};
  run_for(t, 0.5);
  EXPECT_NEAR(t.state.v[0], -(kG - 3) * 0.5, 2e-13);  // 2 x 3 N on 2 kg
}

TEST(TendonDrives, ActivationsFollowTheirLaws) {
  ModelBuilder b = make_hanging_weight();
  b.gravity({0, 0, 0});
  b.tendon("string").through("ceiling").through("hook");
  const auto add = [&](Activation kind, double tau) {
    ActuatorSpec a = on_tendon("general");
    a.name = std::to_string(b.spec().actuators.size());
    a.activation = kind, a.time_constants = {tau, 0, 0}, a.gain = {0, 0, 0};
    b.spec().actuators.push_back(a);
  };
  add(Activation::integrator, 1), add(Activation::filter, 0.1), add(Activation::filter_exact, 0.1);
  b.spec().actuators[0].activation_upper = 0.25;
  b.spec().actuators.push_back(on_tendon("motor"));
  const Model m = b.build().value();
  EXPECT_EQ(m.activations(), 3);
  const auto check = [&](Stepper& s, double filter_error) {
    s.control = {0.5, 2, 2, 0};
    run_for(s, 0.3);
    EXPECT_NEAR(s.state.activation[0], 0.15, 2e-14);
    EXPECT_NEAR(s.state.activation[1], 2 * (1 - std::exp(-3)), filter_error);
    EXPECT_NEAR(s.state.activation[2], 2 * (1 - std::exp(-3)), 4e-13);
    run_for(s, 0.5);
    EXPECT_EQ(s.state.activation[0], 0.25);
  };
  Simulation s(m, {.dt = 1e-3});
  check(s, 3e-3);
  SmoothSimulation smooth(m, {.dt = 1e-3});
  check(smooth, 1e-7);
  EventSimulation events(m, {.dt = 1e-3});
  check(events, 3e-3);
}

// All that a run needs is in its snapshot.
TEST(TendonDrives, ARestoredRunGoesOnWithTheSameBits) {
  ModelBuilder b = make_hanging_weight();
  b.tendon("string").through("ceiling").through("hook").spring(500, 0.4, 0.6).damping(1).limits(0, 0.8);
  ActuatorSpec a = on_tendon("general");
  a.activation = Activation::filter, a.time_constants = {0.05, 0, 0}, a.gain = {-3, 0, 0};
  b.spec().actuators.push_back(a);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.control = {1};
  run_for(s, 0.2);
  Simulation t(m, {.dt = 1e-3});
  t.restore(snapshot_from_bytes(to_bytes(s.make_snapshot())));
  run_for(s, 0.3), run_for(t, 0.3);
  EXPECT_EQ(s.state.q, t.state.q);
  EXPECT_EQ(s.state.v, t.state.v);
  EXPECT_EQ(s.state.activation, t.state.activation);
  Snapshot without = s.make_snapshot();
  std::erase_if(without.arrays, [](const auto& x) { return x.first == "activation"; });
  EXPECT_THROW(t.restore(without), std::invalid_argument);
}

// The curves at points where they are known.
TEST(TendonDrives, AMuscleHasItsCurves) {
  ActuatorSpec a = on_tendon("muscle");
  a.muscle.emplace(), a.activation = Activation::muscle, a.time_constants = {0.01, 0.04, 0};
  EXPECT_THROW((void)make_actuator_law(a, 1, 1), std::invalid_argument);
  a.length_range = {1, 1.3};
  const ActuatorLaw law = make_actuator_law(a, 1, 0.5);
  EXPECT_EQ(law.strength, 400);  // scale / acceleration
  const auto length_of = [&](double l) { return law.start_length + (l - 0.75) * law.rest_length; };
  const auto force = [&](double act, double l, double v) {
    return calc_actuator_force(law, act, length_of(l), v * 1.5 * law.rest_length).force / -400;
  };
  EXPECT_TRUE(near(force(1, 1, 0), 1.0, 100));
  EXPECT_TRUE(near(force(1, 0.75, 0), 0.5, 100));  // halfway to the shortest
  EXPECT_TRUE(near(force(1, 0.5, 0), 0.0, 100, 1));
  EXPECT_TRUE(near(force(1, 1, -1), 0.0, 100, 1));
  EXPECT_TRUE(near(force(1, 1, 0.3), 1.2, 100));
  EXPECT_TRUE(near(force(0, 1.3, 0), 1.3 / 2, 100));  // passive, where the line begins
  EXPECT_TRUE(near(force(0, 1.6, 0), 1.3 * 1.5, 100));
  // Slopes are derivatives.
  for (const double l : {0.6, 0.9, 1.1, 1.2, 1.5})
    for (const double v : {-0.7, 0.1, 0.5}) {
      const double h = 1e-6, length = length_of(l), speed = v * 1.5 * law.rest_length;
      const ActuatorForce f = calc_actuator_force(law, 0.7, length, speed);
      const auto at = [&](double dl, double dv) {
        return calc_actuator_force(law, 0.7, length + dl, speed + dv).force;
      };
      EXPECT_NEAR(f.per_length, (at(h, 0) - at(-h, 0)) / (2 * h), 1e-5);
      EXPECT_NEAR(f.per_speed, (at(0, h) - at(0, -h)) / (2 * h), 3e-6);
    }
}

// A crank on a wheel of radius r drives a slider: the closed form of every textbook.
TEST(TendonDrives, ASliderCrankHasItsClosedForm) {
  const double r = 0.2, rod = 0.7;
  ModelBuilder b("engine");
  b.gravity({0, 0, 0});
  b.body("wheel").mass(1, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)).frame("pin", make_placement({r, 0, 0}));
  b.revolute("axle", "world", "wheel").axis({0, 0, 1});
  // The slider moves along x: its frame's z is the world's x, and it is behind the wheel.
  b.spec().frames.push_back({"slider", "world", make_placement({-1, 0, 0}, {0, std::acos(0.0), 0}), {}});
  ActuatorSpec a;
  a.name = "piston", a.transmission = Transmission::slider_crank, a.target = "slider", a.reference = "pin";
  a.crank_length = rod, a.gear = {2, 0, 0, 0, 0, 0}, a.gain = {3, 0, 0};
  b.spec().actuators.push_back(a);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-6});
  for (const double angle : {0.3, 1.2, 2.5, -2.0}) {
    s.state.q = {angle}, s.state.v = {0};
    s.control = {1};
    s.step();
    const double y = r * std::sin(angle), root = std::sqrt(rod * rod - y * y);
    const double slope = -r * std::sin(angle) + y * r * std::cos(angle) / root;  // of 1 + r cos(angle) - root
    EXPECT_NEAR(s.acceleration()[0], 3 * 2 * slope / 0.1, 2e-13);
  }
}

// A ball under the ceiling stays as long as it is pulled there.
TEST(TendonDrives, AdhesionHoldsAgainstTheWeight) {
  ModelBuilder b("gecko");
  b.body("ball").mass(1, {}, Sym3<double>::diagonal(0.01, 0.01, 0.01)).sphere(0.1);
  b.free("fly", "world", "ball");
  ShapeSpec ceiling;
  ceiling.name = "ceiling", ceiling.body = "world", ceiling.kind = ShapeKind::plane;
  ceiling.pose = make_placement({0, 0, 1}, {2 * std::acos(0.0), 0, 0});
  b.spec().shapes.push_back(ceiling);
  ActuatorSpec a;
  a.name = "pad", a.transmission = Transmission::body, a.target = "ball", a.gain = {20, 0, 0}, a.control_lower = 0,
  a.control_upper = 1;
  b.spec().actuators.push_back(a);
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.state.q = {1, 0, 0, 0, 0, 0, 0.9};
  s.control = {1};
  run_for(s, 0.5);
  EXPECT_NEAR(s.state.q[6], 0.9, slack(1e-9, "the tolerance of the solver may show"));
  EXPECT_NEAR(s.contact_force(0).z, -(20 - kG), slack(1e-6, "the tolerance of the solver may show"));
  s.control = {0.2};  // 4 N are too little
  run_for(s, 0.5);
  EXPECT_LT(s.state.q[6], 0.5);
}

TEST(TendonDrives, GravityCompensationCarriesItsShare) {
  ModelBuilder b("float");
  b.body("brick").mass(3, {0.1, 0.2, 0}, Sym3<double>::diagonal(1, 1, 1));
  b.free("fly", "world", "brick");
  b.spec().bodies[0].gravity_compensation = 0.25;
  const Model m = b.build().value();
  Simulation s(m, {.dt = 1e-3});
  s.step();
  EXPECT_NEAR(s.acceleration()[5], -0.75 * kG, 8e-14);
  EXPECT_NEAR(s.acceleration()[0], 0, 2e-14);
}

}  // namespace sinew::test
