// tests/batch/device_simulation_test.cpp - steps as a device takes them, run by the CPU: they are Simulation's
#include "sinew/batch/device_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/batch/kernel/team.hpp"
#include "support/device_case.hpp"
#include "support/device_hills.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_tree.hpp"

namespace sinew::test::device_case {
namespace {

// Errors of v and q after one step against Simulation, in ascending order, and how many had impulses.
struct Agreement {
  Numbers errors;
  int pushed = 0, aside = 0;
  double part(double p) const { return errors[static_cast<std::size_t>(p * static_cast<double>(errors.size() - 1))]; }
};
template <class R>
Agreement compare(const Model& m, const std::vector<Case>& cases, const DeviceSimulationOptions& o) {
  DeviceSimulation<R> worlds = make_worlds<R>(m, cases, o);
  worlds.step();
  std::vector<R> q(worlds.size() * at(m.nq())), v(worlds.size() * at(m.nv()));
  worlds.get_state(q, v);
  const auto reports = worlds.reports();
  Simulation one(m, options_of(worlds.options().dt));
  Agreement out;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    one.restart(cases[i].state);
    std::copy(cases[i].control.begin(), cases[i].control.end(), one.control.begin());
    std::copy(cases[i].applied.begin(), cases[i].applied.end(), one.applied.begin());
    one.step();
    out.aside += reports[i].cause != device::Cause::none;
    double error = 0, size = 1;
    for (std::size_t k = 0; k < at(m.nv()); ++k) {
      error = std::max(error, std::abs(static_cast<double>(v[i * at(m.nv()) + k]) - one.state.v[k]));
      size = std::max(size, std::abs(one.state.v[k]));
    }
    for (std::size_t k = 0; k < at(m.nq()); ++k)
      error = std::max(error, std::abs(static_cast<double>(q[i * at(m.nq()) + k]) - one.state.q[k]));
    out.errors.push_back(error / size);
    out.pushed += reports[i].newtons > 0;
  }
  std::sort(out.errors.begin(), out.errors.end());
  return out;
}

TEST(DeviceSimulation, OneStepIsThatOfSimulation) {
  for (const char* text : {kWalker, kHeap}) {
    const Model m = parse(text);
    const std::vector<Case> cases = make_cases(m, 6, 120, 4, 11);
    const Agreement in_double = compare<double>(m, cases, {.tolerance = 1e-12, .contacts = 40, .rows = 100});
    EXPECT_EQ(in_double.aside, 0);
    EXPECT_GT(in_double.pushed, static_cast<int>(cases.size()) / 3);
    // Of a few problems the answer is not unique, so that solvers differ.
    EXPECT_TRUE(is_small(in_double.part(0.5), 3e-14));
    EXPECT_TRUE(is_small(in_double.part(0.9), slack(1e-10, "which states a run meets depends on the compiler")));
    const Agreement in_float = compare<float>(m, cases, {.contacts = 40, .rows = 100});
    EXPECT_EQ(in_float.aside, 0);
    EXPECT_TRUE(is_small(in_float.part(0.5), 1e-5));
  }
}

// Without friction: on more corners than they need, bodies that slide have more than one answer.
TEST(DeviceSimulation, ConvexSolidsMoveAsInSimulation) {
  for (const std::string& text : {std::string(kPile), make_gems()}) {
    const Model m = parse(replaced(text, "friction=\"0.5\"", "friction=\"0\""));
    const std::vector<Case> cases = make_cases(m, 6, 120, 4, 11, 0.03);
    const Agreement in_double = compare<double>(m, cases, {.tolerance = 1e-12, .contacts = 60, .rows = 120});
    EXPECT_EQ(in_double.aside, 0);
    EXPECT_GT(in_double.pushed, static_cast<int>(cases.size()) / 2);
    EXPECT_TRUE(is_small(in_double.part(1), 1e-10));
    const Agreement in_float = compare<float>(m, cases, {.contacts = 60, .rows = 120});
    EXPECT_EQ(in_float.aside, 0);
    EXPECT_TRUE(is_small(in_float.part(0.5), 5e-4));  // a place in float is wrong by 1e-7 m: 5e-5 m/s in this step
  }
}

// Likewise without friction.
TEST(DeviceSimulation, SolidsOnHillsMoveAsInSimulation) {
  const Model m = make_hills(21, 0);
  const std::vector<Case> cases = make_cases(m, 6, 120, 4, 11, 0.03);
  const Agreement in_double = compare<double>(m, cases, {.tolerance = 1e-12, .contacts = 150, .rows = 150});
  EXPECT_EQ(in_double.aside, 0);
  EXPECT_GT(in_double.pushed, static_cast<int>(cases.size()) / 2);
  EXPECT_TRUE(is_small(in_double.part(1), 1e-10));
  const Agreement in_float = compare<float>(m, cases, {.contacts = 150, .rows = 150});
  EXPECT_EQ(in_float.aside, 0);
  EXPECT_TRUE(is_small(in_float.part(0.5), 1e-4));
}

// Stacks of boxes, whose faces have four contacts: more rows than freedoms. The last room is for large problems, which
// a block of warps solves on a device.
TEST(DeviceSimulation, StacksOfBoxesStand) {
  std::string text = R"(<mujoco><option timestep="0.002"/><default><geom friction="0.6"/></default><worldbody>
    <geom type="plane" size="5 5 0.1"/>)";
  for (int i = 0; i < 6; ++i)
    text += "<body pos=\"0 0 " + std::to_string(0.05 + 0.1 * i) +
            "\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/></body>";
  const Model m = parse(text + "</worldbody></mujoco>");
  Random random(2);
  std::vector<Case> cases;
  for (int i = 0; i < 2; ++i) {
    cases.push_back({make_state(m), {}, Numbers(at(m.nv()))});
    for (double& x : cases.back().state.v) x = 0.01 * random.normal();
  }
  const auto expect_standing = [&]<class R>(R, int steps) {
    const DeviceSimulationOptions o{.contacts = 40, .rows = 120};
    auto forward = make_worlds<R>(m, cases, o, device::make_cpu_backend<R>(device::Order::forward));
    auto backward = make_worlds<R>(m, cases, o, device::make_cpu_backend<R>(device::Order::backward));
    forward.step(steps), backward.step(steps);
    EXPECT_EQ(state_of(forward), state_of(backward));
    EXPECT_EQ(forward.summary().failed, 0u);
    EXPECT_LE(forward.summary().unsolved, 2);
    for (const auto& r : forward.reports()) EXPECT_GT(r.rows, 48);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (std::size_t body = 0; body < 6; ++body)
        EXPECT_NEAR(static_cast<double>(state_of(forward)[i * at(m.nq()) + 7 * body + 6]),
                    0.05 + 0.1 * static_cast<double>(body), 1e-5);
  };
  expect_standing(double(), 30);
  expect_standing(float(), 60);
}

