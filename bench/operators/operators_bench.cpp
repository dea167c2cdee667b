// bench/operators/operators_bench.cpp - SKO recursions beside the tuned ones; cost against the number of nodes
#include <benchmark/benchmark.h>

#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/tree/aba.hpp"

namespace sinew {
namespace {

struct Case {
  explicit Case(const ModelSpec& spec) : model(compile(spec).value()), rigid(model) {
    Random rng(3);
    q = random_configuration(model, rng);
    v.resize(at(model.nv()), 0.3);
    tau = qdd = v;
    rigid.update(q, v);
  }
  Model model;
  sko::RigidSko rigid;
  std::vector<double> q, v, tau, qdd;
};

ModelSpec make(const std::string& name) {
  return name == "humanoid36" ? mechanisms::humanoid() : mechanisms::chain(30);
}

void tuned_aba(benchmark::State& state, const std::string& name) {
  Case c(make(name));
  AbaWorkspace<double> ws(c.model);
  for (auto _ : state) aba(c.model, ws, c.q, c.v, c.tau, c.qdd);
}
// The whole: blocks at q and v, then forward dynamics.
void sko_forward_dynamics(benchmark::State& state, const std::string& name) {
  Case c(make(name));
  sko::SkoDynamics<double> ws(c.rigid.sko);
  for (auto _ : state) {
    c.rigid.update(c.q, c.v);
    sko::forward_dynamics<double>(c.rigid.sko, ws, c.tau, c.qdd);
  }
}
void apply_mass(benchmark::State& state) {
  Case c(mechanisms::chain(static_cast<int>(state.range(0))));
  const sko::OperatorAlgebra<double> o(c.rigid.sko);
  sko::Application<double> mass(o, o.mass());
  for (auto _ : state) mass.apply(c.v, c.qdd);
  state.SetComplexityN(state.range(0));
}
void apply_mass_inverse(benchmark::State& state) {
  Case c(mechanisms::chain(static_cast<int>(state.range(0))));
  const sko::OperatorAlgebra<double> o(c.rigid.sko);
  sko::Application<double> inverse(o, sko::inverse(o.mass()));
  for (auto _ : state) inverse.apply(c.v, c.qdd);
  state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(tuned_aba, humanoid36, "humanoid36");
BENCHMARK_CAPTURE(sko_forward_dynamics, humanoid36, "humanoid36");
BENCHMARK_CAPTURE(tuned_aba, chain30, "chain30");
BENCHMARK_CAPTURE(sko_forward_dynamics, chain30, "chain30");
BENCHMARK(apply_mass)->RangeMultiplier(4)->Range(10, 10000)->Complexity(benchmark::oN);
BENCHMARK(apply_mass_inverse)->RangeMultiplier(4)->Range(10, 10000)->Complexity(benchmark::oN);

}  // namespace
}  // namespace sinew
