// bench/constraint/solve/constrained_derivatives_bench.cpp - derivatives of constrained dynamics
//   sinew_bench --benchmark_filter=Slopes     solution, its derivatives, those of the tree alone; certificates included
// With SINEW_ROBOTS (a folder of Python packages) also anymal on four points and talos on two feet.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/constrained_derivatives.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew {
namespace {

// At its neutral position, bent a little, with a velocity that the constraints allow.
struct SlopesCase {
  SlopesCase(const ModelSpec& spec, const std::vector<std::string>& held, std::array<bool, 6> blocked)
      : model(compile(spec).value()), q(model.neutral().begin(), model.neutral().end()), set(make(held, blocked)) {
    v.assign(static_cast<std::size_t>(model.nv()), 0.3);
    tau.assign(v.size(), 1.0);
    ManifoldWorkspace ws(model, set);
    project_velocity(model, set, ws, q, v);
  }
  // Bodies or frames held where they stand.
  ConstraintSet make(const std::vector<std::string>& held, std::array<bool, 6> blocked) {
    Random rng(2);
    std::vector<double> bend(static_cast<std::size_t>(model.nv()));
    for (double& x : bend) x = held.empty() ? 0 : rng.uniform(-0.3, 0.3);
    integrate(model, std::vector<double>(q), bend, 1, q);
    KinematicsWorkspace<double> kinematics(model);
    calc_kinematics(model, kinematics, q);
    std::vector<ConstraintSpec> more;
    for (const std::string& name : held) {
      MaskConstraint foot;
      foot.name = name, foot.body_b = name, foot.blocked = blocked;
      foot.pose_a = get_body_pose(model, kinematics, *model.find_body(name));
      more.emplace_back(foot);
    }
    return ConstraintSet(model, std::move(more), held.empty());  // without the mimic joints of robots
  }
  Model model;
  std::vector<double> q, v, tau;
  ConstraintSet set;
};

struct SlopesNumbers {
  explicit SlopesNumbers(const SlopesCase& c)
      : n(c.v.size()),
        m(static_cast<std::size_t>(c.set.rows())),
        a(n),
        lambda(m),
        of_a(3 * n * n),
        of_lambda(3 * m * n) {}
  MatrixView<double> a_part(std::size_t k) { return {of_a.data() + k * n * n, n, n}; }
  MatrixView<double> lambda_part(std::size_t k) { return {of_lambda.data() + k * m * n, m, n}; }
  std::size_t n, m;
  std::vector<double> a, lambda, of_a, of_lambda;
};

void run_solution(benchmark::State& state, const SlopesCase& c) {
  ConstrainedWorkspace ws(c.model, c.set);
  SlopesNumbers out(c);
  for (auto _ : state)
    if (constrained_forward_dynamics(c.model, c.set, ws, c.q, c.v, c.tau, out.a, out.lambda).status !=
        SolveStatus::solved)
      state.SkipWithError("not solved");
}
void run_tree(benchmark::State& state, const SlopesCase& c) {
  AbaDerivativesWorkspace<double> ws(c.model);
  SlopesNumbers out(c);
  for (auto _ : state)
    calc_aba_derivatives(c.model, ws, c.q, c.v, c.tau, out.a, out.a_part(0), out.a_part(1), out.a_part(2));
}
void run_derivatives(benchmark::State& state, const SlopesCase& c) {
  ConstrainedDerivativesWorkspace ws(c.model, c.set);
  SlopesNumbers out(c);
  for (auto _ : state)
    if (calc_constrained_derivatives(
            c.model, c.set, ws, c.q, c.v, c.tau, out.a, out.lambda,
            {out.a_part(0), out.a_part(1), out.a_part(2), out.lambda_part(0), out.lambda_part(1), out.lambda_part(2)})
            .status != DerivativeStatus::exact)
      state.SkipWithError(std::string(to_string(ws.certificate.status)).c_str());
  state.counters["freedoms"] = c.model.nv();
  state.counters["rows"] = c.set.rows();
}

const bool registered = [] {
  static std::vector<std::unique_ptr<SlopesCase>> cases;
  constexpr std::array<bool, 6> kWeld{true, true, true, true, true, true},
      kPoint{false, false, false, true, true, true};
  const auto add = [](const std::string& name, const ModelSpec& spec, const std::vector<std::string>& held,
                      std::array<bool, 6> blocked) {
    cases.push_back(std::make_unique<SlopesCase>(spec, held, blocked));
    const SlopesCase* c = cases.back().get();
    benchmark::RegisterBenchmark(("Slopes/" + name + "/tree").c_str(), run_tree, std::cref(*c));
    benchmark::RegisterBenchmark(("Slopes/" + name + "/solution").c_str(), run_solution, std::cref(*c));
    benchmark::RegisterBenchmark(("Slopes/" + name + "/derivatives").c_str(), run_derivatives, std::cref(*c));
  };
  add("four_bar", mechanisms::four_bar(), {}, kWeld);
  add("stewart_platform", mechanisms::stewart_platform(), {}, kWeld);
  add("humanoid_on_feet", mechanisms::humanoid(), {"left_foot", "right_foot"}, kWeld);
  if (const char* packages = std::getenv("SINEW_ROBOTS")) {
    const std::filesystem::path robots =
        std::filesystem::path(packages) / "cmeel.prefix/share/example-robot-data/robots";
    const auto load_robot = [&](const char* file) { return load((robots / file).string(), {.floating_base = true}); };
    if (auto anymal = load_robot("anymal_b_simple_description/robots/anymal.urdf"))
      add("anymal_on_four_points", *anymal, {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"}, kPoint);
    if (auto talos = load_robot("talos_data/robots/talos_full_v2.urdf"))
      add("talos_on_feet", *talos, {"left_sole_link", "right_sole_link"}, kWeld);
  }
  return true;
}();

}  // namespace
}  // namespace sinew
