// bench/operators/flexible_bench.cpp - forward dynamics of chains of flexible links: cost against links and modes
#include <benchmark/benchmark.h>

#include "sinew/model/builder.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/operators/flexible_sko.hpp"

namespace sinew {
namespace {

struct FlexibleChain {
  FlexibleChain(int links, int modes_per_plane)
      : model(make_model(links)), flexible(model, make_links(links, modes_per_plane)) {}
  static Model make_model(int links) {
    ModelBuilder b("chain");
    for (int i = 0; i < links; ++i) {
      const std::string name = "link" + std::to_string(i);
      b.body(name).mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
      b.revolute("joint" + std::to_string(i), i == 0 ? "world" : "link" + std::to_string(i - 1), name)
          .at({i == 0 ? 0. : 1., 0, 0})
          .axis({0, i % 2 == 0 ? 1. : 0., i % 2 == 0 ? 0. : 1.});
    }
    return b.build().value();
  }
  static std::vector<sko::FlexibleBody> make_links(int links, int modes) {
    std::vector<sko::FlexibleBody> out;
    for (int i = 0; i < links; ++i)
      out.push_back(sko::make_beam({.body = "link" + std::to_string(i),
                                    .bending_y = 100,
                                    .bending_z = 100,
                                    .modes_y = modes,
                                    .modes_z = modes,
                                    .stations = {{"tip", 1}}}));
    return out;
  }
  Model model;
  sko::FlexibleModel flexible;
};

void run_forward_dynamics(benchmark::State& state, int links, int modes) {
  const FlexibleChain c(links, modes);
  sko::FlexibleSko f(c.flexible);
  sko::SkoDynamics<double> ws(f.sko);
  std::vector<double> q(at(c.flexible.nq()), 0.01), v(at(c.flexible.nv()), 0.1), tau(v), qdd(v);
  for (auto _ : state) {
    f.update(q, v);
    sko::forward_dynamics<double>(f.sko, ws, tau, qdd);
    benchmark::DoNotOptimize(qdd.data());
  }
}
// Links of four modes: the cost per link is the same in chains of 20 and of 200.
void flexible_links(benchmark::State& state) {
  run_forward_dynamics(state, static_cast<int>(state.range(0)), 2);
  state.SetComplexityN(state.range(0));
}
// 20 links with more and more modes.
void flexible_modes(benchmark::State& state) { run_forward_dynamics(state, 20, static_cast<int>(state.range(0))); }

BENCHMARK(flexible_links)->Arg(20)->Arg(50)->Arg(100)->Arg(200)->Complexity(benchmark::oN);
BENCHMARK(flexible_modes)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

}  // namespace
}  // namespace sinew
