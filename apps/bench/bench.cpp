// apps/bench/bench.cpp - `sinew bench`: time per call, per body, per degree of freedom; of whole steps on a device
#include "bench/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "bench/device_times.hpp"
#include "common/describe.hpp"
#include "common/input_error.hpp"
#include "common/refuse.hpp"
#include "common/scene.hpp"
#include "common/start_state.hpp"
#include "common/terminal.hpp"

namespace sinew::app {
namespace {

struct BenchOptions {
  std::vector<std::filesystem::path> more;
  bool peers = false;
  TimingOptions timing;
  DeviceInput device;
  std::string floor;  // of scenes on a device, as are the next two
  double dt = 0;
  bool hold = false;
};

// Progress on a terminal; the next line replaces it.
void say(const std::string& what) {
  if (isatty(2)) fmt::print(stderr, "\r\033[K{}", what);
}

int say_nothing_moves(const std::filesystem::path& file, bool floating) {
  fmt::print(stderr, "sinew bench: {}: nothing moves, so there is nothing to time{}\n", file.string(),
             floating ? "" : "; try --floating");
  return kRefused;
}

BenchResult measure(const Model& m, const std::string& file, bool floating, const BenchOptions& o) {
  BenchResult r{file, m.name(), m.nv(), 0, {}, {}, {}};
  for (int b = 1; b < static_cast<int>(m.bodies().size()); ++b) r.bodies += merged_into(m, b) < 0;
  say(file + ": calls");
  r.calls = time_calls(m, o.timing);
  say(file + ": batches");
  r.batch = time_batch(m, o.timing);
  say(o.peers ? file + ": peers" : "");
  if (o.peers) r.peers = time_peers(file, floating, o.timing.seconds);
  say("");
  return r;
}

// Options of one way to measure that were given for the other one are refused, not ignored.
void check_options(const BenchOptions& o) {
  const DeviceInput usual, &d = o.device;
  const auto refuse_if = [](bool given, const char* name, const char* why) {
    if (given) throw InputError(fmt::format("{} {}", name, why), kUsage);
  };
  for (const std::string& name : d.devices)
    if (const std::string why = complain_about_device(name); !why.empty()) throw InputError("--device: " + why, kUsage);
  if (!d.devices.empty()) {
    constexpr const char* kWhy = "is not for --device";
    refuse_if(o.peers, "--peers", kWhy), refuse_if(o.timing.threads != TimingOptions().threads, "--threads", kWhy);
    return refuse_if(o.timing.seconds != TimingOptions().seconds, "--seconds", kWhy);
  }
  constexpr const char* kWhy = "is for --device";
  refuse_if(!d.worlds.empty(), "--worlds", kWhy), refuse_if(d.precision != usual.precision, "--precision", kWhy);
  refuse_if(d.steps != usual.steps, "--steps", kWhy), refuse_if(d.calls != usual.calls, "--calls", kWhy);
  refuse_if(d.settle != usual.settle, "--settle", kWhy), refuse_if(d.spread != usual.spread, "--spread", kWhy);
  refuse_if(d.contacts != usual.contacts, "--contacts", kWhy), refuse_if(d.rows != usual.rows, "--rows", kWhy);
  refuse_if(!o.floor.empty(), "--floor", kWhy), refuse_if(o.dt != 0, "--dt", kWhy), refuse_if(o.hold, "--hold", kWhy);
}

std::vector<std::filesystem::path> list_files(const ModelInput& in, const BenchOptions& o) {
  std::vector<std::filesystem::path> files{in.file};
  files.insert(files.end(), o.more.begin(), o.more.end());
  return files;
}

int run_on_device(const ModelInput& in, const BenchOptions& o) {
  std::vector<DeviceResult> results;
  for (const auto& file : list_files(in, o)) {
    SceneInput of_file;
    of_file.model = std::make_shared<ModelInput>(in);
    of_file.model->file = file, of_file.model->meshes = true;
    of_file.floor = o.floor, of_file.dt = o.dt, of_file.hold = o.hold;
    const std::optional<Scene> scene = read_scene(of_file);
    if (!scene) return kRefused;
    if (scene->model.nv() == 0) return say_nothing_moves(file, in.floating);
    say(file.string() + ": steps on a device");
    try {
      results.push_back(time_device(*scene, file.string(), o.device));
    } catch (const InputError&) {
      say("");
      throw;
    }
    say("");
    if (!in.json) fmt::print("{}{}", results.size() > 1 ? "\n" : "", to_text(results.back()));
    std::fflush(stdout);
  }
  if (in.json) fmt::print("{}", to_json_text(results));
  return kOk;
}

int run(ModelInput in, const BenchOptions& o) {
  check_options(o);
  if (!o.device.devices.empty()) return run_on_device(in, o);
  const std::vector<std::filesystem::path> files = list_files(in, o);
  std::vector<BenchResult> results;
  for (const auto& file : files) {
    in.file = file;
    const ReadModel r = read_model(in);
    if (!r.model) return refuse(r.diagnostics, file.string(), in.json);
    if (r.model->nv() == 0) return say_nothing_moves(file, in.floating);
    try {
      results.push_back(measure(*r.model, file.string(), in.floating, o));
    } catch (const InputError& e) {
      say("");
      fmt::print(stderr, "sinew bench: {}\n", e.what());
      return e.code;
    }
    if (!in.json) fmt::print("{}{}", results.size() > 1 ? "\n" : "", to_text(results.back()));
    std::fflush(stdout);
  }
  if (in.json) fmt::print("{}", to_json_text(results));
  return kOk;
}

}  // namespace

void add_bench(Command& sinew) {
  Command c = sinew.add("bench", "Time the algorithms on models");
  const auto in = add_model_input(c);
  const auto o = std::make_shared<BenchOptions>();
  c.rest("MORE", o->more, "More files");
  c.flag("--peers", o->peers, "Time Pinocchio and MuJoCo in the same run, see docs/eval.md");
  c.option("--threads", o->timing.threads, "Threads of the batches; 0: as many as the machine has",
           {.type = "N",
            .check = [](const std::string& n) { return n.find('-') == 0 ? "must be 0 or more" : std::string(); }});
  c.option("--seconds", o->timing.seconds, "Least time for each measured number (0.1)", {.type = "S"});
  DeviceInput& d = o->device;
  c.list("--device", d.devices,
         "Time whole steps of many worlds with contact instead, see docs/device.md: on cuda (alone: this), cuda:N, "
         "several of these, or cpu, which runs the same text on one thread",
         {.type = "cuda|cpu", .separator = ',', .check = complain_about_device, .alone = "cuda"});
  c.list("--worlds", d.worlds, "How many worlds; default 256,2048,8192,32768, on the CPU 16",
         {.type = "N,N..", .separator = ','});
  c.option("--precision", d.precision, "float (default) or double", {.type = "NAME", .one_of = {"float", "double"}});
  c.option("--steps", d.steps, "In a timed call; default 20", {.type = "N", .range = {1, 1e6}});
  c.option("--calls", d.calls, "Timed calls; default 5", {.type = "N", .range = {1, 1e6}});
  c.option("--settle", d.settle, "Steps before them; default 150", {.type = "N", .range = {0, 1e6}});
  c.option("--spread", d.spread,
           "How far worlds begin from the scene's start: the deviation of random positions, in m and rad, with "
           "velocities in proportion; default 0.05",
           {.type = "S", .range = kNotNegative});
  c.option("--contacts", d.contacts, "Room for contacts per world; default: from the scene",
           {.type = "N", .range = {1, 1e5}});
  c.option("--rows", d.rows, "Room for rows of a friction problem; default: from the scene",
           {.type = "N", .range = {1, 1e5}});
  c.option("--floor", o->floor, "--device: add a floor, as in sinew sim",
           {.type = "[Z|NX,NY,NZ]", .check = complain_about_numbers, .alone = kAuto});
  c.flag("--hold", o->hold, "--device: hold the start pose, as in sinew sim");
  c.option("--dt", o->dt, "--device: step; 0: the model's timestep, or 1 ms where it states none",
           {.type = "S", .range = kNotNegative});
  c.footer(
      "Medians of 11 repeats over random states. Calls: one thread, double. Batches: several samples fill a register,\n"
      "runs of registers go to --threads threads. A body counts with all that is fixed to it.\n"
      "Exit codes: 0 fine, 2 a file is refused, 3 wrong usage, --peers finds no peer, or --device no device.\n"
      "Examples:\n  sinew bench models/humanoid.xml\n  sinew bench --floating --peers --json a.urdf b.urdf\n"
      "  sinew bench models/scenes/quadruped.xml --device --worlds 256,8192\n"
      "  sinew bench models/scenes/quadruped.xml --device cpu --worlds 4 --precision double");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
