// bench/spatial/sincos_bench.cpp - sine and cosine together: packs against the C library, per number
#include <benchmark/benchmark.h>

#include <vector>

#include "sinew/base/pack_math.hpp"
#include "sinew/base/random.hpp"

namespace sinew {
namespace {

constexpr int kCount = 1024;

template <class T>
std::vector<T> arguments(double limit) {
  Random rng(1);
  std::vector<T> x(kCount);
  for (T& a : x) a = T(rng.uniform(-limit, limit));
  return x;
}

template <class T>
void library_sincos(benchmark::State& state) {
  const std::vector<T> x = arguments<T>(double(state.range(0)));
  std::vector<T> s(kCount), c(kCount);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) sincos(x[i], s[i], c[i]);
    benchmark::DoNotOptimize(s.data()), benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

template <class T>
void pack_sincos(benchmark::State& state) {
  using P = NativePack<T>;
  constexpr std::size_t n = ScalarTraits<P>::kLanes;
  const std::vector<T> x = arguments<T>(double(state.range(0)));
  std::vector<T> s(kCount), c(kCount);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; i += n) {
      P sine, cosine;
      sincos(P::load(&x[i]), sine, cosine);
      sine.store(&s[i]), cosine.store(&c[i]);
    }
    benchmark::DoNotOptimize(s.data()), benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
  state.counters["lanes"] = double(n);
}

// Ordinary joint angles; a wheel after a long drive; beyond the range of the vector code.
#define SINEW_RANGES Arg(3)->Arg(100000)->Arg(100000000)
BENCHMARK(library_sincos<double>)->SINEW_RANGES;
BENCHMARK(pack_sincos<double>)->SINEW_RANGES;
BENCHMARK(library_sincos<float>)->SINEW_RANGES;
BENCHMARK(pack_sincos<float>)->SINEW_RANGES;

}  // namespace
}  // namespace sinew
