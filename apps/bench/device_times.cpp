// apps/bench/device_times.cpp
#include "bench/device_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "sinew/base/random.hpp"
#include "sinew/batch/device_library.hpp"
#include "sinew/batch/device_simulation.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew::app {
namespace {

constexpr std::size_t kMostWorlds = 10'000'000;
constexpr double kSpeedOverSpread = 1 / 0.6;  // [1/s] as in bench/cuda/make_step_case.cpp

// From 0; -1: it is no whole number.
int read_whole_number(std::string_view text) {
  int n = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  return error == std::errc() && stop == end && n >= 0 ? n : -1;
}

// The number of a CUDA device: N of "cuda:N", 0 of "cuda"; -1: the text names none.
int read_cuda_device(std::string_view text) {
  if (text == "cuda") return 0;
  return text.starts_with("cuda:") ? read_whole_number(text.substr(5)) : -1;
}

std::vector<std::size_t> list_worlds(const DeviceInput& in) {
  const bool on_cpu = in.devices.front() == "cpu";
  if (in.worlds.empty())
    return on_cpu ? std::vector<std::size_t>{16} : std::vector<std::size_t>{256, 2048, 8192, 32768};
  std::vector<std::size_t> out;
  for (const std::string& text : in.worlds) {
    const int n = read_whole_number(text);
    if (n < 1 || static_cast<std::size_t>(n) > kMostWorlds)
      throw InputError(fmt::format("--worlds: '{}' is not a number of worlds between 1 and {}", text, kMostWorlds),
                       kUsage);
    out.push_back(static_cast<std::size_t>(n));
  }
  return out;
}

template <class R>
std::vector<std::unique_ptr<device::Backend<R>>> make_backends(const DeviceInput& in) {
  std::vector<std::unique_ptr<device::Backend<R>>> out;
  for (const std::string& name : in.devices) {
    const int number = read_cuda_device(name);
    try {
      out.push_back(number < 0 ? device::make_cpu_backend<R>() : device::make_cuda_backend<R>(number));
    } catch (const std::runtime_error& e) {
      std::string why = e.what();
      if (why.starts_with("make_cuda_backend: ")) why.erase(0, 19);
      throw InputError(fmt::format("--device {}: {}; --device cpu needs no device", name, why), kUsage);
    }
  }
  return out;
}

// World i begins in the same state, however many there are.
template <class R>
void set_starts(const Scene& scene, double spread, DeviceSimulation<R>& worlds) {
  const Model& m = scene.model;
  Random random(1);
  std::vector<R> q, v, control;
  std::vector<double> by(static_cast<std::size_t>(m.nv())), moved(static_cast<std::size_t>(m.nq()));
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    for (double& x : by) x = spread * random.normal();
    integrate<double>(m, scene.start.q, by, 1.0, moved);
    for (const double x : moved) q.push_back(static_cast<R>(x));
    for (const double x : scene.start.v) v.push_back(static_cast<R>(x + kSpeedOverSpread * spread * random.normal()));
    for (const double x : scene.control) control.push_back(static_cast<R>(x));
  }
  worlds.set_start(q, v), worlds.set_control(control), worlds.reset();
}

// Returns when the devices have finished what they were asked for.
template <class R>
void wait_for_all(const DeviceSimulation<R>& worlds) {
  for (std::size_t p = 0; p < worlds.parts(); ++p) {
    unsigned char one = 0;
    if (worlds.first_world(p + 1) > worlds.first_world(p))
      worlds.backend(p).copy_from(&one, worlds.arrays(p).mask, sizeof one);
  }
}

const char* name_of(device::Cause cause) {
  switch (cause) {
    case device::Cause::not_finite: return "not_finite";
    case device::Cause::contacts: return "contacts";
    case device::Cause::rows: return "rows";
    case device::Cause::mass_matrix: return "mass_matrix";
    default: return "";
  }
}

