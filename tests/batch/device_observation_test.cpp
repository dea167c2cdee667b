// tests/batch/device_observation_test.cpp - what a device reads of its worlds is what the CPU reads of a Simulation
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sinew/batch/kernel/team.hpp"
#include "sinew/batch/simulation_batch.hpp"
#include "support/device_case.hpp"
#include "support/near.hpp"

namespace sinew::test::device_case {
namespace {

// The walker with every kind of sensor that a device reads.
std::string make_text() {
  std::string text = replaced(kWalker, R"(mass="5"/>)", R"(mass="5"/>
      <site name="imu" pos="0.02 -0.03 0.05" euler="10 20 30" size="0.1"/>)");
  text = replaced(text, R"(pos="0 0 -0.2" mass="0.1"/>)", R"(pos="0 0 -0.2" mass="0.1"/>
          <site name="sole" type="box" size="0.06 0.06 0.06" pos="0 0 -0.2" euler="5 0 0"/>)");
  for (const char* joint : {"hip1", "hip2", "knee1", "knee2"}) {
    const std::string acts = std::string(" joint=\"") + joint + "\"";
    const std::size_t place = text.find(acts, text.find("<actuator>"));
    text.insert(place, std::string(" name=\"") + joint + "\"");
  }
  return replaced(text, "</mujoco>", R"(<sensor>
    <accelerometer name="accelerometer" site="imu"/><gyro name="gyro" site="imu" cutoff="0.5"/>
    <velocimeter name="velocimeter" site="imu"/><magnetometer name="magnetometer" site="imu"/>
    <framepos name="framepos" objtype="site" objname="sole" reftype="xbody" refname="trunk"/>
    <framequat name="framequat" objtype="body" objname="shank1" reftype="site" refname="imu"/>
    <framexaxis name="framexaxis" objtype="site" objname="sole"/>
    <framezaxis name="framezaxis" objtype="geom" objname="arm" reftype="xbody" refname="shank2"/>
    <framelinvel name="framelinvel" objtype="site" objname="sole" reftype="xbody" refname="shank2"/>
    <frameangvel name="frameangvel" objtype="site" objname="sole" reftype="xbody" refname="trunk"/>
    <framelinacc name="framelinacc" objtype="site" objname="sole"/>
    <frameangacc name="frameangacc" objtype="xbody" objname="arm"/>
    <jointpos name="jointpos" joint="hip1"/><jointvel name="jointvel" joint="knee2"/>
    <ballquat name="ballquat" joint="shoulder"/><ballangvel name="ballangvel" joint="shoulder"/>
    <actuatorfrc name="actuatorfrc" actuator="hip1"/><actuatorpos name="actuatorpos" actuator="knee2"/>
    <actuatorvel name="actuatorvel" actuator="knee1"/>
    <jointactuatorfrc name="jointactuatorfrc" joint="hip2"/>
    <clock name="clock"/><touch name="touch" site="sole"/>
  </sensor></mujoco>)");
}

// Rows of SimulationBatch after one step from each case.
Numbers observe_on_cpu(const Model& m, const std::vector<Case>& cases, const std::vector<std::string>& names) {
  SimulationBatch batch(m, cases.size(), {.simulation = options_of(m.spec().timestep)});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < at(m.nq()); ++k) batch.q()(i, k) = cases[i].state.q[k];
    for (std::size_t k = 0; k < at(m.nv()); ++k)
      batch.v()(i, k) = cases[i].state.v[k], batch.applied()(i, k) = cases[i].applied[k];
    for (std::size_t k = 0; k < cases[i].control.size(); ++k) batch.control()(i, k) = cases[i].control[k];
  }
  batch.step();
  const Observation what = batch.make_observation(names);
  Numbers out(cases.size() * what.width());
  batch.observe(what, {out.data(), cases.size(), what.width()});
  return out;
}

