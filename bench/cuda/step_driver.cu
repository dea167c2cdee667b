// bench/cuda/step_driver.cu - steps with contact on a device: agreement with the CPU, bits, failures, speed
//   step_driver CASE...          cases of make_step_case
//   step_driver --time CASE...   a few timings only
//   step_driver --large CASE...  the same with fewer worlds, for problems of many rows
//   step_driver --variants CASE...   worlds with other masses and friction
//   step_driver --states CASE...     a thousand worlds for a second: states every tenth of it into CASE.float, and
//                                    CASE.double where that has room, for bench/cuda/compare_states.py
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>

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
  // World i begins with state first + i of the list, again and again.
  void begin(const std::vector<double>& q, const std::vector<double>& v, std::size_t first = 0) {
    fill(all.start_q, q, scene.nq, first), fill(all.start_v, v, scene.nv, first);
    cuda::check(cudaMemset(all.mask, 1, worlds_), "mask");
    cuda::check(cudaMemset(all.control, 0, worlds_ * scene.controls * sizeof(R)), "control");
    cuda::check(cudaMemset(all.applied, 0, worlds_ * scene.nv * sizeof(R)), "forces");
    backend.reset(scene, all, worlds_);
  }
  void set_control(const std::vector<double>& u) { fill(all.control, u, scene.controls, 0); }
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
  void fill(R* to, const std::vector<double>& from, int width, std::size_t first) {
    if (from.empty() || width == 0) return;
    std::vector<R> x(worlds_ * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<R>(from[(first * static_cast<std::size_t>(width) + i) % from.size()]);
    backend.copy_to(to, x.data(), x.size() * sizeof(R));
  }
  std::size_t worlds_;
  std::vector<void*> blocks_;
};

// One step from each state, against Simulation's.
template <class R>
void compare(bench::StepCase& c) {
  const int nv = c.in_double.scene.nv, nq = c.in_double.scene.nq;
  const std::size_t n = c.v.size() / static_cast<std::size_t>(nv);
  Worlds<R> w(c, n);
  w.begin(c.q, c.v), w.set_control(c.control);
  w.step(1);
  const std::vector<R> q = w.get(w.all.q, nq), v = w.get(w.all.v, nv);
  const auto reports = w.get(w.all.report, 1);
  std::vector<double> error;
  double contacts = 0, newtons = 0, worst = 0;
  int aside = 0, unsolved = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (reports[i].cause != device::Cause::none) {
      ++aside;
      continue;
    }
    double e = 0, scale = 1;
    for (int k = 0; k < nv; ++k) {
      const double cpu = c.v_after[i * static_cast<std::size_t>(nv) + k];
      e = std::max(e, std::abs(v[i * static_cast<std::size_t>(nv) + k] - cpu)), scale = std::max(scale, std::abs(cpu));
    }
    error.push_back(e / scale), contacts += reports[i].contacts, newtons += reports[i].newtons;
    worst = std::max(worst, static_cast<double>(reports[i].residual)), unsolved += reports[i].unsolved;
  }
  std::sort(error.begin(), error.end());
  const auto part = [&](double p) {
    return error[static_cast<std::size_t>(p * static_cast<double>(error.size() - 1))];
  };
  std::printf(
      "  %s one step of %zu: v against the CPU 50%% %.1e 90%% %.1e 99%% %.1e max %.1e; %.1f contacts, %.2f Newton "
      "steps, residual up to %.1e, unsolved %d, set aside %d\n",
      sizeof(R) == 4 ? "float " : "double", n, part(.5), part(.9), part(.99), part(1),
      contacts / static_cast<double>(error.size()), newtons / static_cast<double>(error.size()), worst, unsolved,
      aside);
}

// World `first` alone, in a batch, and in a batch with poisoned neighbours.
template <class R>
void compare_bits(bench::StepCase& c, std::size_t many = 4096) {
  const std::size_t nv = static_cast<std::size_t>(c.in_double.scene.nv),
                    nq = static_cast<std::size_t>(c.in_double.scene.nq);
  constexpr int kSteps = 100;
  std::vector<R> whole;
  for (const std::size_t n : {many, std::size_t{1}, std::size_t{7}, 16 * many}) {
    Worlds<R> w(c, n);
    w.begin(c.start_q, c.start_v);
    w.step(kSteps);
    const std::vector<R> q = w.get(w.all.q, static_cast<int>(nq));
    if (whole.empty()) whole = q;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < std::min(n, many); ++i)
      differ += std::memcmp(&q[i * nq], &whole[i * nq], nq * sizeof(R)) != 0;
    std::printf("  bits after %d steps, %zu worlds: %zu differ\n", kSteps, n, differ);
  }
  // Every hundredth world begins with a number that is not one.
  Worlds<R> w(c, many);
  w.begin(c.start_q, c.start_v);
  std::vector<R> v = w.get(w.all.v, static_cast<int>(nv));
  for (std::size_t i = 0; i < many; i += 100) v[i * nv] = NAN;
  w.backend.copy_to(w.all.v, v.data(), v.size() * sizeof(R));
  w.step(kSteps);
  const std::vector<R> q = w.get(w.all.q, static_cast<int>(nq));
  const auto reports = w.get(w.all.report, 1);
  std::size_t differ = 0, aside = 0;
  for (std::size_t i = 0; i < many; ++i) {
    aside += reports[i].cause != device::Cause::none;
    if (i % 100 != 0) differ += std::memcmp(&q[i * nq], &whole[i * nq], nq * sizeof(R)) != 0;
  }
  std::printf("  every hundredth of %zu worlds poisoned: %zu set aside, %zu of the others differ\n", many, aside,
              differ);
}

