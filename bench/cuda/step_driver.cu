// bench/cuda/step_driver.cu - steps with contact on a device: agreement with the CPU, bits, failures, speed
//   step_driver --suite CASE...      all of it, a line of JSON for each, as tools/device_suite.py reads them; cases of
//                                    make_step_case
//   step_driver --time CASE...       a few timings of the same
//   step_driver --first CASE         one step of 4096 worlds, for the time of a fresh process
//   step_driver --variants CASE...   worlds with other masses and friction
//   step_driver --states CASE...     a thousand worlds for a second: states every tenth of it into CASE.float, and
//                                    CASE.double where that has room, for bench/cuda/compare_states.py
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string_view>

#include "batch/cuda/step_backend.cuh"
#include "step_case.hpp"

using namespace sinew;

namespace {

// Worlds of a case on the device.
template <class R>
class Worlds {
 public:
  Worlds(bench::StepCase& c, std::size_t n) : scene(c.tables<R>().scene), worlds_(n) {
    auto& t = c.tables<R>();
    t.for_each([&](const auto& table, auto& pointer) { pointer = upload(table.data(), table.size()); });
    scene = t.scene;
    std::vector<int> variant(n);
    for (std::size_t i = 0; i < n; ++i) variant[i] = static_cast<int>(i) % scene.variants;
    scene.variant = upload(variant.data(), n);
    const auto rows = [&](int k) { return n * static_cast<std::size_t>(k); };
    all.q = make<R>(rows(scene.nq)), all.v = make<R>(rows(scene.nv)), all.start_q = make<R>(rows(scene.nq));
    all.start_v = make<R>(rows(scene.nv)), all.control = make<R>(rows(scene.controls));
    all.applied = make<R>(rows(scene.nv)), all.stop_z = make<R>(rows(scene.stops));
    all.touch_z = make<R>(rows(3 * scene.contacts)), all.keys = make<int>(rows(scene.contacts));
    all.mask = make<unsigned char>(n), all.report = make<device::WorldReport<R>>(n);
  }
  ~Worlds() {
    for (void* p : blocks_) cudaFree(p);
  }
  // World i begins with state i of the list, again and again.
  void begin(const std::vector<double>& q, const std::vector<double>& v) {
    fill(all.start_q, q, scene.nq), fill(all.start_v, v, scene.nv);
    cuda::check(cudaMemset(all.mask, 1, worlds_), "mask");
    cuda::check(cudaMemset(all.control, 0, worlds_ * scene.controls * sizeof(R)), "control");
    cuda::check(cudaMemset(all.applied, 0, worlds_ * scene.nv * sizeof(R)), "forces");
    backend.reset(scene, all, worlds_);
  }
  void set_control(const std::vector<double>& u) { fill(all.control, u, scene.controls); }
  void step(int steps) { backend.step(scene, all, worlds_, steps); }
  template <class T>
  std::vector<T> get(const T* p, int width) const {
    std::vector<T> out(worlds_ * static_cast<std::size_t>(width));
    backend.copy_from(out.data(), p, out.size() * sizeof(T));
    return out;
  }

  device::Scene<R> scene;
  device::WorldArrays<R> all;
  cuda::StepBackend<R> backend;