// Errors of each name after one step, in ascending order, over the largest number or 1.
void compare(const Model& m, const std::function<void(const Numbers& errors)>& expect) {
  const std::vector<Case> cases = make_cases(m, 4, 80, 4, 23);
  auto worlds = make_worlds<double>(m, cases, {.tolerance = 1e-12, .contacts = 40, .rows = 100});
  const std::vector<std::string> names = worlds.observation_names();
  worlds.set_observation(names);
  worlds.step();
  worlds.observe();
  const std::size_t width = at(worlds.observation_width());
  Numbers rows(cases.size() * width);
  worlds.get_observation(rows);
  const Numbers expected = observe_on_cpu(m, cases, names);
  ASSERT_EQ(rows.size(), expected.size());
  int touching = 0;
  for (const ObservedPart& part : worlds.observation()) {
    SCOPED_TRACE(part.name);
    Numbers errors;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      double error = 0, size = 1;
      for (std::size_t k = i * width + part.first; k < i * width + part.first + part.size; ++k) {
        error = std::max(error, std::abs(rows[k] - expected[k])), size = std::max(size, std::abs(expected[k]));
        touching += part.name == "sensor.touch" && rows[k] > 0;
      }
      errors.push_back(error / size);
    }
    std::sort(errors.begin(), errors.end());
    expect(errors);
  }
  EXPECT_GT(touching, 5);
}

TEST(DeviceObservation, IsThatOfSimulationBatch) {
  const Model m = parse(make_text());
  DeviceSimulation<float> worlds(m, 1, {.contacts = 8});
  const SimulationBatch batch(m, 1);
  const std::vector<std::string> names = worlds.observation_names(), known = batch.observation_names();
  for (const std::string& name : names) EXPECT_EQ(std::count(known.begin(), known.end(), name), 1) << name;
  for (const char* name : {"sensors", "sensor.touch", "force.hip1", "contact_force.shank1", "z.trunk"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  // With friction a few problems have many answers, so that solvers differ; without it they have one.
  compare(m, [](const Numbers& errors) { EXPECT_TRUE(is_small(errors[errors.size() / 2], 4e-12)); });
  compare(parse(replaced(make_text(), "friction=\"0.7\"", "friction=\"0\"")), [](const Numbers& errors) {
    EXPECT_TRUE(
        is_small(errors[errors.size() * 9 / 10], slack(1e-9, "which states a run meets depends on the compiler")));
  });
}

// A box that slides along, a planar body and a pendulum, without contacts: every number, in float too.
TEST(DeviceObservation, ReadsRootsOfAllKinds) {
  const Model m = parse(R"(
<mujoco><option timestep="0.004"/><worldbody>
  <body name="stone" pos="0 0 1"><freejoint/><inertial pos="0.1 0.02 0" mass="2" diaginertia="0.1 0.2 0.3"/>
    <site name="on_stone" pos="0.1 0.2 0.3" euler="20 30 40"/></body>
  <body name="robot" pos="3 0 1"><freejoint/><geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1" contype="0"/>
    <body name="link" pos="0.4 0 0"><joint type="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0.1" mass="0.5" contype="0"/>
      <site name="tip" pos="0.4 0 0.1" euler="5 6 7"/></body></body>
</worldbody><sensor>
  <accelerometer name="a" site="on_stone"/><accelerometer name="b" site="tip"/>
  <framelinacc name="c" objtype="site" objname="tip"/><frameangacc name="d" objtype="xbody" objname="stone"/>
</sensor></mujoco>)");
  const std::vector<Case> cases = make_cases(m, 6, 1, 1, 3, 0.5);
  const std::vector<std::string> names = {"sensors", "q", "orientation.link", "velocity.stone", "contact_force.stone"};
  const Numbers expected = observe_on_cpu(m, cases, names);
  const auto largest_error = [&]<class R>(R) {
    auto worlds = make_worlds<R>(m, cases);
    worlds.set_observation(names);
    worlds.step();
    worlds.observe();
    std::vector<R> rows(expected.size());
    worlds.get_observation(rows);
    double most = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(rows[i]) - expected[i]) / (1 + std::abs(expected[i])));
    return most;
  };
  EXPECT_TRUE(is_small(largest_error(double()), 1e-12));
  EXPECT_TRUE(is_small(largest_error(float()), 1e-3));
}

