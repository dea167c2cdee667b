// apps/bench/bench.cpp - `sinew bench`: time per call, per body, per degree of freedom
#include "bench/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "common/describe.hpp"
#include "common/input_error.hpp"
#include "common/model_input.hpp"
#include "common/refuse.hpp"
#include "common/terminal.hpp"

namespace sinew::app {
namespace {

struct BenchOptions {
  std::vector<std::filesystem::path> more;
  bool peers = false;
  TimingOptions timing;
};

// Progress on a terminal; the next line replaces it.
void say(const std::string& what) {
  if (isatty(2)) fmt::print(stderr, "\r\033[K{}", what);
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

int run(ModelInput in, const BenchOptions& o) {
  std::vector<std::filesystem::path> files{in.file};
  files.insert(files.end(), o.more.begin(), o.more.end());
  std::vector<BenchResult> results;
  for (const auto& file : files) {
    in.file = file;
    const ReadModel r = read_model(in);
    if (!r.model) return refuse(r.diagnostics, file.string(), in.json);
    if (r.model->nv() == 0) {
      fmt::print(stderr, "sinew bench: {}: nothing moves, so there is nothing to time{}\n", file.string(),
                 in.floating ? "" : "; try --floating");
      return kRefused;
    }
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
  c.footer(
      "Medians of 11 repeats over random states. Calls: one thread, double. Batches: several samples fill a register,\n"
      "runs of registers go to --threads threads. A body counts with all that is fixed to it.\n"
      "Exit codes: 0 fine, 2 a file is refused, 3 wrong usage, or --peers finds no peer.\n"
      "Examples:\n  sinew bench models/humanoid.xml\n  sinew bench --floating --peers --json a.urdf b.urdf");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