// No two worlds begin with the same velocities.
template <class R>
void begin_varied(bench::StepCase& c, Worlds<R>& w, std::size_t n) {
  std::mt19937 generator(7);
  std::normal_distribution<double> more(0, 0.05);
  std::vector<double> v(n * static_cast<std::size_t>(w.scene.nv));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = c.start_v[i % c.start_v.size()] + more(generator);
  w.begin(c.start_q, v);
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

constexpr int kFall = 150, kSteps = 20, kRepeats = 5;

template <class R>
void time_steps(bench::StepCase& c, std::size_t n, bool varied) {
  Worlds<R> w(c, n);
  if (varied)
    begin_varied(c, w, n);
  else
    w.begin(c.start_q, c.start_v);
  w.step(kFall);
  cudaEvent_t from, to;
  cuda::check(cudaEventCreate(&from), "event"), cuda::check(cudaEventCreate(&to), "event");
  float best = INFINITY, sum = 0;
  for (int r = 0; r < kRepeats; ++r) {
    cudaEventRecord(from);
    w.step(kSteps);
    cudaEventRecord(to);
    cuda::check(cudaEventSynchronize(to), "steps");
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    best = std::min(best, ms), sum += ms / kRepeats;
  }
  const auto reports = w.get(w.all.report, 1);
  double contacts = 0, rows = 0, newtons = 0, sweeps = 0, rounds = 0, worst = 0;
  long aside = 0, steps = 0, unsolved = 0;
  for (const auto& r : reports) {
    aside += r.cause != device::Cause::none, steps += r.steps, unsolved += r.unsolved;
    contacts += r.contacts, rows += r.rows, newtons += r.newtons, sweeps += r.sweeps, rounds += r.rounds;
    worst = std::max(worst, static_cast<double>(r.worst));
  }
  const double count = static_cast<double>(n);
  std::printf(
      "  %s %7zu worlds%s: %7.3f million steps/s (mean %.3f); %.1f contacts, %.1f rows, %.2f Newton steps, %.2f "
      "sweeps, "
      "%.2f rounds; unsolved %ld of %ld steps, worst residual %.1e, set aside %ld\n",
      sizeof(R) == 4 ? "float " : "double", n, varied ? ", varied" : "", count * kSteps / best * 1e-3,
      count * kSteps / sum * 1e-3, contacts / count, rows / count, newtons / count, sweeps / count, rounds / count,
      unsolved, steps, worst, aside);
}

// Residuals of all steps of worlds that all differ.
template <class R>
void count_residuals(bench::StepCase& c, std::size_t n) {
  constexpr double kLimits[] = {1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  long above[std::size(kLimits)] = {}, steps = 0, most_newtons = 0;
  Worlds<R> w(c, n);
  begin_varied(c, w, n);
  for (int k = 0; k < kFall + kSteps * kRepeats; ++k) {
    w.step(1);
    for (const auto& r : w.get(w.all.report, 1)) {
      if (r.cause != device::Cause::none) continue;
      ++steps, most_newtons = std::max<long>(most_newtons, r.newtons);
      for (std::size_t i = 0; i < std::size(kLimits); ++i) above[i] += !(r.residual <= kLimits[i]);
    }
  }
  std::printf("  %s %zu worlds, varied, %ld steps with residuals above", sizeof(R) == 4 ? "float " : "double", n,
              steps);
  for (std::size_t i = 0; i < std::size(kLimits); ++i) std::printf(" %.0e: %ld,", kLimits[i], above[i]);
  std::printf(" most Newton steps %ld\n", most_newtons);
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
  for (int i = argc > 2 && std::strncmp(argv[1], "--", 2) == 0 ? 2 : 1; i < argc; ++i) {
    bench::StepCase c;
    c.read(argv[i]);
    device::Workspace<float> w;
    std::printf("%s: %d freedoms, a world in float takes %zu bytes of shared memory\n", argv[i], c.in_float.scene.nv,
                device::lay_out<float>(c.in_float.scene, nullptr, nullptr, w).near());
    if (argc > 2 && std::strcmp(argv[1], "--time") == 0) {
      time_steps<float>(c, 8192, true), time_steps<float>(c, 32768, true), time_steps<float>(c, 32768, false);
      time_steps<float>(c, 131072, true), count_residuals<float>(c, 32768);
      continue;
    }
    if (argc > 2 && std::strcmp(argv[1], "--large") == 0) {
      compare<double>(c), compare<float>(c);
      for (const std::size_t n : {64, 1024}) time_steps<float>(c, n, true), time_steps<double>(c, n, true);
      compare_bits<float>(c, 64);
      time_steps<float>(c, 8192, true);
      continue;
    }
    if (argc > 2 && std::strcmp(argv[1], "--states") == 0) {
      write_states<float>(c, argv[i] + std::string(".float"));
      try {
        write_states<double>(c, argv[i] + std::string(".double"));
      } catch (const std::invalid_argument& e) {
        std::printf("  in double: %s\n", e.what());
      }
      continue;
    }
    if (argc > 2 && std::strcmp(argv[1], "--variants") == 0) {
      compare_variants<float>(c);
      for (const int variants : {1, 16, 1024, 32768}) {
        bench::StepCase many = c;
        make_variants(many.in_float, variants);
        std::printf("  %d variants:\n", variants);
        time_steps<float>(many, 32768, true);
      }
      continue;
    }
    compare<double>(c), compare<float>(c);
    compare_bits<float>(c);
    for (const bool varied : {true, false})
      for (const std::size_t n : {256, 2048, 8192, 32768, 131072, 262144}) time_steps<float>(c, n, varied);
    time_steps<double>(c, 8192, true), time_steps<double>(c, 32768, true);
    count_residuals<float>(c, 32768), count_residuals<double>(c, 4096);
  }
  return 0;
}