TEST(DeviceObservation, VariantsHaveTheirOwnPlaces) {
  const Model m = parse(make_text());
  const Model other = parse(replaced(make_text(), R"(pos="0.02 -0.03 0.05" euler="10 20 30")", R"(pos="0.3 0 0")"));
  const std::vector<Case> cases = make_cases(m, 1, 40, 4, 31);
  const std::vector<std::string> names = {"sensor.accelerometer", "sensor.touch", "q"};
  const DeviceSimulationOptions o{.contacts = 40, .rows = 60};
  const auto rows_of_worlds = [&](DeviceSimulation<float>& worlds) {
    worlds.step(3), worlds.observe();
    std::vector<float> rows(worlds.size() * at(worlds.observation_width()));
    worlds.get_observation(rows);
    return rows;
  };
  auto mixed = make_worlds<float>(m, cases, o), first = make_worlds<float>(m, cases, o),
       second = make_worlds<float>(other, cases, o, device::make_cpu_backend<float>(device::Order::backward));
  std::vector<int> variant;
  for (std::size_t i = 0; i < cases.size(); ++i) variant.push_back(static_cast<int>(i % 2));
  mixed.set_observation(names), first.set_observation(names), second.set_observation(names);
  mixed.set_variants(std::vector<Model>{m, other}, variant);
  const std::vector<float> of_mixed = rows_of_worlds(mixed), of_first = rows_of_worlds(first),
                           of_second = rows_of_worlds(second);
  const std::size_t width = at(mixed.observation_width());
  for (std::size_t i = 0; i < of_mixed.size(); ++i)
    EXPECT_EQ(of_mixed[i], ((i / width) % 2 == 0 ? of_first : of_second)[i]);
  EXPECT_NE(of_first[width], of_second[width]);
}

// To ask for them changes no bit of the worlds; after a reset there are no forces.
TEST(DeviceObservation, LeavesWorldsAsTheyAre) {
  const Model m = parse(make_text());
  const std::vector<Case> cases = make_cases(m, 1, 40, 4, 31);
  const DeviceSimulationOptions o{.contacts = 40, .rows = 100};
  auto plain = make_worlds<float>(m, cases, o), observed = make_worlds<float>(m, cases, o);
  observed.set_observation({"sensors"});
  plain.step(5), observed.step(5), observed.observe();
  EXPECT_EQ(state_of(plain), state_of(observed));
  observed.set_observation({"sensor.touch", "force.hip1", "contact_force.trunk"});
  observed.step(), observed.reset(), observed.observe();
  Numbers zeros(cases.size() * 5);
  std::vector<float> rows(zeros.size());
  observed.get_observation(rows);
  for (const float x : rows) EXPECT_EQ(x, 0);
}

TEST(DeviceObservation, RefusesByName) {
  const Model m = parse(replaced(make_text(), "<clock name=\"clock\"/>",
                                 R"(<rangefinder name="eye" site="imu"/><subtreecom name="com" body="trunk"/>)"));
  DeviceSimulation<float> worlds(m, 1, {.contacts = 8});
  const auto refusal = [&](const std::string& name) {
    try {
      worlds.set_observation({"q", name});
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("sensor.eye").find("the sensor 'eye' (rangefinder) is not read on a device"), std::string::npos)
      << refusal("sensor.eye");
  EXPECT_NE(refusal("sensors").find("'eye' (rangefinder)"), std::string::npos) << refusal("sensors");
  EXPECT_NE(refusal("sensor.giro").find("did you mean 'sensor.gyro'"), std::string::npos) << refusal("sensor.giro");
  EXPECT_NE(refusal("activation").find("nothing of the name 'activation'"), std::string::npos);
  const auto names = worlds.observation_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "sensor.eye"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "sensors"), 0);
  EXPECT_THROW(worlds.observe(), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test::device_case