 private:
  template <class T>
  T* make(std::size_t n) {
    blocks_.push_back(backend.allocate(std::max<std::size_t>(1, n) * sizeof(T)));
    return static_cast<T*>(blocks_.back());
  }
  template <class T>
  const T* upload(const T* data, std::size_t n) {
    T* p = make<T>(n);
    backend.copy_to(p, data, n * sizeof(T));
    return p;
  }
  void fill(R* to, const std::vector<double>& from, int width) {
    if (from.empty() || width == 0) return;
    std::vector<R> x(worlds_ * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<R>(from[i % from.size()]);
    backend.copy_to(to, x.data(), x.size() * sizeof(R));
  }
  std::size_t worlds_;
  std::vector<void*> blocks_;
};

// A line of JSON.
struct Fact {
  const char* name;
  double value;
};
template <class R>
void say(const char* what, std::initializer_list<Fact> facts) {
  std::printf("{\"what\": \"%s\", \"precision\": \"%s\"", what, sizeof(R) == 4 ? "float" : "double");
  for (const Fact& f : facts)
    std::isfinite(f.value) ? std::printf(", \"%s\": %.9g", f.name, f.value)
                           : std::printf(", \"%s\": %s", f.name, std::isnan(f.value) ? "NaN" : "Infinity");
  std::puts("}");
}

// No two worlds begin with the same velocities; those of a world do not depend on how many there are.
std::vector<double> make_velocities(const bench::StepCase& c, std::size_t n, int nv) {
  std::mt19937 generator(7);
  std::normal_distribution<double> more(0, 0.05);
  std::vector<double> v(n * static_cast<std::size_t>(nv));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = c.start_v[i % c.start_v.size()] + more(generator);
  return v;
}
template <class R>
void begin_varied(bench::StepCase& c, Worlds<R>& w, std::size_t n) {
  w.begin(c.start_q, make_velocities(c, n, w.scene.nv));
}

// One step from each state, against Simulation's, where two solvers of the CPU agree on the answer.
template <class R>
void compare(bench::StepCase& c) {
  constexpr double kSame = 1e-11;  // of the answers of both
  const std::size_t nv = static_cast<std::size_t>(c.in_double.scene.nv), n = c.v.size() / nv;
  Worlds<R> w(c, n);
  w.begin(c.q, c.v), w.set_control(c.control);
  w.step(1);
  const std::vector<R> v = w.get(w.all.v, w.scene.nv);
  const auto reports = w.get(w.all.report, 1);
  std::vector<double> error;
  double aside = 0, unsolved = 0, worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (reports[i].cause != device::Cause::none) {
      ++aside;
      continue;
    }
    unsolved += reports[i].unsolved, worst = std::max(worst, static_cast<double>(reports[i].residual));
    double e = 0, spread = 0, scale = 1;
    for (std::size_t k = i * nv; k < (i + 1) * nv; ++k) {
      const double cpu = c.v_after[k], apart = std::abs(cpu - c.v_other[k]);
      e = std::max(e, std::abs(v[k] - cpu)), scale = std::max(scale, std::abs(cpu));
      if (!(apart <= spread)) spread = apart == apart ? apart : INFINITY;
    }
    if (spread <= kSame * scale) error.push_back(e / scale);
  }
  std::sort(error.begin(), error.end());
  const double unique = static_cast<double>(error.size());
  const auto part = [&](double p) { return error.empty() ? NAN : error[static_cast<std::size_t>(p * (unique - 1))]; };
  const auto below = [&](double limit) {
    return static_cast<double>(std::ranges::lower_bound(error, limit) - error.begin());
  };
  say<R>("agreement", {{"states", static_cast<double>(n)},
                       {"unique", unique},
                       {"middle", part(.5)},
                       {"of_90", part(.9)},
                       {"of_99", part(.99)},
                       {"of_999", part(.999)},
                       {"most", part(1)},
                       {"below_1e-10", below(1e-10)},
                       {"below_1e-5", below(1e-5)},
                       {"unsolved", unsolved},
                       {"worst", worst},
                       {"aside", aside}});
}

// The bits of worlds: again, in the opposite order, in batches of 1, 7 and sixteen times as many, and beside poisoned
// ones.
template <class R>
void compare_bits(bench::StepCase& c, std::size_t many, int steps) {
  enum class Poison { none, every_hundredth };
  const std::size_t nq = static_cast<std::size_t>(c.in_double.scene.nq),
                    nv = static_cast<std::size_t>(c.in_double.scene.nv), most = 16 * many;
  const std::vector<double> v = make_velocities(c, most, static_cast<int>(nv));
  double aside = 0;
  // World i is world first + i of them all, or first - i.
  const auto run = [&](std::size_t n, bool backwards, Poison poison) {
    Worlds<R> w(c, n);
    std::vector<double> q0, v0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = backwards ? n - 1 - i : i, at_q = k * nq % c.start_q.size();
      q0.insert(q0.end(), c.start_q.begin() + at_q, c.start_q.begin() + at_q + nq);
      v0.insert(v0.end(), v.begin() + k * nv, v.begin() + (k + 1) * nv);
    }
    std::vector<R> forces(n * nv);
    for (std::size_t i = 0; i < n && poison == Poison::every_hundredth; i += 100) {
      if (i % 300 == 0) v0[i * nv] = NAN;            // no number
      if (i % 300 == 100) v0[i * nv] = 1e30;         // far beyond what can step
      if (i % 300 == 200) forces[i * nv] = R(1e30);  // an exploding gain
    }
    w.begin(q0, v0);
    w.backend.copy_to(w.all.applied, forces.data(), forces.size() * sizeof(R));
    w.step(steps);
    aside = 0;
    for (const auto& r : w.get(w.all.report, 1)) aside += r.cause != device::Cause::none;
    return w.get(w.all.q, static_cast<int>(nq));
  };
  const std::vector<R> all = run(most, false, Poison::none);
  const double clean_aside = aside;
  const auto count = [&](std::size_t n, bool backwards, Poison poison) {
    const std::vector<R> q = run(n, backwards, poison);
    double differ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = backwards ? n - 1 - i : i;
      if (poison == Poison::every_hundredth && i % 100 == 0) continue;
      differ += std::memcmp(&q[i * nq], &all[k * nq], nq * sizeof(R)) != 0;
    }
    return differ;
  };
  const double again = count(most, false, Poison::none), one = count(1, false, Poison::none),
               seven = count(7, false, Poison::none), part = count(many, false, Poison::none),
               backwards = count(most, true, Poison::none), beside = count(most, false, Poison::every_hundredth);
  say<R>("bits", {{"worlds", static_cast<double>(most)},
                  {"steps", static_cast<double>(steps)},
                  {"again", again},
                  {"of_1", one},
                  {"of_7", seven},
                  {"part", static_cast<double>(many)},
                  {"of_part", part},
                  {"backwards", backwards},
                  {"poisoned", std::ceil(static_cast<double>(most) / 100)},
                  {"beside_poisoned", beside},
                  {"aside", clean_aside},
                  {"aside_poisoned", aside}});
}

