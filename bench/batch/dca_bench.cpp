// bench/batch/dca_bench.cpp - divide and conquer: one thread and two, beside the articulated-body algorithm
//   sinew_bench --benchmark_filter=Dca
#include <benchmark/benchmark.h>

#include "sinew/batch/parallel_dca.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"

namespace sinew {
namespace {

struct DcaCase {
  explicit DcaCase(int links) : model(compile(mechanisms::chain(links)).value()), ws(model) {
    Random rng(3);
    q = random_configuration(model, rng);
    v.resize(at(model.nv()), 0.3);
    tau = a = v;
  }
  Model model;
  DcaWorkspace<double> ws;
  std::vector<double> q, v, tau, a;
};

void DcaSerial(benchmark::State& state) {
  DcaCase c(static_cast<int>(state.range(0)));
  for (auto _ : state) dca(c.model, c.ws, c.q, c.v, c.tau, c.a);
}
void DcaThreads(benchmark::State& state) {
  DcaCase c(static_cast<int>(state.range(0)));
  ThreadPool pool(static_cast<int>(state.range(1)));
  for (auto _ : state) dca(pool, c.model, c.ws, c.q, c.v, c.tau, c.a);
}
void DcaBesideAba(benchmark::State& state) {
  DcaCase c(static_cast<int>(state.range(0)));
  AbaWorkspace<double> ws(c.model);
  for (auto _ : state) aba(c.model, ws, c.q, c.v, c.tau, c.a);
}
BENCHMARK(DcaSerial)->Arg(100)->Arg(1000)->Arg(10000)->UseRealTime();
BENCHMARK(DcaThreads)->Args({100, 2})->Args({1000, 2})->Args({10000, 2})->UseRealTime();
BENCHMARK(DcaBesideAba)->Arg(100)->Arg(1000)->Arg(10000)->UseRealTime();

}  // namespace
}  // namespace sinew
