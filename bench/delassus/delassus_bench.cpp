// bench/delassus/delassus_bench.cpp - the Delassus algorithms side by side
//   sinew_bench --benchmark_filter=Delassus/          several robots, all algorithms; tools/fit_delassus_costs.py fits
//   them sinew_bench --benchmark_filter=DelassusScaling    time of pvr against n at m = 12, and against m at n = 134
//   sinew_bench --benchmark_filter=PvDynamics         constrained forward dynamics
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "sinew/delassus/cost.hpp"
#include "sinew/delassus/pv_dynamics.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::delassus {
namespace {

// Rows hold frames: all six axes of a frame, or its point; 12 rows: four points around it.
struct Scene {
  std::string name;
  Model model;
  Problem problem;
  std::vector<Force<double>> K;
  std::vector<std::vector<double>> q, v;
};
using Frames = std::vector<std::pair<std::string, int>>;

std::unique_ptr<Scene> make_scene(std::string name, ModelSpec spec, const Frames& frames) {
  Model m = compile(std::move(spec)).value();
  std::vector<Entry> entries;
  std::vector<Force<double>> K;
  for (const auto& [frame, count] : frames) {
    const FrameEntry f = m.find_frame(frame).value();
    for (int r = 0; r < count; ++r) {
      const int axis = count == 6 ? r : 3 + r % 3;
      const Vec3<double> corner{count == 12 ? (r / 6 ? 0.1 : -0.1) : 0, count == 12 ? (r / 3 % 2 ? 0.05 : -0.05) : 0,
                                0};
      const Force<double> unit = sinew::detail::unit_force<double>(axis);
      entries.push_back({static_cast<int>(entries.size()), f.node});
      K.push_back(apply_inverse(f.in_node, Force<double>{unit.ang + cross(corner, unit.lin), unit.lin}));
    }
  }
  Problem problem(m, static_cast<int>(entries.size()), entries);
  auto out = std::make_unique<Scene>(Scene{std::move(name), std::move(m), std::move(problem), std::move(K), {}, {}});
  Random rng(3);
  for (int i = 0; i < 16; ++i) {
    out->q.push_back(random_configuration(out->model, rng));
    out->v.emplace_back();
    for (int k = 0; k < out->model.nv(); ++k) out->v.back().push_back(rng.uniform(-1, 1));
  }
  return out;
}

Frames tips(int branches, int rows) {
  Frames out;
  for (int i = 1; i <= 2 * branches; ++i) out.push_back({"tip" + std::to_string(i), rows});
  return out;
}

const std::vector<std::unique_ptr<Scene>>& scenes() {
  static const std::vector<std::unique_ptr<Scene>> all = [] {
    const Frames feet{{"left_sole", 6}, {"right_sole", 6}}, palms{{"left_palm", 6}, {"right_palm", 6}};
    Frames limbs = feet, hands = feet, fingers;
    limbs.insert(limbs.end(), palms.begin(), palms.end());
    for (const char* finger : {"thumb", "first", "middle", "ring", "little"}) {
      fingers.push_back({std::string(finger) + "_tip", 3});
      for (const char* side : {"left", "right"}) hands.push_back({std::string(side) + "_hand_" + finger + "_tip", 3});
    }
    std::vector<std::unique_ptr<Scene>> out;
    const auto add = [&](const char* name, ModelSpec spec, const Frames& f) {
      out.push_back(make_scene(name, std::move(spec), f));
    };
    add("humanoid_2x6", mechanisms::humanoid(), feet);
    add("humanoid_2x12", mechanisms::humanoid(), {{"left_sole", 12}, {"right_sole", 12}});
    add("humanoid_4x6", mechanisms::humanoid(), limbs);
    add("hand_5x3", mechanisms::hand(), fingers);
    add("humanoid_hands", mechanisms::humanoid_with_hands(2), hands);
    add("chain100_2x6", mechanisms::chain(100), {{"link1", 6}, {"tip", 6}});
    add("chain12_tip", mechanisms::chain(12), {{"tip", 6}});
    add("stem20_4", mechanisms::stem_with_branches(20, 4), tips(4, 6));
    return out;
  }();
  return all;
}

void time_it(benchmark::State& state, const Scene& s, Algorithm a) {
  Delassus<double> delassus(s.model, s.problem, a, s.K);
  const auto rows = static_cast<std::size_t>(s.problem.rows());
  std::vector<double> W(rows * rows);
  std::size_t i = 0;
  for (auto _ : state) {
    delassus.calc(s.q[i++ % s.q.size()], s.K, {W.data(), rows, rows});
    benchmark::DoNotOptimize(W.data());
    benchmark::ClobberMemory();
  }
}

const bool delassus_registered = [] {
  for (const auto& scene : scenes()) {
    const std::vector<Cost> costs = calc_costs(scene->model, scene->problem, scene->K);
    for (const Cost& c : costs)
      benchmark::RegisterBenchmark(("Delassus/" + scene->name + "/" + std::string(to_string(c.algorithm))).c_str(),
                                   [s = scene.get(), c](benchmark::State& state) {
                                     time_it(state, *s, c.algorithm);
                                     state.counters["operations"] = static_cast<double>(c.total());
                                     state.counters["nodes"] = static_cast<double>(s->model.nodes().size());
                                     state.counters["rows"] = s->problem.rows();
                                   });
    benchmark::RegisterBenchmark(("PvDynamics/" + scene->name).c_str(), [s = scene.get()](benchmark::State& state) {
      PvDynamicsWorkspace ws(s->model, s->problem);
      std::vector<double> qdd(static_cast<std::size_t>(s->model.nv())), tau(qdd.size()),
          lambda(static_cast<std::size_t>(s->problem.rows())), target(lambda.size());
      std::size_t i = 0;
      for (auto _ : state) {
        ++i;
        pv_forward_dynamics(s->model, ws, s->q[i % s->q.size()], s->v[i % s->v.size()], tau, s->K, target, qdd, lambda);
        benchmark::DoNotOptimize(qdd.data());
      }
    });
  }
  return true;
}();

void DelassusScalingN(benchmark::State& state) {
  const auto s = make_scene("chain", mechanisms::chain(static_cast<int>(state.range(0))), {{"link1", 6}, {"tip", 6}});
  time_it(state, *s, Algorithm::pvr);
  state.SetComplexityN(state.range(0));
}
void DelassusScalingM(benchmark::State& state) {
  const auto s = make_scene("stem", mechanisms::stem_with_branches(8, 8, 8), tips(8, static_cast<int>(state.range(0))));
  time_it(state, *s, Algorithm::pvr);
  state.counters["m"] = s->problem.rows();
  state.SetComplexityN(s->problem.rows());
}
BENCHMARK(DelassusScalingN)->RangeMultiplier(2)->Range(25, 1600)->Complexity();
BENCHMARK(DelassusScalingM)->DenseRange(3, 6, 3)->Arg(12)->Complexity();

}  // namespace
}  // namespace sinew::delassus
