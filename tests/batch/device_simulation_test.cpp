// tests/batch/device_simulation_test.cpp - steps as a device takes them, run by the CPU: they are Simulation's, and a
// world's bits are its own
#include "sinew/batch/device_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/batch/kernel/team.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {
namespace {

Model parse(const std::string& text) { return compile(parse_mjcf(text).value()).value(); }

// A trunk on two legs of capsules with servos, springs, stops and dry friction, and a ball on a stick.
const char* const kWalker = R"(
<mujoco>
  <option timestep="0.005"/>
  <default><geom friction="0.7"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 0.5">
      <freejoint name="root"/>
      <geom name="trunk" type="capsule" size="0.08" fromto="0 -0.15 0 0 0.15 0" mass="5"/>
      <body name="thigh1" pos="0 0.1 -0.05">
        <joint name="hip1" type="hinge" axis="0 1 0" range="-60 60" damping="0.5" armature="0.01"/>
        <geom name="thigh1" type="capsule" size="0.04" fromto="0 0 0 0 0 -0.2" mass="1"/>
        <body name="shank1" pos="0 0 -0.22">
          <joint name="knee1" type="hinge" axis="0 1 0" range="-120 -5" stiffness="4" damping="0.2" frictionloss="0.3"/>
          <geom name="shank1" type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2" mass="0.5"/>
          <geom name="foot1" type="sphere" size="0.04" pos="0 0 -0.2" mass="0.1"/>
        </body>
      </body>
      <body name="thigh2" pos="0 -0.1 -0.05">
        <joint name="hip2" type="hinge" axis="0 1 0" range="-60 60" damping="0.5" armature="0.01"
               actuatorfrcrange="-15 15"/>
        <geom name="thigh2" type="capsule" size="0.04" fromto="0 0 0 0 0 -0.2" mass="1"/>
        <body name="shank2" pos="0 0 -0.22">
          <joint name="knee2" type="slide" axis="0 0 1" range="-0.02 0.1" damping="2" frictionloss="1"/>
          <geom name="shank2" type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2" mass="0.5"/>
        </body>
      </body>
      <body name="arm" pos="0 0 0.1">
        <joint name="shoulder" type="ball" range="0 70" damping="0.1"/>
        <geom name="arm" type="capsule" size="0.03" fromto="0 0 0.05 0.3 0 0.1" mass="0.4"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position joint="hip1" kp="60" kv="2" forcerange="-20 20"/>
    <position joint="hip2" kp="60" kv="2"/>
    <motor joint="knee1" gear="3"/>
    <motor joint="knee2" gear="10" ctrlrange="-0.5 0.5"/>
  </actuator>
</mujoco>)";

// Single bodies that meet each other: every pair of shapes that a device has.
const char* const kHeap = R"(
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.5"/>
    <body name="ball" pos="0 0 0.1"><freejoint/>
      <geom name="ball" type="sphere" size="0.1" mass="1" friction="0.4"/></body>
    <body name="other" pos="0.19 0 0.1"><freejoint/>
      <geom name="other" type="sphere" size="0.1" pos="0.01 0 0" mass="0.5" friction="0.4"/></body>
    <body name="pill" pos="0 0.19 0.1"><freejoint/>
      <geom name="pill" type="capsule" size="0.1 0.2" euler="0 90 0" mass="1" friction="0.3"/></body>
    <body name="rod" pos="0 0.38 0.1"><freejoint/>
      <geom name="rod" type="capsule" size="0.1 0.1" euler="0 90 10" mass="2" contype="3" conaffinity="1"/></body>
    <body name="box" pos="0 -0.24 0.15"><freejoint/>
      <geom name="box" type="box" size="0.2 0.15 0.15" mass="3" contype="4" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <pair geom1="floor" geom2="box" friction="0.6 0.6 0 0 0"/>
    <pair geom1="ball" geom2="box" friction="0.6 0.6 0 0 0"/>
  </contact>
</mujoco>)";

// What a device does not do in one step, switched off.
SimulationOptions options_of(double dt) {
  SimulationOptions o{.dt = dt, .middle_forces = false, .refinements = 0, .sleep = false};
  o.solver.tolerance = 1e-13, o.solver.acceptable = 1e-12;
  return o;
}

