// examples/balance.cpp - a scene from scratch: a floor, a robot on two wheels, and the controller that balances it
//   example_balance
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/model/builder.hpp"
#include "sinew/sim/simulation.hpp"

using namespace sinew;

int main() {
  // A plane for the world, a tall box that floats, a wheel with a motor on either side. Contacts need no stiffness.
  ModelBuilder b("balancer");
  b.timestep(2e-3);
  b.world().plane().named("floor").friction(0.9);
  b.body("frame")
      .mass(solid_box(6, {0.05, 0.12, 0.25}), make_placement({0, 0, 0.3}))
      .box({0.05, 0.12, 0.25}, make_placement({0, 0, 0.3}));
  b.free("base", "world", "frame").neutral({1, 0, 0, 0, 0, 0, 0.1});
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "right" : "left";
    const Pose axle = make_placement({}, {std::numbers::pi / 2, 0, 0});  // cylinders stand along z; the axle is y
    b.body(name).mass(solid_cylinder(0.8, 0.1, 0.02), axle).cylinder(0.1, 0.02, axle);
    b.revolute(name + "_axle", "frame", name).axis({0, 1, 0}).at({0, side * 0.16, 0});
    b.motor(name + "_motor", name + "_axle");
  }
  const Model model = b.build().value();

  // Before each step: torque of the wheels from tilt and travel. The free joint has q = (w x y z, position) and
  // v = (angular, linear), both in the body; see docs/conventions.md.
  Simulation sim(model);
  double target = 0;  // [m] where it shall stand
  sim.controller = [&](Simulation& s) {
    const auto& q = s.state.q;
    const auto& v = s.state.v;
    const double tilt = 2 * std::atan2(q[2], q[0]), travel = std::clamp(q[4] - target, -0.3, 0.3);
    const double torque = 10 * tilt + 1.6 * v[1] + 1.2 * travel + 1.9 * v[3];
    s.control[0] = s.control[1] = torque;
  };

  // It starts tilted by 0.1 rad, drives a metre ahead, and stands still there.
  sim.state.q[0] = std::cos(0.05), sim.state.q[2] = std::sin(0.05);
  fmt::print("  time      x   tilt  motor  contacts\n");
  for (int second = 0; second <= 12; ++second) {
    if (second == 3) target = 1;
    while (sim.state.time < second) sim.step();
    fmt::print("{:4d} s  {:5.2f}  {:5.2f}  {:5.2f}  {:5d}\n", second, sim.state.q[4],
               2 * std::atan2(sim.state.q[2], sim.state.q[0]), sim.control[0], sim.contacts().size());
  }
  fmt::print("deepest overlap {:.0e} m, {} of {} contact problems unsolved\n", sim.totals().deepest,
             sim.totals().unsolved, sim.totals().problems);

  const bool stands = std::abs(sim.state.q[4] - 1) < 0.01 && std::abs(sim.state.q[2]) < 1e-3;
  return stands && sim.totals().unsolved == 0 && sim.totals().deepest < 5e-7 ? 0 : 1;
}
