// apps/bench/timing.cpp
#include "bench/timing.hpp"

#include <time.h>

#include <algorithm>
#include <functional>

#include "sinew/batch/batch.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew::app {
namespace {

constexpr std::size_t kStates = 64;
constexpr std::size_t kMatrixRoom = std::size_t{1} << 22;  // most numbers in all matrices of a batch

// Compiler barrier: nothing written before it is optimised away or moved past it.
void keep() { asm volatile("" : : : "memory"); }

double seconds_on(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Median time of one call in microseconds; run() makes `calls` of them.
double median_us(const TimingOptions& o, clockid_t clock, std::size_t calls, const std::function<void()>& run) {
  const auto take = [&](long passes) {
    const double start = seconds_on(clock);
    for (long p = 0; p < passes; ++p) run(), keep();
    return seconds_on(clock) - start;
  };
  take(1);
  const double once = std::max(take(1), 1e-7);
  const long passes = std::max(1L, static_cast<long>(o.seconds / o.repeats / once));
  std::vector<double> times(static_cast<std::size_t>(o.repeats));
  for (double& t : times) t = take(passes);
  std::sort(times.begin(), times.end());
  return 1e6 * times[times.size() / 2] / (static_cast<double>(passes) * static_cast<double>(calls));
}

// One state per row.
template <class R>
struct States {
  std::vector<R> q, v, a, tau;
  States(const Model& m, std::size_t count) {
    Random random(1);
    for (std::size_t i = 0; i < count; ++i) {
      for (const double x : random_configuration(m, random)) q.push_back(static_cast<R>(x));
      for (std::vector<R>* part : {&v, &a, &tau})
        for (int k = 0; k < m.nv(); ++k) part->push_back(static_cast<R>(random.uniform(-1, 1)));
    }
  }
};

template <class R>
void time_batch_of(const Model& m, const TimingOptions& o, BatchTimes& out, double BatchTime::*field) {
  Batch<R> batch(m, o.threads);
  out.threads = batch.threads();
  const clockid_t clock = batch.threads() > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  const auto nv = static_cast<std::size_t>(m.nv()), nq = static_cast<std::size_t>(m.nq());
  const auto lanes = static_cast<std::size_t>(Batch<R>::lanes() * batch.threads());
  const std::size_t fit = std::clamp(kMatrixRoom / std::max<std::size_t>(1, nv * nv), 4 * lanes, 256 * lanes);
  const States<R> s(m, fit);
  std::vector<R> vector(fit * nv), matrix(fit * nv * nv), poses(fit * 12 * m.bodies().size());
  const auto rows = [fit](const std::vector<R>& x, std::size_t cols) {
    return MatrixView<const R>(x.data(), fit, cols);
  };
  const auto out_rows = [fit](std::vector<R>& x) { return MatrixView<R>(x.data(), fit, x.size() / fit); };
  const auto add = [&](std::size_t k, const std::function<void()>& run) {
    out.times[k].*field = median_us(o, clock, fit, run);
  };
  const auto q = rows(s.q, nq), v = rows(s.v, nv), a = rows(s.a, nv), tau = rows(s.tau, nv);
  add(0, [&] { batch.rnea(q, v, a, out_rows(vector)); });
  add(1, [&] { batch.crba(q, out_rows(matrix)); });
  add(2, [&] { batch.aba(q, v, tau, out_rows(vector)); });
  add(3, [&] { batch.calc_mass_inverse(q, out_rows(matrix)); });
  add(4, [&] { batch.calc_kinematics(q, out_rows(poses)); });
}

}  // namespace

std::vector<CallTime> time_calls(const Model& m, const TimingOptions& o) {
  const auto nv = static_cast<std::size_t>(m.nv()), nq = static_cast<std::size_t>(m.nq());
  const States<double> s(m, kStates);
  std::vector<double> x(nv), matrix(nv * nv);
  const MatrixView<double> M(matrix.data(), nv, nv);
  using View = VectorView<const double>;
  const auto q = [&](std::size_t i) { return View(s.q.data() + i * nq, nq); };
  const auto part = [nv](const std::vector<double>& all, std::size_t i) { return View(all.data() + i * nv, nv); };
  std::vector<CallTime> out;
  const auto add = [&](const char* name, const auto& call) {
    const auto run = [&] {
      for (std::size_t i = 0; i < kStates; ++i) call(i), keep();
    };
    out.push_back({name, median_us(o, CLOCK_THREAD_CPUTIME_ID, kStates, run)});
  };
  RneaWorkspace<double> rnea_ws(m);
  add("rnea", [&](std::size_t i) { rnea(m, rnea_ws, q(i), part(s.v, i), part(s.a, i), x); });
  CrbaWorkspace<double> crba_ws(m);
  add("crba", [&](std::size_t i) { crba(m, crba_ws, q(i), M); });
  AbaWorkspace<double> aba_ws(m);
  add("aba", [&](std::size_t i) { aba(m, aba_ws, q(i), part(s.v, i), part(s.tau, i), x); });
  MassInverseWorkspace<double> inverse_ws(m);
  add("mass_inverse", [&](std::size_t i) { calc_mass_inverse(m, inverse_ws, q(i), M); });
  JacobianWorkspace<double> jacobian_ws(m);
  add("jacobian", [&](std::size_t i) { calc_jacobian(m, jacobian_ws, q(i)); });
  KinematicsWorkspace<double> kinematics_ws(m);
  add("kinematics", [&](std::size_t i) { calc_kinematics(m, kinematics_ws, q(i)); });
  return out;
}

BatchTimes time_batch(const Model& m, const TimingOptions& o) {
  BatchTimes out;
  for (const char* name : {"rnea", "crba", "aba", "mass_inverse", "kinematics"}) out.times.push_back({name});
  out.double_lanes = Batch<double>::lanes();
  out.float_lanes = Batch<float>::lanes();
  time_batch_of<double>(m, o, out, &BatchTime::double_us);
  time_batch_of<float>(m, o, out, &BatchTime::float_us);
  return out;
}

}  // namespace sinew::app
