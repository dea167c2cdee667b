// bench/sim/integrate_bench.cpp - what a step costs, and what an error costs
//   sinew_bench --benchmark_filter=Integrate     one step of each method on the humanoid; one second of a chaotic
//   double
//                                                pendulum, adaptive and fixed, with the error that is left
//   sinew_bench --benchmark_filter=Events        a second of a ball that bounces until it rests
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/event_driven.hpp"

namespace sinew {
namespace {

void step(benchmark::State& state, IntegrationMethod method) {
  const Model m = compile(mechanisms::humanoid()).value();
  Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = 1e-6, .adaptive = false});
  run.set_state(make_state(m));
  for (auto _ : state) run.step();
  state.counters["evaluations"] =
      static_cast<double>(run.report().evaluations) / static_cast<double>(run.report().steps);
}

Model make_double_pendulum() {
  ModelBuilder b("double pendulum");
  b.gravity({0, 0, -9.81});
  b.body("upper").mass(point_mass(1, {0, 0, -1}));
  b.revolute("shoulder", "world", "upper").axis({0, 1, 0});
  b.body("lower").mass(point_mass(0.2, {0, 0, -0.05}));
  b.revolute("elbow", "upper", "lower").axis({0, 1, 0}).at({0, 0, -1});
  return b.build().value();
}

void second(benchmark::State& state, const IntegratorOptions& options) {
  const Model m = make_double_pendulum();
  State from = make_state(m);
  from.q = {2.8, 0.3};
  Integrator exact(m, make_forward_dynamics(m), {.relative = 1e-13, .absolute = 1e-14});
  exact.set_state(from);
  exact.advance(1);
  Integrator run(m, make_forward_dynamics(m), options);
  for (auto _ : state) {
    run.set_state(from);
    run.advance(1);
  }
  state.counters["evaluations"] = static_cast<double>(run.report().evaluations);
  state.counters["error"] = std::abs(run.state().q[0] - exact.state().q[0]);
}

void bounce(benchmark::State& state) {
  ModelBuilder b("ball");
  b.gravity({0, 0, -9.81});
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1);
  b.free("flies", "world", "ball");
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0, s.restitution = 0.5;
  const Model m = compile(b.spec()).value();
  const ConstraintSet set(m);
  EventDriven run(m, set);
  State from = make_state(m);
  from.q[6] = 0.3;
  for (auto _ : state) {
    run.set_state(from);
    run.advance(1);
  }
  state.counters["events"] = static_cast<double>(run.events().size());
}

const bool integrate_registered = [] {
  for (const IntegrationMethod method : kIntegrationMethods)
    benchmark::RegisterBenchmark(("IntegrateStep/" + std::string(to_string(method))).c_str(),
                                 [method](benchmark::State& s) { step(s, method); });
  benchmark::RegisterBenchmark("IntegrateSecond/dormand_prince/1e-8",
                               [](benchmark::State& s) { second(s, {.relative = 1e-8, .absolute = 1e-8}); });
  benchmark::RegisterBenchmark("IntegrateSecond/rk4/1e-3",
                               [](benchmark::State& s) { second(s, {.method = IntegrationMethod::rk4, .dt = 1e-3}); });
  benchmark::RegisterBenchmark("EventsOfABall", bounce);
  return true;
}();

}  // namespace
}  // namespace sinew