// The model, then ones with other masses and friction.
template <class R>
void make_variants(device::SceneTables<R>& t, int count) {
  const device::SceneTables<R> base = t;
  std::mt19937 generator(9);
  std::uniform_real_distribution<R> factor(R(0.8), R(1.25));
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (int k = 1; k < count; ++k) {
    append(t.options, base.options), append(t.node, base.node), append(t.dof, base.dof), append(t.stop, base.stop);
    append(t.spring, base.spring), append(t.actuator, base.actuator), append(t.shape, base.shape);
    append(t.pair, base.pair);
    for (std::size_t i = t.node.size() - base.node.size(); i < t.node.size(); ++i) {
      const R by = factor(generator);
      RigidInertia<R>& I = t.node[i].inertia;
      I = {by * I.m, by * I.h, by * I.I};
    }
    const R by = factor(generator);
    for (std::size_t i = t.pair.size() - base.pair.size(); i < t.pair.size(); ++i) t.pair[i].friction *= by;
  }
  t.scene.variants = count;
}

// Every fourth world has the model itself, among variants, and has the bits that it has without them.
template <class R>
void compare_variants(bench::StepCase c) {
  constexpr std::size_t kWorlds = 4096, kSteps = 100;
  const auto run = [&] {
    Worlds<R> w(c, kWorlds);
    w.begin(c.start_q, c.start_v);
    w.step(kSteps);
    return w.get(w.all.q, w.scene.nq);
  };
  const std::vector<R> plain = run();
  make_variants(c.tables<R>(), 4);
  const std::vector<R> mixed = run();
  const std::size_t nq = static_cast<std::size_t>(c.in_double.scene.nq);
  std::size_t differ[4] = {};
  for (std::size_t i = 0; i < kWorlds; ++i)
    differ[i % 4] += std::memcmp(&plain[i * nq], &mixed[i * nq], nq * sizeof(R)) != 0;
  std::printf(
      "  4096 worlds in four variants, the first the model: after 100 steps %zu, %zu, %zu, %zu differ from it\n",
      differ[0], differ[1], differ[2], differ[3]);
}

