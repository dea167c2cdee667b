// bench/constraint/embedding_bench.cpp - scissor lifts: loops embedded, and by each method with multipliers
//   sinew_bench --benchmark_filter=Lift
// "embed" is a whole evaluation: rows, elimination, sweeps. "embed_closed" has the state closed before: the sweeps of
// an integrator's stage after its loops were closed. "close" closes a stage that is 1e-4 off.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew {
namespace {

struct Lift {
  explicit Lift(int cells)
      : model(compile(mechanisms::scissor_lift({.stages = cells, .local_loops = true})).value()), set(model) {
    q.assign(model.neutral().begin(), model.neutral().end());
    v.assign(at(model.nv()), 0.3);
    tau.assign(v.size(), 1.0);
    EmbeddingWorkspace ws(model, set);
    close_loops(model, set, ws, q, v);
  }
  Model model;
  ConstraintSet set;
  std::vector<double> q, v, tau;
};
const Lift& get_lift(int cells) {
  static std::map<int, std::unique_ptr<Lift>> lifts;
  std::unique_ptr<Lift>& l = lifts[cells];
  if (!l) l = std::make_unique<Lift>(cells);
  return *l;
}

void embed_lift(benchmark::State& state, int cells) {
  const Lift& l = get_lift(cells);
  EmbeddedWorkspace ws(l.model, l.set);
  std::vector<double> qdd(l.v.size());
  for (auto _ : state) {
    ws.embedding.factored = false;  // as at another position
    if (embedded_forward_dynamics(l.model, l.set, ws, l.q, l.v, l.tau, qdd).status != EmbeddingStatus::ready)
      state.SkipWithError("not ready");
  }
  state.SetComplexityN(cells);
}
void embed_closed(benchmark::State& state, int cells) {
  const Lift& l = get_lift(cells);
  EmbeddedWorkspace ws(l.model, l.set);
  std::vector<double> qdd(l.v.size());
  prepare_embedding(l.model, l.set, ws.embedding, l.q, l.v);
  for (auto _ : state) embedded_forward_dynamics_prepared(l.model, ws, l.v, l.tau, qdd);
}
void close_lift(benchmark::State& state, int cells) {
  const Lift& l = get_lift(cells);
  EmbeddingWorkspace ws(l.model, l.set);
  prepare_embedding(l.model, l.set, ws, l.q, l.v);
  std::vector<double> q, v;
  for (auto _ : state) {
    q = l.q, v = l.v;
    q[at(ws.independent.front())] += 1e-4;
    if (close_loops(l.model, l.set, ws, q, v).status != EmbeddingStatus::ready) state.SkipWithError("not ready");
  }
  state.counters["iterations_of_newton"] = ws.report.iterations;
}
void solve_rows(benchmark::State& state, int cells, ConstrainedMethod method) {
  const Lift& l = get_lift(cells);
  ConstrainedWorkspace ws(l.model, l.set, {.method = method});
  std::vector<double> qdd(l.v.size()), lambda(at(l.set.rows()));
  for (auto _ : state)
    if (constrained_forward_dynamics(l.model, l.set, ws, l.q, l.v, l.tau, qdd, lambda).status != SolveStatus::solved)
      state.SkipWithError(std::string(to_string(ws.certificate.status)).c_str());
}

const bool embedding_registered = [] {
  const auto add = [](const std::string& name, int cells, auto run) {
    benchmark::RegisterBenchmark(("Lift/" + name + "/" + std::to_string(cells)).c_str(),
                                 [run, cells](benchmark::State& s) { run(s, cells); });
  };
  for (const int cells : {10, 30, 100, 300}) {
    add("embed", cells, embed_lift);
    add("embed_closed", cells, embed_closed);
    add("close", cells, close_lift);
    for (const ConstrainedMethod m :
         {ConstrainedMethod::kkt, ConstrainedMethod::multipliers, ConstrainedMethod::projection,
          ConstrainedMethod::sparse, ConstrainedMethod::proximal, ConstrainedMethod::pv}) {
      if (m == ConstrainedMethod::kkt && cells > 30) continue;  // minutes: it is cubic in joints and rows
      add(std::string(to_string(m)), cells, [m](benchmark::State& s, int n) { solve_rows(s, n, m); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace sinew
