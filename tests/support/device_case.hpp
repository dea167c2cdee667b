// tests/support/device_case.hpp - models that a DeviceSimulation can run, and states of them
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sinew/batch/device_simulation.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test::device_case {

inline Model parse(const std::string& text) { return compile(parse_mjcf(text).value()).value(); }

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A trunk on two legs of capsules with servos, springs, stops and dry friction, and a ball on a stick.
inline const char* const kWalker = R"(
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
inline const char* const kHeap = R"(
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

// Convex solids that meet each other: boxes, a capsule, a cylinder and an ellipsoid in a pile.
inline const char* const kPile = R"(
<mujoco>
  <option timestep="0.002"/>
  <default><geom friction="0.5"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="base" pos="0 0 0.1"><freejoint/><geom type="box" size="0.3 0.3 0.1" mass="3"/></body>
    <body name="second" pos="0.05 0 0.3"><freejoint/><geom type="box" size="0.2 0.15 0.1" mass="2"/></body>
    <body name="pill" pos="-0.22 0 0.26"><freejoint/>
      <geom type="capsule" size="0.06 0.1" euler="90 0 0" mass="0.5"/></body>
    <body name="drum" pos="0.05 0 0.5"><freejoint/><geom type="cylinder" size="0.1 0.1" mass="1"/></body>
    <body name="egg" pos="0.42 0 0.12"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.12" mass="1"/></body>
    <body name="ball" pos="0.05 0 0.68"><freejoint/><geom type="sphere" size="0.08" mass="0.5"/></body>
  </worldbody>
</mujoco>)";

// Hulls of meshes among them: a wedge, a gem of 60 corners, and a tip that lies on its side.
inline std::string make_gems() {
  Random random(3);
  std::string gem;
  for (int i = 0; i < 60; ++i) {
    Vec3<double> p{random.normal(), random.normal(), random.normal()};
    p = (0.1 / norm(p)) * p;
    gem += std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(0.8 * p.z) + " ";
  }
  return R"(
<mujoco>
  <option timestep="0.002"/>
  <default><geom friction="0.5"/></default>
  <asset>
    <mesh name="wedge" vertex="-.2 -.2 0  .2 -.2 0  .2 .2 0  -.2 .2 0  -.2 -.2 .1  -.2 .2 .1"/>
    <mesh name="tip" vertex="0 0 0  .15 0 0  0 .15 0  0 0 .15"/>
    <mesh name="gem" vertex=")" +
         gem + R"("/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="wedge" pos="0 0 0.04"><freejoint/><geom type="mesh" mesh="wedge" mass="3"/></body>
    <body name="tip" pos="0.45 0 0.05"><freejoint/><geom type="mesh" mesh="tip" mass="0.5"/></body>
    <body name="gem" pos="-0.05 0 0.18"><freejoint/><geom type="mesh" mesh="gem" mass="1"/></body>
    <body name="other" pos="0.3 0.3 0.085"><freejoint/><geom type="mesh" mesh="gem" mass="1"/></body>
    <body name="box" pos="0.3 0.3 0.22"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1"/></body>
    <body name="ball" pos="0.1 0.3 0.08"><freejoint/><geom type="sphere" size="0.08" mass="0.5"/></body>
  </worldbody>
</mujoco>)";
}

// What a device does not do in one step, switched off.
inline SimulationOptions options_of(double dt) {
  SimulationOptions o{.dt = dt, .middle_forces = false, .refinements = 0, .sleep = false};
  o.solver.tolerance = 1e-13, o.solver.acceptable = 1e-12;
  return o;
}

struct Case {
  State state;
  Numbers control, applied;
};
// States of runs that begin near the model's position, so that about half of them have contacts and stops that push.
inline std::vector<Case> make_cases(const Model& m, int runs, int length, int every, std::uint64_t seed,
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

}  // namespace sinew::test::device_case
