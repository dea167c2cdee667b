// bench/contact/formulations_bench.cpp - one step of the pendulum with four contacts, by formulation [J14 Table 2]
//   sinew_bench --benchmark_filter=ContactStep     os and nmc_os for n = 3 .. 30, pyramid of 4 directions and exact
//   cone
//   sinew_bench --benchmark_filter=ScalingContact  the problem of OS for four contacts on long chains
// Counters: microseconds of assembly, solution and recovery, the least of assembly, and unknowns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sinew/contact/formulation.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew {
namespace {

// Bent, and falling on four contacts with the world, spread along it.
struct Falling {
  explicit Falling(int n) : model(compile(mechanisms::pendulum(n)).value()), set(model) {
    q.assign(model.neutral().begin(), model.neutral().end());
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.3 + 0.2 * std::sin(2.0 * static_cast<double>(i));
    v.assign(q.size(), -0.1), tau.assign(q.size(), 0.0);
    KinematicsWorkspace<double> at(model);
    calc_kinematics(model, at, q);
    for (int k = 0; k < 4; ++k) {
      const int node = 1 + (n - 1) * (4 - k) / 4;
      contacts.push_back({.node_a = node,
                          .point = at.X[node].r + Vec3<double>{0.1, 0.02 * k, -0.1},
                          .normal = {0, 0, 1},
                          .friction = 0.5});
    }
  }
  Model model;
  ConstraintSet set;
  std::vector<double> q, v, tau;
  std::vector<ContactPoint> contacts;
};

void run(benchmark::State& state, Formulation f, int directions) {
  const Falling c(static_cast<int>(state.range(0)));
  ContactSolver solver(c.model, c.set, f, {.directions = directions});
  const ContactStep step{c.q, c.v, c.tau, 1e-4, 0, c.contacts, {}, {}, {}};
  ContactCosts sum;
  double least = INFINITY;  // [s] of assembly: what other programs do only adds
  for (auto _ : state) {
    const ContactAnswer& a = solver.solve(step);
    if (a.certificate.status != lcp::Status::solved)
      state.SkipWithError(std::string(to_string(a.certificate.status)).c_str());
    sum.assembly += a.costs.assembly, sum.solution += a.costs.solution, sum.recovery += a.costs.recovery;
    sum.size = a.costs.size;
    least = std::min(least, a.costs.assembly);
  }
  const auto microseconds = [](double s) { return benchmark::Counter(1e6 * s, benchmark::Counter::kAvgIterations); };
  state.counters["assembly"] = microseconds(sum.assembly);
  state.counters["solution"] = microseconds(sum.solution);
  state.counters["recovery"] = microseconds(sum.recovery);
  state.counters["unknowns"] = sum.size;
  state.counters["least_assembly"] = 1e6 * least;
}

const bool formulations_registered = [] {
  for (const Formulation f : {Formulation::os, Formulation::nmc_os})
    for (const int directions : {4, 0}) {
      auto* b = benchmark::RegisterBenchmark(
          ("ContactStep/" + std::string(to_string(f)) + (directions == 0 ? "/cone" : "/pyramid4")).c_str(),
          [f, directions](benchmark::State& state) { run(state, f, directions); });
      for (const int n : {3, 6, 12, 15, 24, 30}) b->Arg(n);
      b->Unit(benchmark::kMicrosecond);
    }
  return true;
}();

void ScalingContactOs(benchmark::State& state) { run(state, Formulation::os, 4); }
BENCHMARK(ScalingContactOs)->RangeMultiplier(2)->Range(64, 1024);

}  // namespace
}  // namespace sinew
