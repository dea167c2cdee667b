// bench/tree/tree_bench.cpp - the tree algorithms: one sample, packs of samples, and how they grow with n
//   sinew_bench --benchmark_filter=Tree        times
//   sinew_bench --benchmark_filter=Scaling     growth with n, on chains, at a fixed depth and on binary trees;
//                                              `make bench-exponents` fits exponents and fails where one is wrong
// Times of packs are per call; "samples/s" counts the lanes.
#include <benchmark/benchmark.h>

#include "sinew/base/scalars.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {
namespace {

constexpr std::size_t kStates = 64;  // cycled through

template <class T>
struct States {
  explicit States(const Model& m) {
    Random random(1);
    using Value = typename ScalarTraits<T>::Value;
    for (std::size_t state = 0; state < kStates; ++state) {
      q.emplace_back(static_cast<std::size_t>(m.nq()));
      for (int lane = 0; lane < ScalarTraits<T>::kLanes; ++lane) {
        const std::vector<double> one = random_configuration(m, random);
        for (std::size_t i = 0; i < one.size(); ++i)
          if constexpr (ScalarTraits<T>::kLanes > 1)
            q.back()[i].set(lane, static_cast<Value>(one[i]));
          else
            q.back()[i] = static_cast<Value>(one[i]);
      }
    }
    v.assign(static_cast<std::size_t>(m.nv()), lit<T>(0.3));
    a.assign(static_cast<std::size_t>(m.nv()), lit<T>(-0.7));
    out = v;
  }
  const std::vector<T>& next() { return q[k++ % kStates]; }
  std::vector<std::vector<T>> q;
  std::vector<T> v, a, out;
  std::size_t k = 0;
};

template <class T>
void count_samples(benchmark::State& state) {
  state.counters["samples/s"] =
      benchmark::Counter(double(state.iterations()) * ScalarTraits<T>::kLanes, benchmark::Counter::kIsRate);
}

template <class T>
void run_rnea(benchmark::State& state, const Model& m) {
  States<T> s(m);
  RneaWorkspace<T> ws(m);
  for (auto _ : state) rnea(m, ws, s.next(), s.v, s.a, s.out);
  count_samples<T>(state);
}
template <class T>
void run_rnea_equivalent(benchmark::State& state, const Model& m) {
  States<T> s(m);
  const EquivalentModel e(m);
  RneaWorkspace<T> ws(m);
  for (auto _ : state) rnea(e, ws, s.next(), s.v, s.a, s.out);
  count_samples<T>(state);
}
template <class T>
void run_aba(benchmark::State& state, const Model& m) {
  States<T> s(m);
  AbaWorkspace<T> ws(m);
  for (auto _ : state) aba(m, ws, s.next(), s.v, s.a, s.out);
  count_samples<T>(state);
}
template <class T>
void run_crba(benchmark::State& state, const Model& m) {
  States<T> s(m);
  CrbaWorkspace<T> ws(m);
  const std::size_t n = s.v.size();
  std::vector<T> M(n * n);
  for (auto _ : state) crba(m, ws, s.next(), MatrixView<T>(M.data(), n, n));
  count_samples<T>(state);
}
template <class T>
void run_inverse(benchmark::State& state, const Model& m) {
  States<T> s(m);
  MassInverseWorkspace<T> ws(m);
  const std::size_t n = s.v.size();
  std::vector<T> M(n * n);
  for (auto _ : state) calc_mass_inverse(m, ws, s.next(), MatrixView<T>(M.data(), n, n));
  count_samples<T>(state);
}
template <class T>
void run_kinematics(benchmark::State& state, const Model& m) {
  States<T> s(m);
  KinematicsWorkspace<T> ws(m);
  for (auto _ : state) calc_kinematics(m, ws, s.next());
  count_samples<T>(state);
}
void run_jacobian(benchmark::State& state, const Model& m) {
  States<double> s(m);
  JacobianWorkspace<double> ws(m);
  for (auto _ : state) calc_jacobian(m, ws, s.next());
  count_samples<double>(state);
}

template <class T>
void add(const std::string& scalar, const std::string& name, const Model& m) {
  const std::string tail = "/" + name + "/" + scalar;
  const auto put = [&](const char* algorithm, auto run) {
    benchmark::RegisterBenchmark(("Tree/" + std::string(algorithm) + tail).c_str(),
                                 [run, &m](benchmark::State& state) { run(state, m); });
  };
  put("rnea", run_rnea<T>);
  put("rnea_equivalent", run_rnea_equivalent<T>);
  put("aba", run_aba<T>);
  put("crba", run_crba<T>);
  put("mass_inverse", run_inverse<T>);
  put("kinematics", run_kinematics<T>);
}

const Model& keep(ModelSpec spec) {
  static std::vector<std::unique_ptr<Model>> models;
  models.push_back(std::make_unique<Model>(compile(std::move(spec)).value()));
  return *models.back();
}

const bool tree_registered = [] {
  for (const auto& [name, spec] : {std::pair<std::string, ModelSpec>{"chain30", mechanisms::chain(30)},
                                   std::pair<std::string, ModelSpec>{"humanoid36", mechanisms::humanoid()}}) {
    const Model& m = keep(spec);
    add<double>("double", name, m);
    add<float>("float", name, m);
    add<NativePack<double>>("doubles", name, m);
    add<NativePack<float>>("floats", name, m);
    benchmark::RegisterBenchmark(("Tree/jacobian/" + name + "/double").c_str(),
                                 [&m](benchmark::State& state) { run_jacobian(state, m); });
  }
  return true;
}();

// The matrix by composite bodies, its factor, one solution: what follows the bias in the O(n d^2) way.
void run_mass_solve(benchmark::State& state, const Model& m) {
  States<double> s(m);
  CrbaWorkspace<double> ws(m);
  LtdlFactor<double> H(m.dof_tree());
  for (auto _ : state) {
    crba_packed(m, ws, s.next(), H.packed);
    factor(m.dof_tree(), H);
    solve(m.dof_tree(), H, s.out);
  }
}
void run_packed_crba(benchmark::State& state, const Model& m) {
  States<double> s(m);
  CrbaWorkspace<double> ws(m);
  LtdlFactor<double> H(m.dof_tree());
  for (auto _ : state) crba_packed(m, ws, s.next(), H.packed);
}
void run_factor(benchmark::State& state, const Model& m) {
  States<double> s(m);
  CrbaWorkspace<double> ws(m);
  LtdlFactor<double> H(m.dof_tree());
  crba_packed(m, ws, s.next(), H.packed);
  const std::vector<double> M = H.packed;
  for (auto _ : state) {
    H.packed = M;
    factor(m.dof_tree(), H);
  }
}

template <class Run>
void scaling(benchmark::State& state, Run run) {
  const Model m = compile(mechanisms::chain(static_cast<int>(state.range(0)))).value();
  run(state, m);
  state.SetComplexityN(state.range(0));
}
// Legs of eight joints on the world.
template <class Run>
void scaling_legs(benchmark::State& state, Run run) {
  constexpr int kDepth = 8;
  ModelBuilder b("legs");
  for (int i = 0; i < static_cast<int>(state.range(0)); ++i) {
    const std::string name = std::to_string(i);
    b.body(name).mass(solid_box(1, {0.05, 0.08, 0.12}), make_placement({0.02, 0.03, -0.1}));
    b.revolute("joint" + name, i % kDepth == 0 ? "world" : std::to_string(i - 1), name)
        .at({0.1, 0.05, -0.2}, {0.7, 0.4, 0.3});
  }
  run(state, b.build().value());
}
template <class Run>
void scaling_binary(benchmark::State& state, Run run) {
  run(state, compile(mechanisms::binary_tree(static_cast<int>(state.range(0)))).value());
}
void ScalingRnea(benchmark::State& state) { scaling(state, run_rnea<double>); }
void ScalingAba(benchmark::State& state) { scaling(state, run_aba<double>); }
void ScalingCrba(benchmark::State& state) { scaling(state, run_crba<double>); }
BENCHMARK(ScalingRnea)->RangeMultiplier(4)->Range(64, 65536)->Complexity();
BENCHMARK(ScalingAba)->RangeMultiplier(4)->Range(64, 65536)->Complexity();
BENCHMARK(ScalingCrba)->RangeMultiplier(2)->Range(64, 1024)->Complexity();

void ScalingFactor(benchmark::State& state) { scaling(state, run_factor); }
void ScalingMassSolve(benchmark::State& state) { scaling(state, run_mass_solve); }
void ScalingLegsRnea(benchmark::State& state) { scaling_legs(state, run_rnea<double>); }
void ScalingLegsAba(benchmark::State& state) { scaling_legs(state, run_aba<double>); }
void ScalingLegsCrba(benchmark::State& state) { scaling_legs(state, run_packed_crba); }
void ScalingLegsFactor(benchmark::State& state) { scaling_legs(state, run_factor); }
void ScalingBinaryMassSolve(benchmark::State& state) { scaling_binary(state, run_mass_solve); }
void ScalingBinaryAba(benchmark::State& state) { scaling_binary(state, run_aba<double>); }
BENCHMARK(ScalingFactor)->RangeMultiplier(2)->Range(64, 1024)->Complexity();
BENCHMARK(ScalingMassSolve)->RangeMultiplier(2)->Range(64, 1024)->Complexity();
BENCHMARK(ScalingLegsRnea)->RangeMultiplier(4)->Range(64, 4096);
BENCHMARK(ScalingLegsAba)->RangeMultiplier(4)->Range(64, 4096);
BENCHMARK(ScalingLegsCrba)->RangeMultiplier(4)->Range(64, 4096);
BENCHMARK(ScalingLegsFactor)->RangeMultiplier(4)->Range(64, 4096);
BENCHMARK(ScalingBinaryMassSolve)->DenseRange(6, 12, 2);  // levels: 63 to 4095 joints
BENCHMARK(ScalingBinaryAba)->DenseRange(6, 12, 2);

}  // namespace
}  // namespace sinew
