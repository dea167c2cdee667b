// examples/fast_mechanisms.cpp - do things that move fast keep their energy in time steps?
//   fast_mechanisms [steps]     steps of the spinning box; default 100000
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"

using namespace sinew;

namespace {

const char* const kBox = R"(<mujoco><option gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom type="box" size=".1 .06 .03" mass="1"/></body></worldbody></mujoco>)";

const char* const kPendulum = R"(<mujoco><worldbody>
  <body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="1" contype="0"/>
    <body pos="0 0 -.5"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="1"/></body>
  </body></worldbody></mujoco>)";

const char* const kFreeBody = R"(<mujoco><option gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom type="box" size=".1 .06 .03" mass="1" contype="0"/>
    <body pos=".12 0 0"><joint axis="0 0 1"/><geom type="box" pos=".1 0 0" size=".1 .04 .02" mass=".5"/></body>
  </body></worldbody></mujoco>)";

// The worst relative error of the energy, in words where a number stops being finite.
std::string measure(const Model& m, const State& start, bool middle_forces) {
  Simulation s(m, {.dt = 1e-3, .middle_forces = middle_forces});
  s.state = start;
  const double before = s.kinetic_energy() + s.potential_energy();
  double worst = 0;
  try {
    while (s.state.time < 10) {
      s.step();
      worst = std::max(worst, std::abs((s.kinetic_energy() + s.potential_energy()) / before - 1));
    }
  } catch (const std::runtime_error&) {
    return fmt::format("not finite at {:.1f} s", s.state.time);
  }
  return fmt::format("{:.2g}", worst);
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::atol(argv[1]) : 100000;
  fmt::print("A box that tumbles freely, steps of 1 ms: relative error of energy and momentum after {} steps\n", steps);
  bool kept = true;
  const Model box = compile(parse_mjcf(kBox).value()).value();
  for (const double speed : {1.0, 30.0, 100.0, 1000.0}) {
    Simulation s(box, {.dt = 1e-3});
    s.state.v = {0.01 * speed, speed, 0.01 * speed, 0, 0, 0};
    const double energy = s.kinetic_energy(), momentum = norm(s.momentum().ang);
    for (long i = 0; i < steps; ++i) s.step();
    const double lost = std::abs(s.kinetic_energy() / energy - 1);
    fmt::print("{:>6} rad/s  {:.1e}  {:.1e}\n", speed, lost, std::abs(norm(s.momentum().ang) / momentum - 1));
    kept = kept && lost < 1e-10;
  }
  fmt::print("\nWorst relative error of the energy in 10 s, steps of 1 ms\n");
  fmt::print("{:<24} {:>6}  {:>24}  {:>24}\n", "", "rad/s", "forces half way", "at the start");
  for (const bool pendulum : {true, false})
    for (const double speed : {1.0, 10.0, 20.0, 50.0, 100.0}) {
      const Model m = compile(parse_mjcf(pendulum ? kPendulum : kFreeBody).value()).value();
      State start = make_state(m);
      if (pendulum)
        start.q = {1, 0.5}, start.v = {speed, -speed / 4};
      else
        start.q.back() = 0.3, start.v = {0.03 * speed, speed, 0.2 * speed, 0, 0, 0, 0.1 * speed};
      fmt::print("{:<24} {:>6}  {:>24}  {:>24}\n", pendulum ? "double pendulum" : "free body with a link", speed,
                 measure(m, start, true), measure(m, start, false));
    }
  return kept ? 0 : 1;
}