struct Case {
  State state;
  Numbers control, applied;
};
// States of runs that begin near the model's position, so that about half of them have contacts and stops that push.
std::vector<Case> make_cases(const Model& m, int runs, int length, int every, std::uint64_t seed,
                             double spread = 0.15) {
  Random random(seed);
  Simulation path(m, options_of(m.spec().timestep));
  std::vector<Case> out;
  Numbers by(at(m.nv()));
  for (int r = 0; r < runs; ++r) {
    State s = make_state(m);
    for (double& x : by) x = spread * random.normal();
    integrate<double>(m, m.neutral(), by, 1.0, s.q);
    for (double& x : s.v) x = random.normal();
    path.restart(s);
    for (int k = 0; k < length; ++k) {
      // Small enough that servos seldom reach or leave a limit within the step, which only Simulation sees.
      for (double& x : path.control) x = 0.1 * random.normal();
      for (double& x : path.applied) x = 0.2 * random.normal();
      if (k % every == 0)
        out.push_back(
            {path.state, {path.control.begin(), path.control.end()}, {path.applied.begin(), path.applied.end()}});
      path.step();
    }
  }
  return out;
}

template <class R>
std::vector<R> rows_of(const std::vector<Case>& cases, auto part) {
  std::vector<R> out;
  for (const Case& c : cases)
    for (const double x : part(c)) out.push_back(static_cast<R>(x));
  return out;
}
template <class R>
DeviceSimulation<R> make_worlds(const Model& m, const std::vector<Case>& cases, const DeviceSimulationOptions& o = {},
                                std::unique_ptr<device::Backend<R>> backend = nullptr) {
  DeviceSimulation<R> worlds(m, cases.size(), o, std::move(backend));
  worlds.set_state(rows_of<R>(cases, [](const Case& c) { return c.state.q; }),
                   rows_of<R>(cases, [](const Case& c) { return c.state.v; }));
  worlds.set_control(rows_of<R>(cases, [](const Case& c) { return c.control; }));
  worlds.set_applied(rows_of<R>(cases, [](const Case& c) { return c.applied; }));
  return worlds;
}
template <class R>
std::vector<R> state_of(const DeviceSimulation<R>& worlds) {
  std::vector<R> q(worlds.size() * at(worlds.nq())), v(worlds.size() * at(worlds.nv()));
  worlds.get_state(q, v);
  q.insert(q.end(), v.begin(), v.end());
  return q;
}

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

// Servos that ask for far more than they may push with, or their joint takes: at their limits from start to end.
TEST(DeviceSimulation, ServosAtTheirLimitsPushAsInSimulation) {
  const Model m = parse(kWalker);
  std::vector<Case> cases = make_cases(m, 4, 60, 4, 17);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].control[0] = i % 2 == 0 ? 50 : -50;
    cases[i].control[1] = i % 3 == 0 ? 50 : -50;
  }
  const Agreement limited = compare<double>(m, cases, {.tolerance = 1e-12, .contacts = 40, .rows = 100});
  // An eighth of these problems, where a leg is pushed through the floor, has more than one answer.
  EXPECT_TRUE(is_small(limited.part(0.5), 3e-14));
  EXPECT_TRUE(is_small(limited.part(0.8), slack(1e-10, "which states a run meets depends on the compiler")));
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

TEST(DeviceSimulation, ItemsOfALoopDoNotDependOnTheirOrder) {
  for (const char* text : {kWalker, kHeap}) {
    const Model m = parse(text);
    const std::vector<Case> cases = make_cases(m, 2, 60, 10, 5);
    const DeviceSimulationOptions o{.contacts = 40, .rows = 100};
    auto forward = make_worlds<double>(m, cases, o, device::make_cpu_backend<double>(device::Order::forward));
    auto backward = make_worlds<double>(m, cases, o, device::make_cpu_backend<double>(device::Order::backward));
    forward.step(20), backward.step(20);
    EXPECT_EQ(state_of(forward), state_of(backward));
  }
}

