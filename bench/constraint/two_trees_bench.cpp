// bench/constraint/two_trees_bench.cpp - primary and secondary systems [R92]: cost against the length of the primary
//   sinew_bench --benchmark_filter=TwoTrees    beside aba in the same run; exponents are fitted to n = 100 .. 1600
// A chain whose last body carries a closure point, and a free body. prepare: steps A to C of the chain; again: the
// same where only velocities and forces changed; couple: steps D to F of both. Best of many runs, microseconds.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <memory>

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

struct Times {
  double n = 0, aba = 1e9, prepare = 1e9, again = 1e9, couple = 1e9;  // [us] shortest
};
template <class F>
void note(double& best, F&& call) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  call();
  best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
}

struct Chain {
  explicit Chain(int n) : p(compile(mechanisms::chain(n)).value()), q(at(n), 0.4), v(at(n), 0.1), a(at(n)) {
    for (std::size_t i = 0; i < 6; ++i) A[7 * i] = 1, B[7 * i] = -1;
    times.n = n;
    prepare(s, body, s.neutral(), a_s, a_s);
  }
  void run() {
    aba(p, aba_ws, q, v, v, a);  // what it reads is in the cache for all of them
    note(times.aba, [&] { aba(p, aba_ws, q, v, v, a); });
    q[0] += 1e-9;
    note(times.prepare, [&] { prepare(p, tree, q, v, v); });
    v[0] += 1e-9;
    note(times.again, [&] { prepare(p, tree, q, v, v); });
    note(times.couple, [&] { couple(p, tree, s, body, ws, {A.data(), 6, 6}, {B.data(), 6, 6}, U, a, a_s, f); });
  }
  Model p, s = make_free_body();
  std::vector<double> q, v, a, a_s = std::vector<double>(6), f = a_s, U = a_s, A = std::vector<double>(36), B = A;
  AbaWorkspace<double> aba_ws{p};
  CoupledTree tree{p, {p.bodies().back()}}, body{s, {s.bodies().back()}};
  CouplingWorkspace ws{tree, body, 6};
  Times times;
};

// All lengths and calls in turn, so that a busy machine disturbs all of them alike.
std::vector<Times> measure() {
  std::vector<std::unique_ptr<Chain>> chains;
  for (const int n : {100, 200, 400, 800, 1600}) chains.push_back(std::make_unique<Chain>(n));
  for (int round = 0; round < 500; ++round)
    for (const auto& c : chains) c->run();
  std::vector<Times> out;
  for (const auto& c : chains) out.push_back(c->times);
  return out;
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
  std::vector<Times> all;
  for (auto _ : state) all = measure();
  for (const Times& t : all) {
    const std::string n = "/" + std::to_string(static_cast<int>(t.n));
    state.counters["1 aba us" + n] = t.aba;
    state.counters["2 prepare us" + n] = t.prepare;
    state.counters["3 prepare over aba" + n] = t.prepare / t.aba;
    state.counters["4 prepare again us" + n] = t.again;
    state.counters["5 couple us" + n] = t.couple;
  }
  state.counters["exponent of aba"] = fit(all, &Times::aba);
  state.counters["exponent of prepare"] = fit(all, &Times::prepare);
  state.counters["exponent of couple"] = fit(all, &Times::couple);
}
BENCHMARK(TwoTreesChain)->Iterations(1)->Unit(benchmark::kMillisecond);

// Steps A to C alone, for tools/bench_exponents.py.
void ScalingTwoTrees(benchmark::State& state) {
  Chain c(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    c.q[0] += 1e-9;
    prepare(c.p, c.tree, c.q, c.v, c.v);
  }
}
BENCHMARK(ScalingTwoTrees)->Arg(100)->Arg(200)->Arg(400)->Arg(800)->Arg(1600);

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
