// bench/sim/step_derivatives_bench.cpp - a step of a humanoid that stands on two feet, eight contacts, and the same
// with its derivatives, exact or smoothed
//   sinew_bench --benchmark_filter=HumanoidStep
// The difference of the two is what the derivatives cost: 72 x 72 by the state, 72 x 36 by forces.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/step_derivatives.hpp"

namespace sinew {
namespace {

// The first state of a run from neutral in which eight contacts press.
struct StandingHumanoid {
  StandingHumanoid() {
    for (int i = 0; i < 2000; ++i) {
      start = sim.state;
      int closed = 0;
      for (const StepRow& r : derivatives.step().rows)
        closed += r.kind == StepRowKind::contact && r.mode != StepMode::open ? 1 : 0;
      if (closed == 8) return;
    }
    throw std::runtime_error("the humanoid does not stand on eight points");
  }
  Model model = compile(mechanisms::humanoid()).value();
  Simulation sim{model, {.dt = 2e-3, .middle_forces = false, .refinements = 0}};
  StepDerivatives derivatives{sim};
  State start;
};

void HumanoidStep(benchmark::State& state) {
  StandingHumanoid h;
  for (auto _ : state) h.sim.restart(h.start), h.sim.step();
}
void HumanoidStepDerivatives(benchmark::State& state) {
  StandingHumanoid h;
  for (auto _ : state) h.sim.restart(h.start), h.derivatives.step();
  state.counters["rank"] = h.derivatives.report().rank, state.counters["rows"] = h.derivatives.report().size;
}
void HumanoidStepSmoothed(benchmark::State& state) {
  StandingHumanoid h;
  h.derivatives.options.smoothing = 1e-8;
  for (auto _ : state) h.sim.restart(h.start), h.derivatives.step();
  state.counters["rank"] = h.derivatives.report().rank, state.counters["rows"] = h.derivatives.report().size;
}
BENCHMARK(HumanoidStep)->Unit(benchmark::kMicrosecond);
BENCHMARK(HumanoidStepDerivatives)->Unit(benchmark::kMicrosecond);
BENCHMARK(HumanoidStepSmoothed)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sinew
