// bench/constraint/two_trees_bench.cpp - primary and secondary systems [R92]: cost against the length of the primary
//   sinew_bench --benchmark_filter=TwoTrees    beside aba in the same run; exponents are fitted to n = 100 .. 1600
// A chain whose last body carries a closure point, and a free body. prepare: steps A to C of the chain; again: the
// same where only velocities and forces changed; couple: steps D to F of both. Best of many runs, microseconds.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>

#include "sinew/constraint/two_trees/primary_secondary.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew {
namespace {

Model make_free_body() {
  ModelBuilder b("body");
  b.body("body").mass(solid_box(30, {1, 1, 0.6}));
  b.free("body.free", "world", "body");
  return b.build().value();
}

// The shortest of many runs, each of as many calls as take about a millisecond.
template <class F>
double best_us(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  const int calls = std::max(1, static_cast<int>(1000 / std::max(run(1), 1.0)));
  double best = 1e9;
  for (int i = 0; i < 60; ++i) best = std::min(best, run(calls) / calls);
  return best;
}

struct Times {
  double n, aba, prepare, again, couple;
};
Times measure(int n) {
  const Model p = compile(mechanisms::chain(n)).value(), s = make_free_body();
  std::vector<double> q(at(n), 0.4), v(at(n), 0.1), tau(at(n), 1.0), a(at(n)), zero(6), a_s(6), f(6);
  AbaWorkspace<double> aba_ws(p);
  CoupledTree tree(p, {p.bodies().back()}), body(s, {s.bodies().back()});
  CouplingWorkspace ws(tree, body, 6);
  std::vector<double> A(36), B(36), U(6);
  for (std::size_t i = 0; i < 6; ++i) A[7 * i] = 1, B[7 * i] = -1;
  prepare(s, body, s.neutral(), zero, zero);
  Times t{static_cast<double>(n), 0, 0, 0, 0};
  t.aba = best_us([&] { aba(p, aba_ws, q, v, tau, a); });
  t.prepare = best_us([&] {
    q[0] += 1e-9;
    prepare(p, tree, q, v, tau);
  });
  t.again = best_us([&] {
    v[0] += 1e-9;
    prepare(p, tree, q, v, tau);
  });
  t.couple = best_us([&] { couple(p, tree, s, body, ws, {A.data(), 6, 6}, {B.data(), 6, 6}, U, a, a_s, f); });
  return t;
}

// Slope of log time over log n.
double fit(const std::vector<Times>& times, double Times::*of) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Times& t : times) {
    const double a = std::log(t.n), b = std::log(t.*of);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const auto n = static_cast<double>(times.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

void TwoTreesChain(benchmark::State& state) {
  static std::vector<Times> all;
  for (auto _ : state) all.push_back(measure(static_cast<int>(state.range(0))));
  const Times& t = all.back();
  state.counters["aba_us"] = t.aba;
  state.counters["prepare_us"] = t.prepare;
  state.counters["again_us"] = t.again;
  state.counters["couple_us"] = t.couple;
  state.counters["prepare/aba"] = t.prepare / t.aba;
  if (all.size() < 2) return;
  state.counters["exponent_aba"] = fit(all, &Times::aba);
  state.counters["exponent_prepare"] = fit(all, &Times::prepare);
  state.counters["exponent_couple"] = fit(all, &Times::couple);
}
BENCHMARK(TwoTreesChain)->Arg(100)->Arg(200)->Arg(400)->Arg(800)->Arg(1600)->Iterations(1);

// `arms` arms on the world that hold one free body: all rows at once, and through the block-diagonal admittance of the
// arms.
void TwoTreesArms(benchmark::State& state, bool primary_first) {
  const int arms = static_cast<int>(state.range(0));
  ModelBuilder b("arms");
  for (int k = 0; k < arms; ++k)
    for (int i = 0; i < 6; ++i) {
      const std::string body = std::to_string(k) + "." + std::to_string(i);
      b.body(body).mass(solid_box(2, {0.1, 0.1, 0.4}), make_placement({0, 0, 0.2}));
      b.revolute(body + ".joint", i == 0 ? "world" : std::to_string(k) + "." + std::to_string(i - 1), body)
          .at({i == 0 ? double(k) : 0, 0, i == 0 ? 0 : 0.4})
          .axis({i % 3 == 0 ? 1.0 : 0.1, i % 3 == 1 ? 1.0 : 0.2, i % 3 == 2 ? 1.0 : 0.3});
    }
  const Model p = b.build().value(), s = make_free_body();
  std::vector<Place> grips, fixtures(at(arms), Place(s.bodies().back()));
  for (int k = 0; k < arms; ++k) grips.emplace_back(p.bodies()[6 * at(k) + 6]), fixtures[at(k)].in_node.r.x = 0.1 * k;
  const std::size_t rows = 6 * at(arms);
  CoupledTree tree(p, grips), body(s, fixtures);
  CouplingWorkspace ws(tree, body, static_cast<int>(rows));
  std::vector<double> A(rows * rows), B(A), U(rows), f(rows), a(at(p.nv())), a_s(6), zero(a), q(a.size(), 0.4);
  for (std::size_t i = 0; i < rows; ++i) A[(rows + 1) * i] = 1, B[(rows + 1) * i] = -1;
  prepare(p, tree, q, zero, zero);
  prepare(s, body, s.neutral(), a_s, a_s);
  const MatrixView<const double> A_P(A.data(), rows, rows), A_S(B.data(), rows, rows);
  for (auto _ : state)
    if (primary_first)
      couple_primary_first(p, tree, s, body, ws, A_P, A_S, U, a, a_s, f);
    else
      couple(p, tree, s, body, ws, A_P, A_S, U, a, a_s, f);
}
BENCHMARK_CAPTURE(TwoTreesArms, all_rows, false)->RangeMultiplier(2)->Range(2, 32)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(TwoTreesArms, primary_first, true)->RangeMultiplier(2)->Range(2, 32)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sinew