TEST(DeviceSimulation, AWorldHasTheSameBitsInAnyBatch) {
  const Model m = parse(kWalker);
  std::vector<Case> cases = make_cases(m, 2, 60, 10, 9);
  const DeviceSimulationOptions o{.contacts = 40, .rows = 60};
  auto all = make_worlds<float>(m, cases, o);
  all.step(30);
  const std::vector<float> together = state_of(all);
  const std::size_t nq = at(m.nq()), n = cases.size();
  for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
    auto alone = make_worlds<float>(m, {cases[i]}, o);
    alone.step(30);
    const std::vector<float> state = state_of(alone);
    EXPECT_TRUE(std::equal(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(nq),
                           together.begin() + static_cast<std::ptrdiff_t>(i * nq)));
  }
  // Every third is poisoned: the others do not notice.
  for (std::size_t i = 0; i < n; i += 3) cases[i].state.v[i % at(m.nv())] = std::numeric_limits<double>::quiet_NaN();
  auto poisoned = make_worlds<float>(m, cases, o);
  poisoned.step(30);
  const std::vector<float> state = state_of(poisoned);
  const auto failures = poisoned.failures();
  ASSERT_EQ(failures.size(), (n + 2) / 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      EXPECT_EQ(failures[i / 3].world, i);
      EXPECT_FALSE(failures[i / 3].text.empty());
    } else {
      EXPECT_TRUE(std::equal(state.begin() + static_cast<std::ptrdiff_t>(i * nq),
                             state.begin() + static_cast<std::ptrdiff_t>((i + 1) * nq),
                             together.begin() + static_cast<std::ptrdiff_t>(i * nq)));
    }
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Worlds with variants of a model have the bits that they have among worlds of that model alone.
TEST(DeviceSimulation, WorldsMayHaveOtherNumbers) {
  const Model walker = parse(kWalker);
  const std::vector<Model> variants{
      parse(replaced(kWalker, "mass=\"5\"", "mass=\"8\"")),
      parse(replaced(kWalker, "friction=\"0.7\"", "friction=\"0.1\"")),
      parse(replaced(kWalker, "kp=\"60\"", "kp=\"20\"")),
      parse(replaced(kWalker, "timestep=\"0.005\"", "timestep=\"0.005\" gravity=\"1 0 -3\"")),
      parse(replaced(kWalker, "size=\"5 5 0.1\"", "size=\"5 5 0.1\" pos=\"0 0 0.1\" euler=\"10 0 0\"")),
      parse(replaced(kWalker, "size=\"0.04\" pos", "size=\"0.06\" pos"))};
  const auto run = [](auto& worlds) {
    using R = double;
    std::vector<R> control(worlds.size() * at(worlds.controls()), R(0.2));
    worlds.set_control(control);
    worlds.step(150);
    std::vector<R> q(worlds.size() * at(worlds.nq())), v(worlds.size() * at(worlds.nv()));
    worlds.get_state(q, v);
    q.insert(q.end(), v.begin(), v.end());
    return q;
  };
  DeviceSimulation<double> mixed(walker, 12);
  std::vector<int> variant(12);
  for (int i = 0; i < 12; ++i) variant[at(i)] = (5 * i) % 6;
  mixed.set_variants(variants, variant);
  const std::vector<double> all = run(mixed);
  const auto row = [](const std::vector<double>& x, std::size_t worlds, std::size_t world, int nq, int nv) {
    std::vector<double> out(x.begin() + static_cast<std::ptrdiff_t>(world * at(nq)),
                            x.begin() + static_cast<std::ptrdiff_t>((world + 1) * at(nq)));
    const auto v = x.begin() + static_cast<std::ptrdiff_t>(worlds * at(nq) + world * at(nv));
    out.insert(out.end(), v, v + nv);
    return out;
  };
  std::vector<std::vector<double>> ends;
  for (std::size_t k = 0; k < variants.size(); ++k) {
    DeviceSimulation<double> alone(variants[k], 1);
    ends.push_back(row(run(alone), 1, 0, walker.nq(), walker.nv()));
  }
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(row(all, 12, i, walker.nq(), walker.nv()), ends[at(variant[i])]) << "world " << i;
  for (std::size_t k = 1; k < ends.size(); ++k) EXPECT_NE(ends[k], ends[0]) << "variant " << k;
  // Without variants, all have the model again.
  DeviceSimulation<double> plain(walker, 12);
  mixed.set_variants({}, {}), mixed.reset();
  EXPECT_EQ(run(mixed), run(plain));
}

