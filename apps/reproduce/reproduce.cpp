// apps/reproduce/reproduce.cpp - `sinew reproduce`: the tables and figures of the papers, made again
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/progress.hpp"
#include "reproduce/f08_study.hpp"
#include "reproduce/j14_study.hpp"
#include "reproduce/operators_study.hpp"
#include "reproduce/s23_study.hpp"
#include "reproduce/study_report.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string paper;
  std::filesystem::path folder;
  double seconds = 5;
  bool json = false;
};

// The results of a paper's study.
struct Figure {
  std::string name, svg;
};
struct Outcome {
  std::string text;
  Json json;
  std::vector<Figure> figures;
};

Outcome study_f08(const Options&) {
  F08Study study;
  {
    Progress progress("counting operations", count_f08_parts());
    study = run_f08([&] { progress.advance(); });
  }
  return {to_text(study),
          to_json(study),
          {{"f08_bodies.svg", far_body_drawing(study)},
           {"f08_round_off.svg", round_off_chart(study)},
           {"f08_counts.svg", count_charts(study)},
           {"f08_branches.svg", branch_chart(study)}}};
}

Outcome study_s23(const Options&) {
  S23Study study;
  {
    Progress progress("counting operations", count_cases());
    study = run_s23([&] { progress.advance(); });
  }
  return {to_text(study),
          to_json(study),
          {{"s23_stems.svg", stem_charts(study)},
           {"s23_atlas.svg", robot_charts(study, '4')},
           {"s23_hands.svg", robot_charts(study, '5')}}};
}

Outcome study_j14(const Options& o) {
  J14Study study;
  {
    Progress progress("swinging pendulums", count_j14_ticks());
    study = run_j14(o.seconds, [&] { progress.advance(); });
  }
  return {to_text(study),
          to_json(study),
          {{"j14_snapshots.svg", pendulum_drawings(study)},
           {"j14_pendulum.svg", pendulum_charts(study)},
           {"j14_speed.svg", speed_charts(study)}}};
}

Outcome study_operators(const char* title, OperatorsStudy (*run)(const std::function<void()>&)) {
  OperatorsStudy study;
  {
    Progress progress(title, kOperatorParts);
    study = run([&] { progress.advance(); });
  }
  const std::string key = study.key == "J11" ? "j11" : "r92";
  return {to_text(study),
          to_json(study),
          {{key + "_patterns.svg", pattern_drawing(study)}, {key + "_costs.svg", cost_charts(study)}}};
}
Outcome study_r92(const Options&) { return study_operators("spatial operators", run_r92); }
Outcome study_j11(const Options&) { return study_operators("SKO models", run_j11); }

// A new study is a line here; `all` runs every one of them.
struct Study {
  const char *key, *title;
  Outcome (*run)(const Options&);
};
constexpr Study kStudies[] = {{"f08", "costs of the tree algorithms, round-off, sensitivity", study_f08},
                              {"r92", "spatial operators: patterns, lemmas, orders, misprints", study_r92},
                              {"j11", "SKO models: patterns, theorems, orders, recipes, misprints", study_j11},
                              {"s23", "the Delassus matrix of PV-OSIMr", study_s23},
                              {"j14", "contact in minimal coordinates", study_j14}};

void write_file(const Options& o, const std::string& name, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(o.folder, error);
  const std::filesystem::path file = o.folder / name;
  if (!(std::ofstream(file) << text).flush()) throw InputError("reproduce: cannot write " + file.string());
  if (!o.json) fmt::print("wrote {}\n", file.string());
}

// Without colours.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = text.find('m', i);
      if (i == std::string::npos) break;
    } else {
      out += text[i];
    }
  }
  return out;
}

int reproduce_one(const Options& o, const Study& study) {
  const Outcome out = study.run(o);
  fmt::print("{}", o.json ? write_short(out.json) : out.text);
  if (o.folder.empty()) return kOk;
  if (!o.json) fmt::print("\n");
  for (const Figure& f : out.figures) write_file(o, f.name, f.svg);
  return kOk;
}

// One page: each study with its tables, and its figures where there is a folder for them.
int reproduce_all(const Options& o) {
  std::string page = fmt::format(
      "# The papers, made again\n\nWritten by `sinew reproduce all` (sinew {}, {:g} s of simulated time a run).\n",
      SINEW_VERSION, o.seconds);
  Json all;
  for (const Study& study : kStudies) {
    if (!o.folder.empty() && !o.json) fmt::print("{}: {}\n", study.key, study.title);
    const Outcome out = study.run(o);
    page += fmt::format("\n## {}: {}\n\n```\n{}```\n", study.key, study.title, plain(out.text));
    all[study.key] = out.json;
    if (o.folder.empty()) continue;
    for (const Figure& f : out.figures) {
      write_file(o, f.name, f.svg);
      page += fmt::format("\n![{}]({})\n", f.name, f.name);
    }
  }
  if (!o.folder.empty()) write_file(o, "reproduce.md", page);
  if (o.json)
    fmt::print("{}", write_short(all));
  else if (o.folder.empty())
    fmt::print("{}", page);
  return kOk;
}

int run(const Options& o) {
  if (!(o.seconds > 0)) throw InputError("--for must be positive", kUsage);
  for (const Study& study : kStudies)
    if (o.paper == study.key) return reproduce_one(o, study);
  return reproduce_all(o);
}

}  // namespace

void add_reproduce(Command& sinew) {
  Command c = sinew.add("reproduce", "Make the tables and figures of a paper again");
  const auto o = std::make_shared<Options>();
  std::string help;
  std::vector<std::string> keys;
  for (const Study& study : kStudies) {
    help += fmt::format("{}: {}; ", study.key, study.title);
    keys.push_back(study.key);
  }
  keys.push_back("all");
  help += "all: one Markdown page with every one of them";
  c.option("paper", o->paper, help.c_str(), {.required = true, .one_of = keys});
  c.option("--out", o->folder, "Write the figures there, as SVG, and the page of `all`", {.type = "FOLDER"});
  c.option("--for", o->seconds, "j14: simulated time of each run; default 5", {.type = "S"});
  c.flag("--json", o->json, "Every number, as JSON");
  c.footer(
      "f08, s23: operations are counted while the algorithms run (multiplications, additions, divisions, square "
      "roots);\n"
      "those with a constant 0 or 1 are not counted. The robots are our own, with the trees of the paper's.\n"
      "j14: problem sizes of Tables 1 and 2, the colliding pendulum with 3 to 30 links, Fig. 6. Takes minutes, most "
      "of\n"
      "them in the formulation that the paper argues against.\n"
      "r92, j11: sparsity, every equation on random models, operations, misprints with the error of what is printed.\n"
      "Exit codes: 0 fine, 2 the figures cannot be written, 3 wrong usage.\n"
      "Examples:\n  sinew reproduce s23 --out docs/figures\n  sinew reproduce j14 --for 1\n"
      "  sinew reproduce all --out reproduced");
  c.run([o] { return run(*o); });
}

}  // namespace sinew::app
