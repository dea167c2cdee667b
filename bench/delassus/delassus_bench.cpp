// bench/delassus/delassus_bench.cpp - the Delassus algorithms side by side
//   sinew_bench --benchmark_filter=Delassus/          one robot, all algorithms
//   sinew_bench --benchmark_filter=DelassusScaling    time of pvr against n at fixed m, and against m at fixed n
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "sinew/delassus/chang_khatib.hpp"
#include "sinew/delassus/dense.hpp"
#include "sinew/delassus/efpa.hpp"
#include "sinew/delassus/kjr.hpp"
#include "sinew/delassus/ltl.hpp"
#include "sinew/delassus/pv.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::delassus {
namespace {

// A scene: the rows hold frames of the model, with the weights of a random direction each.
struct Scene {
  Model model;
  Problem problem;
  std::vector<std::vector<double>> q;
  std::vector<Force<double>> K;
};
Force<double> random_row(Random& rng) {
  const auto vec = [&] { return Vec3<double>{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; };
  return {vec(), vec()};
}
std::unique_ptr<Scene> make_scene(ModelSpec spec, const std::vector<std::pair<std::string, int>>& frames) {
  Model m = compile(std::move(spec)).value();
  std::vector<Entry> entries;
  int rows = 0;
  for (const auto& [frame, count] : frames)
    for (int r = 0; r < count; ++r) entries.push_back({rows++, m.find_frame(frame).value().node});
  Problem problem(m, rows, std::move(entries));
  auto out = std::make_unique<Scene>(Scene{std::move(m), std::move(problem), {}, {}});
  Random rng(3);
  for (int i = 0; i < 16; ++i) out->q.push_back(random_configuration(out->model, rng));
  for (int r = 0; r < rows; ++r) out->K.push_back(random_row(rng));
  return out;
}

template <class Run>
void time_it(benchmark::State& state, const Scene& s, Run run) {
  const auto rows = static_cast<std::size_t>(s.problem.rows());
  std::vector<double> W(rows * rows);
  std::size_t i = 0;
  for (auto _ : state) {
    run(s.q[i++ % s.q.size()], MatrixView<double>(W.data(), rows, rows));
    benchmark::DoNotOptimize(W.data());
    benchmark::ClobberMemory();
  }
}

const Scene& keep(std::unique_ptr<Scene> s) {
  static std::vector<std::unique_ptr<Scene>> scenes;
  scenes.push_back(std::move(s));
  return *scenes.back();
}

template <class Workspace, class Algorithm>
void add(const std::string& name, const Scene& s, Algorithm algorithm) {
  benchmark::RegisterBenchmark(name.c_str(), [&s, algorithm](benchmark::State& state) {
    Workspace ws(s.model, s.problem);
    time_it(state, s, [&](const auto& q, MatrixView<double> W) { algorithm(s.model, ws, q, s.K, W, 0.0); });
  });
}

const bool registered = [] {
  const std::vector<std::pair<std::string, int>> feet{{"left_sole", 6}, {"right_sole", 6}},
      limbs{{"left_sole", 6}, {"right_sole", 6}, {"left_palm", 6}, {"right_palm", 6}},
      corners{{"left_sole", 12}, {"right_sole", 12}};
  std::vector<std::pair<std::string, int>> hands = feet;
  for (const char* side : {"left", "right"})
    for (const char* finger : {"thumb", "first", "middle", "ring", "little"})
      hands.push_back({std::string(side) + "_hand_" + finger + "_tip", 3});
  for (const auto& [name, scene] :
       {std::pair<std::string, const Scene&>{"humanoid_2x6", keep(make_scene(mechanisms::humanoid(), feet))},
        {"humanoid_2x12", keep(make_scene(mechanisms::humanoid(), corners))},
        {"humanoid_4x6", keep(make_scene(mechanisms::humanoid(), limbs))},
        {"humanoid_hands", keep(make_scene(mechanisms::humanoid_with_hands(2), hands))},
        {"chain100_2x6", keep(make_scene(mechanisms::chain(100), {{"link1", 6}, {"tip", 6}}))}}) {
    const std::string head = "Delassus/" + name + "/";
    add<DenseWorkspace<double>>(head + "dense", scene, dense<double>);
    add<LtlWorkspace<double>>(head + "ltl", scene, ltl<double>);
    add<KjrWorkspace<double>>(head + "kjr", scene, kjr<double>);
    add<ChangKhatibWorkspace<double>>(head + "chang_khatib", scene, chang_khatib<double>);
    add<EfpaWorkspace<double>>(head + "efpa", scene, efpa<double>);
    for (const bool reduced : {false, true})
      benchmark::RegisterBenchmark(
          (head + (reduced ? "pvr" : "pv")).c_str(), [&scene, reduced](benchmark::State& state) {
            PvWorkspace<double> ws(
                scene.model, scene.problem,
                reduced ? make_pvr_plan(scene.model, scene.problem) : make_pv_plan(scene.model, scene.problem));
            time_it(state, scene, [&](const auto& q, MatrixView<double> W) { pv(scene.model, ws, q, scene.K, W); });
          });
  }
  return true;
}();

}  // namespace
}  // namespace sinew::delassus