TEST(DeviceSimulation, VariantsMustFit) {
  DeviceSimulation<double> worlds(parse(kWalker), 2);
  const auto message = [&](const std::string& text, const std::vector<int>& variant) -> std::string {
    try {
      worlds.set_variants(std::vector<Model>{parse(kWalker), parse(text)}, variant);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(kWalker, {0, 1}), "");
  EXPECT_NE(message(kWalker, {0, 2}).find("variant[1] is 2, and there are 2"), std::string::npos);
  EXPECT_NE(message(kWalker, {0}).find("variant"), std::string::npos);
  const std::string stiff = replaced(kWalker, " frictionloss=\"0.3\"", "");
  EXPECT_NE(message(stiff, {0, 1}).find("variant 1: DeviceSimulation: there are "), std::string::npos)
      << message(stiff, {0, 1});
  EXPECT_NE(message(replaced(kWalker, "type=\"sphere\" size=\"0.04\"", "type=\"box\" size=\"0.04 0.04 0.04\""), {0, 1})
                .find("variant 1: "),
            std::string::npos);
}

TEST(DeviceSimulation, CountsWhatHasNoRoomAndSetsTheWorldAside) {
  const Model m = parse(kHeap);
  DeviceSimulation<double> few(m, 2, {.contacts = 3});
  const std::vector<double> before = state_of(few);
  few.step();
  ASSERT_EQ(few.failures().size(), 2u);
  EXPECT_EQ(few.failures()[0].cause, device::Cause::contacts);
  const int found = few.reports()[0].needed;
  EXPECT_GE(found, 10);  // balls 2, capsules 2 each, corners of the box 4
  EXPECT_NE(few.failures()[1].text.find(std::to_string(found) + " contacts, and room for 3"), std::string::npos);
  EXPECT_EQ(state_of(few), before);

  DeviceSimulation<double> enough(m, 1, {.contacts = found, .rows = 100});
  enough.step();
  EXPECT_TRUE(enough.failures().empty());

  DeviceSimulation<double> few_rows(m, 1, {.contacts = 40, .rows = 4});
  few_rows.step();
  ASSERT_EQ(few_rows.failures().size(), 1u);
  EXPECT_EQ(few_rows.failures()[0].cause, device::Cause::rows);
  EXPECT_NE(few_rows.failures()[0].text.find("room for 4"), std::string::npos);
}

TEST(DeviceSimulation, ResetBeginsAgainWhereItIsAsked) {
  const Model m = parse(kHeap);
  DeviceSimulation<float> worlds(m, 3, {.contacts = 40, .rows = 100});
  const std::vector<float> start = state_of(worlds);
  worlds.step(5);
  const std::vector<float> later = state_of(worlds);
  worlds.reset(std::vector<unsigned char>{0, 1, 0});
  const std::vector<float> now = state_of(worlds);
  const std::size_t nq = at(m.nq());
  for (std::size_t k = 0; k < nq; ++k) {
    EXPECT_EQ(now[k], later[k]);
    EXPECT_EQ(now[nq + k], start[nq + k]);
    EXPECT_EQ(now[2 * nq + k], later[2 * nq + k]);
  }
  EXPECT_EQ(worlds.reports()[1].steps, 0);
  EXPECT_EQ(worlds.reports()[2].steps, 5);
  worlds.reset();
  worlds.step(5);
  EXPECT_EQ(state_of(worlds), later);  // the warm start is forgotten too
  EXPECT_EQ(worlds.summary().steps, 15);
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
  EXPECT_NE(refusal(floor + R"(<body><freejoint/><geom name="a" type="box" size="1 1 1"/></body>
      <body><freejoint/><geom name="b" type="box" size="1 1 1"/></body></worldbody></mujoco>)")
                .find("box 'a' of body"),
            std::string::npos);
  EXPECT_NE(
      refusal(floor + R"(<body><freejoint/><geom name="a" type="cylinder" size="1 1"/></body></worldbody></mujoco>)")
          .find("cylinder 'a'"),
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
}  // namespace sinew::test
