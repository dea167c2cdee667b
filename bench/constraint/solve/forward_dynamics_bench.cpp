// bench/constraint/solve/forward_dynamics_bench.cpp - every method of constrained dynamics
//   sinew_bench --benchmark_filter=Constrained     one state each, certificate included
#include <benchmark/benchmark.h>

#include <memory>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
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

}  // namespace
}  // namespace sinew
