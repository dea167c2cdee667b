// apps/reproduce.cpp - `sinew reproduce`: the tables and figures of the papers, made again
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "input_error.hpp"
#include "j14_study.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "s23_study.hpp"
#include "study_report.hpp"

namespace sinew::app {
namespace {

struct Options {
  std::string paper;
  std::filesystem::path folder;
  double seconds = 5;
  bool json = false;
};

void write_figure(const Options& o, const char* name, const std::string& svg) {
  if (o.folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(o.folder, error);
  const std::filesystem::path file = o.folder / name;
  if (!(std::ofstream(file) << svg).flush()) throw InputError("reproduce: cannot write " + file.string());
  if (!o.json) fmt::print("\nwrote {}\n", file.string());
}

int reproduce_s23(const Options& o) {
  S23Study study;
  {
    Progress progress("counting operations", count_cases());
    study = run_s23([&] { progress.advance(); });
  }
  fmt::print("{}", o.json ? write_short(to_json(study)) : to_text(study));
  write_figure(o, "s23_stems.svg", stem_charts(study));
  return kOk;
}

int reproduce_j14(const Options& o) {
  if (!(o.seconds > 0)) throw InputError("--for must be positive", kUsage);
  J14Study study;
  {
    Progress progress("swinging pendulums", count_j14_ticks());
    study = run_j14(o.seconds, [&] { progress.advance(); });
  }
  fmt::print("{}", o.json ? write_short(to_json(study)) : to_text(study));
  write_figure(o, "j14_pendulum.svg", pendulum_charts(study));
  write_figure(o, "j14_speed.svg", speed_charts(study));
  return kOk;
}

}  // namespace

void add_reproduce(Command& sinew) {
  Command c = sinew.add("reproduce", "Make the tables and figures of a paper again");
  const auto o = std::make_shared<Options>();
  c.option("paper", o->paper, "s23: the Delassus matrix of PV-OSIMr; j14: contact in minimal coordinates",
           {.required = true, .one_of = {"s23", "j14"}});
  c.option("--out", o->folder, "Write the figures there, as SVG", {.type = "FOLDER"});
  c.option("--for", o->seconds, "j14: simulated time of each run; 5 unless said otherwise", {.type = "S"});
  c.flag("--json", o->json, "Every number, as JSON");
  c.footer(
      "s23: operations are counted while the algorithms run (multiplications, additions, divisions, square roots);\n"
      "those with a constant 0 or 1 are not counted. The robots are our own, with the trees of the paper's.\n"
      "j14: problem sizes of Tables 1 and 2, the colliding pendulum with 3 to 30 links, Fig. 6. Takes minutes, most "
      "of\n"
      "them in the formulation that the paper argues against.\n"
      "Exit codes: 0 fine, 2 the figures cannot be written, 3 wrong usage.\n"
      "Examples:\n  sinew reproduce s23 --out docs/figures\n  sinew reproduce j14 --for 1");
  c.run([o] { return o->paper == "s23" ? reproduce_s23(*o) : reproduce_j14(*o); });
}

}  // namespace sinew::app
