// bench/sim/embedded_step_bench.cpp - a step with contact of scissor lifts, loops embedded and as rows
//   sinew_bench --benchmark_filter=LiftStep
// The lift stands on a table by a ball at its top; the problem has one contact.
#include <benchmark/benchmark.h>

#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew {
namespace {

Model make_standing_lift(int cells) {
  ModelSpec spec = mechanisms::scissor_lift({.stages = cells, .local_loops = true});
  spec.shapes.clear();
  const Model bare = compile(spec).value();
  KinematicsWorkspace<double> ws(bare);
  calc_kinematics<double>(bare, ws, bare.neutral());
  const std::string top = "rising" + std::to_string(cells);
  ShapeSpec ball, table;
  ball.name = "ball", ball.body = top, ball.kind = ShapeKind::sphere, ball.size = {0.02, 0, 0};
  table.name = "table", table.body = spec.world, table.kind = ShapeKind::plane;
  table.pose.r.z = get_body_pose(bare, ws, *bare.find_body(top)).r.z - 0.02;
  spec.shapes = {ball, table};
  return compile(spec).value();
}

void step_lift(benchmark::State& state, int cells, LoopMethod loops) {
  const Model m = make_standing_lift(cells);
  Simulation s(m, {.dt = 1e-3, .loops = loops});
  for (int i = 0; i < 10; ++i) s.step();
  for (auto _ : state) s.step();
  state.counters["contacts"] = static_cast<double>(s.contacts().size());
  state.counters["drift"] = s.totals().worst_drift;
}

const bool lift_steps_registered = [] {
  for (const LoopMethod loops : {LoopMethod::embed, LoopMethod::rows})
    for (const int cells : {10, 30, 100}) {
      const std::string name = "LiftStep/" + std::string(to_string(loops)) + "/" + std::to_string(cells);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { step_lift(s, cells, loops); });
    }
  return true;
}();

}  // namespace
}  // namespace sinew