// How long worlds fall before they are timed, and over how many calls of how many steps.
struct Course {
  int fall = 150, steps = 20, repeats = 5;
};

// Returns how many seconds it took.
template <class R>
double time_steps(bench::StepCase& c, std::size_t n, bool varied, const Course& course) {
  const auto begin = std::chrono::steady_clock::now();
  Worlds<R> w(c, n);
  if (varied)
    begin_varied(c, w, n);
  else
    w.begin(c.start_q, c.start_v);
  w.step(course.fall);
  cudaEvent_t from, to;
  cuda::check(cudaEventCreate(&from), "event"), cuda::check(cudaEventCreate(&to), "event");
  float best = INFINITY, sum = 0;
  for (int r = 0; r < course.repeats; ++r) {
    cudaEventRecord(from);
    w.step(course.steps);
    cudaEventRecord(to);
    cuda::check(cudaEventSynchronize(to), "steps");
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    best = std::min(best, ms), sum += ms / static_cast<float>(course.repeats);
  }
  const auto reports = w.get(w.all.report, 1);
  double contacts = 0, rows = 0, newtons = 0, sweeps = 0, rounds = 0, worst = 0, aside = 0, steps = 0, unsolved = 0;
  for (const auto& r : reports) {
    aside += r.cause != device::Cause::none, steps += r.steps, unsolved += r.unsolved;
    contacts += r.contacts, rows += r.rows, newtons += r.newtons, sweeps += r.sweeps, rounds += r.rounds;
    worst = std::max(worst, static_cast<double>(r.worst));
  }
  const double count = static_cast<double>(n), done = count * course.steps * 1e-3;  // thousands of steps per call
  say<R>("time", {{"worlds", count},
                  {"varied", varied ? 1. : 0.},
                  {"call", static_cast<double>(course.steps)},
                  {"best", done / best},
                  {"mean", done / sum},
                  {"contacts", contacts / count},
                  {"rows", rows / count},
                  {"newtons", newtons / count},
                  {"sweeps", sweeps / count},
                  {"rounds", rounds / count},
                  {"steps", steps},
                  {"unsolved", unsolved},
                  {"worst", worst},
                  {"aside", aside}});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Residuals of all steps of worlds that all differ.
template <class R>
void count_residuals(bench::StepCase& c, std::size_t n, const Course& course) {
  constexpr double kLimits[] = {1e-10, 1e-8, 1e-5, 1e-4, 1e-3, 1e-2};
  double above[std::size(kLimits)] = {}, steps = 0, most_newtons = 0, worst = 0;
  Worlds<R> w(c, n);
  begin_varied(c, w, n);
  for (int k = 0; k < course.fall + course.steps * course.repeats; ++k) {
    w.step(1);
    for (const auto& r : w.get(w.all.report, 1)) {
      if (r.cause != device::Cause::none) continue;
      ++steps, most_newtons = std::max<double>(most_newtons, r.newtons);
      worst = std::max(worst, static_cast<double>(r.residual));
      for (std::size_t i = 0; i < std::size(kLimits); ++i) above[i] += !(r.residual <= kLimits[i]);
    }
  }
  say<R>("residuals", {{"worlds", static_cast<double>(n)},
                       {"steps", steps},
                       {"1e-10", above[0]},
                       {"1e-8", above[1]},
                       {"1e-5", above[2]},
                       {"1e-4", above[3]},
                       {"1e-3", above[4]},
                       {"1e-2", above[5]},
                       {"worst", worst},
                       {"most_newtons", most_newtons}});
}

template <class R>
void say_memory(bench::StepCase& c) {
  const device::Scene<R>& s = c.tables<R>().scene;
  device::Workspace<R> w;
  const device::WorkspaceBytes size = device::lay_out<R>(s, nullptr, nullptr, w);
  const auto numbers = 2 * (s.nq + s.nv) + s.controls + s.nv + s.stops + 3 * s.contacts;
  say<R>("memory", {{"freedoms", static_cast<double>(s.nv)},
                    {"contacts", static_cast<double>(s.contacts)},
                    {"rows", static_cast<double>(s.rows)},
                    {"large", s.large ? 1. : 0.},
                    {"state", static_cast<double>(numbers * sizeof(R) + s.contacts * sizeof(int) + 1 +
                                                  sizeof(device::WorldReport<R>))},
                    {"kept", static_cast<double>(size.kept + size.far)},
                    {"shared", static_cast<double>(size.near())}});
}

// All of it. Problems of many rows take long: fewer worlds, which are timed while they settle.
void run_suite(bench::StepCase& c) {
  constexpr double kMostSeconds = 15;  // of a timing: larger ones are left out
  const bool large = c.in_float.scene.large, large_in_double = c.in_double.scene.large;
  const Course course = large ? Course{20, 5, 3} : Course{}, in_double = large_in_double ? Course{20, 5, 3} : Course{};
  say_memory<float>(c), say_memory<double>(c);
  compare<double>(c), compare<float>(c);
  compare_bits<float>(c, large ? 64 : 4096, large ? 10 : 100);
  double seconds = 0;
  std::size_t before = 256;
  for (const std::size_t n : {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144}) {
    if (seconds * static_cast<double>(n) / static_cast<double>(before) > kMostSeconds) break;
    seconds = time_steps<float>(c, n, true, course), before = n;
  }
  time_steps<float>(c, large ? 1024 : 32768, false, course);
  time_steps<double>(c, large_in_double ? 1024 : 8192, true, in_double);
  if (!large_in_double) time_steps<double>(c, 32768, true, in_double);
  count_residuals<float>(c, large ? 256 : 32768, course);
  count_residuals<double>(c, large_in_double ? 256 : 4096, in_double);
}

// q and v of all worlds in float64, at the start and ten times after.
template <class R>
void write_states(bench::StepCase& c, const std::string& path) {
  constexpr std::size_t kWorlds = 1024;
  Worlds<R> w(c, kWorlds);
  begin_varied(c, w, kWorlds);
  std::FILE* f = std::fopen(path.c_str(), "wb");
  if (!f) throw std::runtime_error("cannot open " + path);
  const int steps = static_cast<int>(std::lround(0.1 / static_cast<double>(w.scene.options.dt)));
  const auto write = [&](const std::vector<R>& from) {
    const std::vector<double> x(from.begin(), from.end());
    std::fwrite(x.data(), sizeof(double), x.size(), f);
  };
  for (int k = 0; k <= 10; ++k) {
    if (k > 0) w.step(steps);
    write(w.get(w.all.q, w.scene.nq)), write(w.get(w.all.v, w.scene.nv));
  }
  std::fclose(f);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string_view mode = argc > 2 ? argv[1] : "";
  for (int i = 2; i < argc; ++i) {
    bench::StepCase c;
    c.read(argv[i]);
    std::printf("{\"case\": \"%s\"}\n", argv[i]);
    if (mode == "--suite") {
      run_suite(c);
    } else if (mode == "--time") {
      for (const std::size_t n : {8192, 32768, 131072}) time_steps<float>(c, n, true, {});
      time_steps<float>(c, 32768, false, {}), count_residuals<float>(c, 32768, {});
    } else if (mode == "--first") {
      Worlds<float> w(c, 4096);
      w.begin(c.start_q, c.start_v), w.step(1), w.get(w.all.q, w.scene.nq);
    } else if (mode == "--states") {
      write_states<float>(c, argv[i] + std::string(".float"));
      try {
        write_states<double>(c, argv[i] + std::string(".double"));
      } catch (const std::invalid_argument& e) {
        std::printf("  in double: %s\n", e.what());
      }
    } else if (mode == "--variants") {
      compare_variants<float>(c);
      for (const int variants : {1, 16, 1024, 32768}) {
        bench::StepCase many = c;
        make_variants(many.in_float, variants);
        std::printf("  %d variants:\n", variants);
        time_steps<float>(many, 32768, true, {});
      }
    }
  }
  return mode.empty() ? 2 : 0;
}
