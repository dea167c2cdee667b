// bench/constraint/solve/forward_dynamics_bench.cpp - every method of constrained dynamics, and couplings that change
//   sinew_bench --benchmark_filter=Constrained     one state each, certificate included
//   sinew_bench --benchmark_filter=Coupling        steps A to F of [R92], and D to F alone
#include <benchmark/benchmark.h>

#include <memory>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/constraint/two_trees/primary_secondary.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew {
namespace {

// At its neutral position, with a velocity that the constraints allow.
struct Case {
  Case(ModelSpec spec, const std::vector<std::string>& held)
      : model(compile(std::move(spec)).value()), set(make(held)) {
    q.assign(model.neutral().begin(), model.neutral().end());
    v.assign(static_cast<std::size_t>(model.nv()), 0.3);
    tau.assign(v.size(), 1.0);
    ManifoldWorkspace ws(model, set);
    project_velocity(model, set, ws, q, v);
  }
  // Welds of bodies to where they stand.
  ConstraintSet make(const std::vector<std::string>& held) const {
    KinematicsWorkspace<double> kinematics(model);
    calc_kinematics(model, kinematics, std::vector<double>(model.neutral().begin(), model.neutral().end()));
    std::vector<ConstraintSpec> more;
    for (const std::string& body : held) {
      MaskConstraint weld;
      weld.name = body, weld.body_b = body;
      weld.pose_a = get_body_pose(model, kinematics, *model.find_body(body));
      more.emplace_back(weld);
    }
    return ConstraintSet(model, std::move(more));
  }
  Model model;
  ConstraintSet set;
  std::vector<double> q, v, tau;
};

void run(benchmark::State& state, const Case& c, ConstrainedMethod method) {
  ConstrainedWorkspace ws(c.model, c.set, {.method = method});
  std::vector<double> qdd(c.v.size()), lambda(static_cast<std::size_t>(c.set.rows()));
  for (auto _ : state)
    if (constrained_forward_dynamics(c.model, c.set, ws, c.q, c.v, c.tau, qdd, lambda).status != SolveStatus::solved)
      state.SkipWithError(std::string(to_string(ws.certificate.status)).c_str());
  state.counters["freedoms"] = c.model.nv();
  state.counters["rows"] = c.set.rows();
}

const bool registered = [] {
  static std::vector<std::unique_ptr<Case>> cases;
  const auto add = [](const std::string& name, ModelSpec spec, const std::vector<std::string>& held = {}) {
    cases.push_back(std::make_unique<Case>(std::move(spec), held));
    for (const ConstrainedMethod method :
         {ConstrainedMethod::kkt, ConstrainedMethod::multipliers, ConstrainedMethod::projection,
          ConstrainedMethod::sparse, ConstrainedMethod::proximal, ConstrainedMethod::pv})
      benchmark::RegisterBenchmark(
          ("Constrained/" + name + "/" + std::string(to_string(method))).c_str(),
          [c = cases.back().get(), method](benchmark::State& state) { run(state, *c, method); });
  };
  add("four_bar", mechanisms::four_bar());
  add("stewart_platform", mechanisms::stewart_platform());
  add("scissor_lift10", mechanisms::scissor_lift({.stages = 10}));
  add("humanoid_on_feet", mechanisms::humanoid(), {"left_foot", "right_foot"});
  return true;
}();

// Two chains of 30, coupled at their tips.
struct Pair {
  Model model = compile(mechanisms::chain(30)).value();
  CoupledTree p{model, {model.bodies().back()}}, s{model, {model.bodies().back()}};
  std::vector<double> q = std::vector<double>(30, 0.4), v = std::vector<double>(30, 0.1), tau = v, a_p = v, a_s = v;
  std::vector<double> A = std::vector<double>(36), B = A, U = std::vector<double>(6), f = U;
  CouplingWorkspace ws{6};
  Pair() {
    for (std::size_t i = 0; i < 6; ++i) A[7 * i] = 1, B[7 * i] = -1;
    prepare_both();
  }
  void prepare_both() {
    prepare(model, p, q, v, tau);
    prepare(model, s, q, v, tau);
  }
  void couple_both() { couple(model, p, model, s, ws, {A.data(), 6, 6}, {B.data(), 6, 6}, U, a_p, a_s, f); }
};
void CouplingFromTheStart(benchmark::State& state) {
  Pair x;
  for (auto _ : state) x.prepare_both(), x.couple_both();
}
void CouplingOfAnotherAttachment(benchmark::State& state) {
  Pair x;
  for (auto _ : state) {
    std::swap(x.A, x.B);
    x.couple_both();
  }
}
BENCHMARK(CouplingFromTheStart);
BENCHMARK(CouplingOfAnotherAttachment);

}  // namespace
}  // namespace sinew