// Servos that ask for far more than they may push with, or their joint takes, are at their limits from start to end;
// others reach or leave a limit within the step.
TEST(DeviceSimulation, ServosAtTheirLimitsPushAsInSimulation) {
  const Model m = parse(kWalker);
  std::vector<Case> cases = make_cases(m, 4, 60, 4, 17);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].control[0] = i % 2 == 0 ? 50 : -50;
    cases[i].control[1] = i % 3 == 0 ? 50 : -50;
  }
  // Targets from which a limit is near: 20 N m of 60 N m/rad, and 15 of these.
  const std::size_t n = cases.size();
  for (std::size_t i = 0; i < n; ++i) {
    Case c = cases[i];
    const double* hip = c.state.q.data() + m.find_joint("hip1")->q;
    c.control[0] = *hip + (i % 2 == 0 ? 1 : -1) * (20.0 / 60 + 1e-2 * static_cast<double>(i % 7)), c.control[1] = 0.25;
    cases.push_back(c);
  }
  const Agreement limited = compare<double>(m, cases, {.tolerance = 1e-12, .contacts = 40, .rows = 100});
  // An eighth of these problems, where a leg is pushed through the floor, has more than one answer.
  EXPECT_TRUE(is_small(limited.part(0.5), 3e-14));
  EXPECT_TRUE(is_small(limited.part(0.8), slack(1e-10, "which states a run meets depends on the compiler")));
}

// Two arms without contacts, whose answer is unique: stiff servos reach their limits, leave them, and go from one to
// the other within a step.
TEST(DeviceSimulation, ServosMeetTheirLimitsWithinAStep) {
  const Model m = parse(R"(
<mujoco><option timestep="0.01"/><worldbody><body>
  <joint name="a" type="hinge" axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/>
  <body pos="0.4 0 0"><joint name="b" type="hinge" axis="0 1 0" actuatorfrcrange="-3 3"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="0.5" contype="0"/></body></body></worldbody>
<actuator><position joint="a" kp="2000" kv="30" forcerange="-8 8"/><position joint="b" kp="900" kv="5"/></actuator>
</mujoco>)");
  Random random(8);
  std::vector<Case> cases;
  for (int i = 0; i < 200; ++i) {
    Case c{make_state(m), Numbers(2), Numbers(2)};
    for (double& x : c.state.q) x = random.normal();
    for (double& x : c.state.v) x = random.normal();
    for (std::size_t k = 0; k < 2; ++k) c.control[k] = c.state.q[k] + 0.01 * random.normal();
    cases.push_back(c);
  }
  EXPECT_TRUE(is_small(compare<double>(m, cases, {}).part(1), 1e-13));
  EXPECT_TRUE(is_small(compare<float>(m, cases, {}).part(1), 1e-4));
}

// Every primitive joint, in trees without contacts.
TEST(DeviceSimulation, TreesOfAllJointsMoveAsInSimulation) {
  using enum JointKind;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    ModelSpec spec = random_tree(seed, {12,
                                        {fixed, revolute, prismatic, helical, cylindrical, planar, spherical,
                                         spherical_ypr, universal, free, rack_and_pinion}});
    for (JointSpec& j : spec.joints) j.reversed = false, j.dofs.clear();
    spec.timestep = 1e-3, spec.gravity = {0, 0.5, -9.81};
    const Model m = compile(spec).value();
    const std::vector<Case> cases = make_cases(m, 2, 1, 1, seed, 0.5);
    EXPECT_TRUE(is_small(compare<double>(m, cases, {}).part(1), 3e-14));
    EXPECT_TRUE(is_small(compare<float>(m, cases, {}).part(1), 1e-5));
  }
}

