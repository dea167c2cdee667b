// bench/sim/embedded_motion_bench.cpp - 100 000 steps in minimal coordinates: how far loops open, and what they cost
//   sinew_bench --benchmark_filter=EmbeddedRun
// rkmk4 in steps of 1 ms (0.1 ms for the geared leg, whose rotors are fast, and for the platform, which falls); the
// lift of 100 cells by semi_implicit_euler. Lifts swing on a spring: flat they are singular. No stabilisation.
// loop_error: the largest position error after any step [m or rad]. energy: its change over the run, of the largest
// kinetic energy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/integrate.hpp"
#include "support/geared_leg.hpp"

namespace sinew {
namespace {

using Method = IntegrationMethod;

// A spring on the independent coordinate of a lift that carries it at its neutral position.
JointForces make_spring(const Model& m, const ConstraintSet& set) {
  EmbeddedWorkspace ws(m, set);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(at(m.nv()));
  close_loops(m, set, ws.embedding, q, v);
  double T = 0, ydd = 0;
  embedded_inverse_dynamics(m, set, ws, q, v, In<double>(&ydd, 1), Out<double>(&T, 1));
  const std::size_t k = at(ws.embedding.independent.front());
  return [T, k, rest = q[k]](const StatePoint& x, Out<double> tau) { tau[k] = T - 4 * std::abs(T) * (x.q[k] - rest); };
}

void run_embedded(benchmark::State& state, const ModelSpec& spec, double dt, Method method) {
  const Model m = compile(spec).value();
  const ConstraintSet set(m);
  const bool lift = spec.name == "scissor_lift";
  EmbeddedMotion e = make_embedded_dynamics(m, set, {}, lift ? make_spring(m, set) : JointForces());
  Integrator run(m, e.rate, {.method = method, .dt = dt});
  State start{{m.neutral().begin(), m.neutral().end()}, std::vector<double>(at(m.nv()), 0.1), 0};
  close_loops(m, set, e.work->embedding, start.q, start.v);
  double error = 0, kinetic = 0;
  EnergyWorkspace<double> energies(m);
  run.set_projection([&](State& s, Out<double> extra) {
    const bool changed = e.projection(s, extra);
    error = std::max(error, e.work->embedding.report.position_error);
    kinetic = std::max(kinetic, calc_kinetic_energy(m, energies, s.q, s.v));
    return changed;
  });
  run.set_state(start);
  for (auto _ : state)
    for (int i = 0; i < 100000; ++i) run.step();
  state.counters["loop_error"] = error;
  if (!lift) state.counters["energy"] = std::abs(run.calc_energy_drift()) / kinetic;
  state.counters["changes"] = static_cast<double>(e.work->embedding.report.changes.size());
}

const bool embedded_motion_registered = [] {
  const auto add = [](const std::string& name, ModelSpec spec, double dt, Method method = Method::rkmk4) {
    benchmark::RegisterBenchmark(("EmbeddedRun/" + name).c_str(),
                                 [=](benchmark::State& s) { run_embedded(s, spec, dt, method); })
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  };
  add("four_bar", mechanisms::four_bar(), 1e-3);
  add("crank_slider", mechanisms::crank_slider(), 1e-3);
  add("crank_piston", mechanisms::crank_piston(), 1e-3);
  add("geared_leg", test::geared_leg(), 1e-4);
  add("stewart_platform", mechanisms::stewart_platform(), 1e-4);
  add("lift10", mechanisms::scissor_lift({.stages = 10, .local_loops = true}), 1e-3);
  add("lift100", mechanisms::scissor_lift({.stages = 100, .local_loops = true}), 1e-3, Method::semi_implicit_euler);
  return true;
}();

}  // namespace
}  // namespace sinew
