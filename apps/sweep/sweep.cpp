// apps/sweep/sweep.cpp - `sinew sweep`: hands over to the Python package, where users' functions and Ray live
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {
namespace {

// Says what is missing, else runs the command; the current folder is no place to look for packages.
constexpr const char* kStart = R"(import sys
if sys.path[:1] == ['']: del sys.path[0]
try:
    from sinew.sweep.command import main
except ModuleNotFoundError as e:
    print(f"sinew sweep: this command is written in Python, and {sys.executable} has no package '{e.name}'; "
          "pip install 'sinew[sweep]', or set SINEW_PYTHON to a Python that has it", file=sys.stderr)
    sys.exit(3)
sys.exit(main())
)";

struct SweepInput {
  std::filesystem::path plan, out;
  std::string engine, jobs, address, shard, shard_size, flush, only;
  bool retry = false, collect = false, dry_run = false, json = false, quiet = false;
};

std::vector<std::string> make_words(const SweepInput& in) {
  std::vector<std::string> words{in.plan.string()};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", name, value));
  };
  const auto add_flag = [&](const char* name, bool set) {
    if (set) words.emplace_back(name);
  };
  add("--out", in.out.string()), add("--engine", in.engine), add("--jobs", in.jobs), add("--address", in.address);
  add("--shard", in.shard), add("--shard-size", in.shard_size), add("--flush", in.flush), add("--only", in.only);
  add_flag("--retry", in.retry), add_flag("--collect", in.collect), add_flag("--dry-run", in.dry_run);
  add_flag("--json", in.json), add_flag("--quiet", in.quiet);
  return words;
}

int hand_over(const SweepInput& in) {
  const char* set = std::getenv("SINEW_PYTHON");
  const std::string python = set && *set ? set : "python3";
  std::vector<std::string> words{python, "-c", kStart};
  for (std::string& w : make_words(in)) words.push_back(std::move(w));
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(python.c_str(), argv.data());
  throw InputError(fmt::format("this command is written in Python, and '{}' cannot be started: {}; install Python 3.11 "
                               "or newer, or set SINEW_PYTHON",
                               python, std::strerror(errno)),
                   kUsage);
}

}  // namespace

void add_sweep(Command& sinew) {
  Command c = sinew.add("sweep", "Run a plan: one scene, many parameters, on threads, Ray, SLURM or MPI");
  const auto in = std::make_shared<SweepInput>();
  c.option("PLAN", in->plan, "TOML, see docs/sweep.md", {.type = "FILE", .required = true});
  c.option("--out", in->out, "Folder of the results; default: PLAN with the ending .sweep", {.type = "DIR"});
  c.option("--engine", in->engine,
           "threads (default); processes: for functions in Python, and samples that may crash; ray; serial",
           {.type = "NAME", .one_of = {"threads", "processes", "ray", "serial"}});
  c.option("--jobs", in->jobs, "Workers; default: one per processor", {.type = "N"});
  c.option("--address", in->address, "Of a running Ray cluster; default: a Ray of this machine alone", {.type = "A"});
  c.option("--shard", in->shard,
           "Only part K of N, counted from 0; slurm: from SLURM's array variables; mpi: from the rank of this process",
           {.type = "K/N|slurm|mpi"});
  c.option("--shard-size", in->shard_size, "Most samples per file", {.type = "N"});
  c.option("--flush", in->flush, "Longest time between writes; default 5", {.type = "S"});
  c.option("--only", in->only, "Run sample K alone, here; nothing is written", {.type = "K"});
  c.flag("--retry", in->retry, "Run failed samples again");
  c.flag("--collect", in->collect, "Run nothing: write the union of what is there");
  c.flag("--dry-run", in->dry_run, "Check the plan and print the first samples");
  c.flag("--json", in->json, "Write JSON");
  c.flag("--quiet", in->quiet, "No progress");
  c.footer(
      "What is done is never done again: after an interruption the same command goes on.\n"
      "It runs in the Python package (pip install 'sinew[sweep]') of $SINEW_PYTHON, or of python3.\n"
      "Exit codes: 0 fine, 2 the plan or the folder is refused, 3 wrong usage, 5 samples failed, 7 not saved, 128 + "
      "signal.\n"
      "Examples:\n  sinew sweep ball.toml\n  sinew sweep ball.toml --only 17\n  sinew sweep ball.toml --engine ray "
      "--address auto\n  sbatch --array=0-9 --wrap 'sinew sweep ball.toml --shard slurm'; later: sinew sweep ball.toml "
      "--collect");
  c.run([in] { return hand_over(*in); });
}

}  // namespace sinew::app