// A box on the floor stays where it is; a ball rolls as the closed form says.
TEST(DeviceSimulation, LongRuns) {
  const Model m = parse(R"(
<mujoco><option timestep="0.002"/><worldbody>
  <geom type="plane" size="5 5 0.1" friction="0.2"/>
  <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.2"/></body>
  <body pos="0 3 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="2" contype="2" conaffinity="0"/></body>
</worldbody><contact><pair geom1="geom_0" geom2="geom_2"/></contact></mujoco>)");
  const double dt = 2e-3, v0 = 1, mu = 0.2, g = 9.81;
  DeviceSimulation<double> worlds(m, 1, {.contacts = 12, .rows = 36});
  Numbers q(m.neutral().begin(), m.neutral().end()), v(at(m.nv()));
  const Numbers start = q;
  v[3] = v0;
  worlds.set_state(q, v);
  worlds.step(200);
  worlds.get_state(q, v);
  EXPECT_EQ(worlds.summary().unsolved, 0);
  // Slides until 2 v0 / (7 mu g), then rolls with 5/7 v0.
  EXPECT_NEAR(v[1] * 0.1, 5 * v0 / 7, 5e-12);
  const double until = 2 * v0 / (7 * mu * g), way = 12 * v0 * v0 / (49 * mu * g) + (200 * dt - until) * 5 * v0 / 7;
  EXPECT_NEAR(q[4], way, 1e-3);
  for (std::size_t k = 7; k < 14; ++k) EXPECT_NEAR(q[k], start[k], 1e-12);
}

TEST(DeviceSimulation, RefusesByName) {
  const auto refusal = [](const std::string& text) {
    const Model m = parse(text);
    try {
      const DeviceSimulation<float> worlds(m, 1, {.dt = 1e-3});
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string floor = R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>)";
  const auto with_mesh = [](const std::string& vertices) {
    return R"(<mujoco><asset><mesh name="m" vertex=")" + vertices + R"("/></asset><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body><freejoint/><geom name="a" type="mesh" mesh="m"/></body></worldbody></mujoco>)";
  };
  EXPECT_EQ(refusal(with_mesh("0 0 0 1 0 0 0 1 0 0 0 1")), "");
  std::string disk;
  for (int i = 0; i < 40; ++i)
    disk += std::to_string(std::cos(0.1 * std::numbers::pi * i)) + " " +
            std::to_string(std::sin(0.1 * std::numbers::pi * i)) + " " + (i < 20 ? "0 " : "0.2 ");
  EXPECT_NE(refusal(with_mesh(disk)).find("hull of the mesh 'a' of body 'body_1' has 20 corners"), std::string::npos)
      << refusal(with_mesh(disk));
  // A flat mesh has no hull and touches as it is: two surfaces.
  EXPECT_NE(refusal(R"(<mujoco><asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/>
      <mesh name="m" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"/></asset><worldbody>
      <geom name="ground" type="hfield" hfield="hills"/>
      <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom name="a" type="mesh" mesh="m"/></body>
      </worldbody></mujoco>)")
                .find("heightfield 'ground' of body"),
            std::string::npos);
  EXPECT_NE(refusal(floor + R"(<body name="a"><joint name="j" type="hinge"/><geom size="1"/></body></worldbody>
      <tendon><fixed name="cord"><joint joint="j" coef="1"/></fixed></tendon></mujoco>)")
                .find("tendon 'cord'"),
            std::string::npos);
  EXPECT_NE(refusal(floor + R"(<body name="a"><joint name="j" type="hinge"/><geom size="1"/></body></worldbody>
      <actuator><general name="m" joint="j" dyntype="integrator"/></actuator></mujoco>)")
                .find("actuator 'm'"),
            std::string::npos);
  EXPECT_NE(refusal(floor + R"(<body><freejoint/><geom name="a" size="1" condim="6"/></body></worldbody></mujoco>)")
                .find("rolling friction"),
            std::string::npos);
  EXPECT_EQ(refusal(floor + "<body><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>"), "");
  const Model m = parse(floor + "</worldbody></mujoco>");
  EXPECT_THROW(DeviceSimulation<float>(m, 1, {.dt = -1}), std::invalid_argument);
  EXPECT_THROW(DeviceSimulation<float>(m, 1, {.dt = 1e-3, .recovery = 2}), std::invalid_argument);
  EXPECT_THROW(DeviceSimulation<float>(m, 1, {.dt = 1e-3, .contacts = -1}), std::invalid_argument);
}

TEST(DeviceSimulation, StepsAllocateNothing) {
  const Model m = parse(kWalker);
  DeviceSimulation<double> worlds(m, 2, {.contacts = 40, .rows = 100});
  worlds.step();
  const AllocationCount allocations;
  worlds.step(3);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test::device_case