template <class R>
void count_set_aside(const DeviceSimulation<R>& worlds, DeviceRun& run) {
  for (const DeviceFailure& f : worlds.failures()) {
    const auto same = [&](const SetAside& a) { return a.cause == name_of(f.cause); };
    auto found = std::ranges::find_if(run.aside, same);
    if (found == run.aside.end()) found = run.aside.insert(found, {name_of(f.cause), f.text, 0, f.world});
    ++found->worlds;
  }
}

template <class R>
void count_residuals(DeviceSimulation<R>& worlds, int steps, DeviceRun& run) {
  for (int k = 0; k < steps; ++k) {
    worlds.step(1);
    for (const device::WorldReport<R>& r : worlds.reports()) {
      if (r.cause != device::Cause::none) continue;
      ++run.residuals;
      for (std::size_t i = 0; i < kResidualLimits.size(); ++i)
        run.above[i] += !(static_cast<double>(r.residual) <= kResidualLimits[i]);
    }
  }
}

template <class R>
DeviceRun time_worlds(const DeviceInput& in, const Scene& scene, DeviceSimulation<R>& worlds) {
  using Clock = std::chrono::steady_clock;
  DeviceRun run;
  run.worlds = worlds.size(), run.bytes_per_world = worlds.bytes_per_world();
  set_starts(scene, in.spread, worlds);
  worlds.step(in.settle);
  double seconds = 0;
  long before = worlds.summary().steps, timed = 0;
  for (int call = 0; call < in.calls; ++call) {
    const auto begin = Clock::now();
    worlds.step(in.steps), wait_for_all(worlds);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    const long after = worlds.summary().steps;
    run.best = std::max(run.best, 1e-6 * static_cast<double>(after - before) / took);
    seconds += took, timed += after - before, before = after;
  }
  run.mean = 1e-6 * static_cast<double>(timed) / seconds;
  count_residuals(worlds, in.steps, run);
  const DeviceSummary all = worlds.summary();
  run.steps = all.steps, run.unsolved = all.unsolved, run.worst = all.worst;
  for (const device::WorldReport<R>& r : worlds.reports()) run.contacts += r.contacts, run.rows += r.rows;
  run.contacts /= static_cast<double>(run.worlds), run.rows /= static_cast<double>(run.worlds);
  count_set_aside(worlds, run);
  return run;
}

template <class R>
void time_precision(const Scene& scene, const DeviceInput& in, DeviceResult& out) {
  DeviceSimulationOptions options;
  options.contacts = in.contacts, options.rows = in.rows;
  for (const std::size_t n : list_worlds(in)) {
    auto backends = make_backends<R>(in);
    try {
      DeviceSimulation<R> worlds(scene.model, n, options, std::move(backends));
      if (out.runs.empty()) {
        for (std::size_t p = 0; p < worlds.parts(); ++p) out.devices.push_back(worlds.backend(p).name());
        out.dt = worlds.options().dt, out.tolerance = worlds.options().tolerance;
        out.contacts = worlds.options().contacts, out.rows = worlds.options().rows;
      }
      out.runs.push_back(time_worlds(in, scene, worlds));
    } catch (const std::invalid_argument& e) {
      throw InputError(e.what());
    } catch (const std::runtime_error& e) {
      throw InputError(fmt::format("{} worlds: {}", n, e.what()), kUsage);
    }
  }
}

}  // namespace

std::string complain_about_device(const std::string& list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    if (name != "cpu" && read_cuda_device(name) < 0) return "'" + name + "' is not cuda, cuda:N or cpu";
    begin = end + 1;
  }
  return {};
}

DeviceResult time_device(const Scene& scene, const std::string& file, const DeviceInput& in) {
  DeviceResult out;
  out.file = file, out.name = scene.model.name(), out.precision = in.precision, out.nv = scene.model.nv();
  out.input = in;
  in.precision == "double" ? time_precision<double>(scene, in, out) : time_precision<float>(scene, in, out);
  return out;
}

}  // namespace sinew::app
