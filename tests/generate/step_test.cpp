// tests/generate/step_test.cpp - code of a whole step does what Simulation::step does
#include <gtest/gtest.h>

#include "generate/traced_model.hpp"
#include "sinew/generate/simplify.hpp"
#include "sinew/generate/trace.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using generate::Graph;

// The semi-implicit step of an oscillator with a damper: (m + dt c + dt^2 k) (v+ - v) = dt (f - c v - k (x + dt v -
// r)).
TEST(GeneratedStep, OfAnOscillator) {
  const double m = 3, k = 800, c = 7, r = 0.2, x = 0.5, v = -1.5, f = 4, dt = 0.01;
  ModelBuilder b("oscillator");
  b.body("block").mass(m, {}, Sym3<double>::diagonal(1, 1, 1));
  b.prismatic("rail", "world", "block").axis({1, 0, 0}).spring(k, r).damping(c);
  const double after = v + dt * (f - c * v - k * (x + dt * v - r)) / (m + dt * c + dt * dt * k);
  const Graph g = generate::trace(b.build().value(), "step");
  const std::vector<double> in{x, v, f, dt}, want{x + dt * after, after};
  EXPECT_TRUE(near(evaluate(g, in), want, 10));
}

// Springs and dampers with all terms, motors and servos, each with limits of what they are given.
ModelSpec driven_tree(std::uint64_t seed) {
  ModelSpec spec = traceable_tree(seed, 6);
  Random rng(seed);
  for (JointSpec& j : spec.joints) {
    const Model one = compile(spec).value();
    const JointEntry& e = *one.find_joint(j.name);
    if (j.kind == JointKind::composite || e.nv == 0) continue;
    j.dofs.resize(at(e.nv));
    for (DofSpec& d : j.dofs) {
      d.damping = rng.uniform(0, 2);
      if (e.nq != 1 || e.nv != 1) continue;
      d.stiffness = rng.uniform(0, 20), d.rest = rng.uniform(-1, 1);
      d.stiffness_terms = {rng.uniform(0, 1), rng.uniform(0, 1)},
      d.damping_terms = {rng.uniform(0, 1), rng.uniform(0, 1)};
      d.max_effort = 1.5;
    }
    if (e.nq != 1 || e.nv != 1) continue;
    ActuatorSpec motor{.name = j.name + "_motor", .kind = "motor", .target = j.name};
    motor.gear[0] = 3, motor.control_lower = -0.5, motor.control_upper = 0.5, motor.force_upper = 0.4;
    spec.actuators.push_back(motor);
    if (spec.actuators.size() % 2 == 0) continue;
    ActuatorSpec servo{.name = j.name + "_servo", .kind = "position", .target = j.name};
    servo.gear[0] = -2, servo.gain = {30, 0, 0}, servo.bias = {0, -30, -2}, servo.force_lower = -1;
    spec.actuators.push_back(servo);
  }
  return spec;
}

TEST(GeneratedStep, OfTreesWithDrives) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = compile(driven_tree(seed)).value();
    if (m.nv() == 0 || !can_be_traced(m, "step")) continue;
    const Graph g = generate::simplify(generate::trace(m, "step"));
    EXPECT_EQ(g.inputs.size(), m.spec().actuators.empty() ? 4u : 5u);
    Random rng(seed);
    for (int k = 0; k < 5; ++k, ++compared) {
      const std::vector<double> in = generate::random_inputs(m, g, rng);
      EXPECT_TRUE(near(evaluate(g, in), generate::run_library(m, "step", in), 3e4));
    }
  }
  EXPECT_GT(compared, 50);
}

// The code, called again and again, follows a simulation that knows nothing of it.
TEST(GeneratedStep, FollowsASimulation) {
  ModelSpec spec = mechanisms::humanoid();
  spec.shapes.clear(), spec.pairs.clear(), spec.exclusions.clear();
  for (JointSpec& j : spec.joints)
    for (DofSpec& d : j.dofs) d.lower = -kUnlimited, d.upper = kUnlimited;
  const Model m = compile(spec).value();
  const Graph g = generate::trace(m, "step");
  Simulation s(m, {.dt = 2e-3, .middle_forces = false});
  std::vector<double> state = s.state.q;
  for (std::size_t k = 0; k < s.state.v.size(); ++k) s.state.v[k] = 0.3 * std::sin(static_cast<double>(k));
  state.insert(state.end(), s.state.v.begin(), s.state.v.end());
  for (int step = 0; step < 100; ++step) {
    std::vector<double> in = state;
    for (std::size_t k = 0; k < s.applied.size(); ++k) in.push_back(s.applied[k] = std::cos(static_cast<double>(k)));
    in.push_back(2e-3);
    in.resize(at(g.input_size()));  // control: zero
    state = evaluate(g, in);
    s.step();
  }
  std::vector<double> want = s.state.q;
  want.insert(want.end(), s.state.v.begin(), s.state.v.end());
  EXPECT_TRUE(near(state, want, 50));
}

TEST(GeneratedStep, SaysWhatItLeavesOut) {
  const Model m = compile(mechanisms::humanoid()).value();
  const std::vector<std::string> out = generate::list_left_out(m, "step");
  ASSERT_GE(out.size(), 2u);
  EXPECT_EQ(out[0], "contacts of " + std::to_string(m.spec().shapes.size()) + " shapes");
  EXPECT_NE(out[1].find("stops of "), std::string::npos);
  EXPECT_TRUE(generate::list_left_out(m, "rnea").empty());
}

void expect_refused(const char* joints, const char* rest, const std::string& words) {
  const std::string text = std::string("<mujoco><worldbody><body name='link'>") + joints +
                           "<geom type='capsule' size='.1 .2' name='shape'/><body name='more' pos='0 0 1'>"
                           "<joint name='elbow'/><geom size='.1'/></body></body></worldbody>" +
                           rest + "</mujoco>";
  try {
    generate::trace(compile(parse_mjcf(text).value()).value(), "step");
    FAIL() << words;
  } catch (const TraceError& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}
TEST(GeneratedStep, RefusesByName) {
  const char* hinge = "<joint name='hip'/>";
  expect_refused(hinge, "<equality><joint joint1='hip' joint2='elbow' name='gear'/></equality>", "coupling 'gear'");
  expect_refused(hinge, "<equality><connect body1='more' body2='world' anchor='0 0 0' name='pin'/></equality>",
                 "loop 'pin'");
  expect_refused(hinge, "<tendon><fixed name='rope'><joint joint='hip' coef='1'/></fixed></tendon>", "tendon 'rope'");
  expect_refused("<joint name='hip' type='ball' stiffness='3'/>", "", "joint 'hip'");
  expect_refused(hinge, "<actuator><general name='slow' joint='hip' dyntype='filter' dynprm='1'/></actuator>",
                 "actuator 'slow'");
  expect_refused(hinge, "<option density='1'/>", "medium");
}

}  // namespace
}  // namespace sinew::test
