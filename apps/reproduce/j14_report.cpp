// apps/reproduce/j14_report.cpp
#include <fmt/format.h>

#include <cmath>

#include "common/svg_chart.hpp"
#include "common/svg_drawing.hpp"
#include "common/terminal.hpp"
#include "reproduce/j14_study.hpp"
#include "reproduce/study_report.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

// What the paper's Table 2 says.
struct PaperRow {
  int links;
  double os, nmc_os;  // [s]
};
constexpr PaperRow kPaper[] = {{3, 13.33, 47.79},   {6, 10.50, 68.71},    {12, 19.06, 305.28},
                               {15, 21.76, 558.10}, {24, 38.20, 1899.86}, {30, 73.74, 4100.51}};

double per_step(double seconds, const PendulumRun& r) { return 1e6 * seconds / static_cast<double>(r.totals.steps); }
double speed_up(const PendulumRow& r) { return r.nmc_os.wall / r.os.wall; }

// Of time over links, between two rows.
double exponent(double t1, double t2, const PendulumRow& r1, const PendulumRow& r2) {
  return std::log(t2 / t1) / std::log(static_cast<double>(r2.links) / r1.links);
}
std::string spent(const PendulumRun& r) {
  return fmt::format("{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}{:>9.2f}", per_step(r.totals.detection, r),
                     per_step(r.totals.assembly, r), per_step(r.totals.solution, r), per_step(r.totals.recovery, r),
                     per_step(r.wall, r));
}

std::string table_2(const J14Study& s) {
  std::string out;
  for (std::size_t i = 0; i < s.table.size(); ++i) {
    const PendulumRow& r = s.table[i];
    out += fmt::format("{:>4}{:>6}{:>8}{:>6}{:>11.3f}{:>11.3f}{:>10.1f}{:>10.1f}{:>12}{:>8}\n", r.links, r.sizes.os,
                       r.sizes.nmc_os, r.sizes.nmc, r.os.wall, r.nmc_os.wall, speed_up(r),
                       kPaper[i].nmc_os / kPaper[i].os, r.os.totals.collisions, r.os.totals.most_contacts);
  }
  return out;
}

}  // namespace

std::string to_text(const J14Study& s) {
  const Paint paint(stdout);
  const ProblemSizes& d = s.dual_arm;
  std::string out = paint.bold("J14 Table 1: unknowns, dual arm with 26 links, 4 contacts, 4 directions") + "\n";
  out += fmt::format("  NMC {}  MC {}  RMC {}  OS {}      the paper: 310, 50, 24, 24\n\n", d.nmc, d.mc, d.rmc, d.os);

  out += paint.bold(fmt::format("J14 Table 2: pendulum, sizes with 4 contacts, {:g} s of steps of {:g} s", s.seconds,
                                kPaperStep)) +
         "\n";
  out += fmt::format("{:>4}{:>6}{:>8}{:>6}{:>11}{:>11}{:>10}{:>10}{:>12}{:>8}\n", "n", "OS", "NMC/OS", "NMC", "OS [s]",
                     "NMC/OS [s]", "speed-up", "paper's", "collisions", "at once");
  out += table_2(s);
  const PendulumRow &first = s.table.front(), &middle = s.table[2], &last = s.table.back();
  out += fmt::format(
      "  (OS: the middle one of seven runs, around the one in NMC/OS)\n  time over n: NMC/OS exponent {:.2f} from 12 "
      "to 30 links (the paper: 2.83), {:.2f} from 3 (1.93);\n"
      "               OS     exponent {:.2f} from 12 to 30 links (the paper: 1.48), {:.2f} from 3 (0.74)\n",
      exponent(middle.nmc_os.wall, last.nmc_os.wall, middle, last),
      exponent(first.nmc_os.wall, last.nmc_os.wall, first, last), exponent(middle.os.wall, last.os.wall, middle, last),
      exponent(first.os.wall, last.os.wall, first, last));
  out += "  where it goes, microseconds a step: detection, assembly, solution, recovery, all\n";
  for (const PendulumRow& r : s.table)
    out += fmt::format("{:>6}  OS {}   NMC/OS {}\n", r.links, spent(r.os), spent(r.nmc_os));
  out += "  energy: the largest change in any collision, worst residual, unsolved problems (OS; NMC/OS)\n";
  for (const PendulumRow& r : s.table)
    out += fmt::format("{:>6}  {:+.2e} J {:.1e} {}; {:+.2e} J {:.1e} {}\n", r.links, r.os.totals.largest_gain,
                       r.os.totals.worst_residual, r.os.totals.unsolved, r.nmc_os.totals.largest_gain,
                       r.nmc_os.totals.worst_residual, r.nmc_os.totals.unsolved);

  out += "\n" + paint.bold(fmt::format("J14 Fig. 6: the last of 12 links; NMC/OS in maximal coordinates")) + "\n";
  for (const FigureRun& f : s.figure)
    out +=
        fmt::format("  dt {:.0e} s: heights differ by at most {:.2e} m until {:g} s; hinges open by at most {:.1e}\n",
                    f.dt, f.difference, s.until, f.hinge_error);
  return out;
}

Json to_json(const J14Study& s) {
  const auto sizes = [](const ProblemSizes& z) -> Json {
    return {{"nmc", z.nmc}, {"mc", z.mc}, {"rmc", z.rmc}, {"os", z.os}, {"nmc_os", z.nmc_os}};
  };
  const auto run = [](const PendulumRun& r) -> Json {
    return {{"wall_seconds", r.wall},
            {"steps", r.totals.steps},
            {"detection_seconds", r.totals.detection},
            {"assembly_seconds", r.totals.assembly},
            {"solution_seconds", r.totals.solution},
            {"recovery_seconds", r.totals.recovery},
            {"collisions", r.totals.collisions},
            {"most_contacts", r.totals.most_contacts},
            {"largest_change_of_energy", r.totals.largest_gain},
            {"worst_residual", r.totals.worst_residual},
            {"unsolved", r.totals.unsolved}};
  };
  Json out = {{"dual_arm", sizes(s.dual_arm)}, {"seconds", s.seconds}, {"dt", kPaperStep}};
  for (const Snapshot& shot : s.snapshots)
    out["snapshots"].push_back({{"time", shot.time}, {"radius", shot.radius}, {"x", shot.x}, {"z", shot.z}});
  for (const PendulumRow& r : s.table)
    out["pendulum"].push_back({{"links", r.links},
                               {"sizes", sizes(r.sizes)},
                               {"os", run(r.os)},
                               {"nmc_os", run(r.nmc_os)},
                               {"speed_up", speed_up(r)}});
  for (const FigureRun& f : s.figure)
    out["figure"].push_back({{"dt", f.dt},
                             {"until", s.until},
                             {"largest_difference", f.difference},
                             {"hinge_error", f.hinge_error},
                             {"time", f.os.time},
                             {"height_os", f.os.height},
                             {"height_nmc_os", f.nmc_os.height}});
  return out;
}

std::string pendulum_drawings(const J14Study& s) {
  const mechanisms::PendulumOptions scene;
  std::vector<Drawing> drawings;
  for (const Snapshot& shot : s.snapshots) {
    Drawing d{fmt::format("{:.2f} s", shot.time), -9, scene.wall + 0.6, -0.4, scene.height + 1, {}, {}, {}};
    d.strokes.push_back({{-9, scene.wall, scene.wall}, {0, 0, scene.height + 1}, false, false});  // floor and wall
    for (std::size_t i = 0; i < shot.x.size(); ++i) d.discs.push_back({shot.x[i], shot.z[i], shot.radius, true});
    d.discs.push_back({0, scene.height, 0.12, false});
    drawings.push_back(std::move(d));
  }
  return to_svg(drawings, 4, 220);
}

std::string pendulum_charts(const J14Study& s) {
  const FigureRun* paper = &s.figure.front();
  for (const FigureRun& f : s.figure)
    if (f.dt == kPaperStep) paper = &f;
  Chart gaps{"difference of the heights, by step [ms]", "time [s]", "m", {}, true};
  for (const FigureRun& f : s.figure) {
    Series line{fmt::format("{:g}", 1e3 * f.dt), {}, {}};
    for (std::size_t i = 0; i < std::min(f.os.time.size(), f.nmc_os.time.size()); ++i) {
      line.x.push_back(f.os.time[i]);
      line.y.push_back(std::max(1e-10, std::abs(f.os.height[i] - f.nmc_os.height[i])));
    }
    gaps.series.push_back(std::move(line));
  }
  const auto both = [&](std::vector<double> Track::*what) -> std::vector<Series> {
    return {{"OS", paper->os.time, paper->os.*what}, {"NMC/OS", paper->nmc_os.time, paper->nmc_os.*what}};
  };
  return to_svg({{"height of the last link", "time [s]", "m", both(&Track::height)},
                 {"vertical velocity", "time [s]", "m/s", both(&Track::velocity)},
                 gaps},
                3);
}

std::string speed_charts(const J14Study& s) {
  Series os{"OS", {}, {}}, nmc_os{"NMC/OS", {}, {}}, ours{"ours", {}, {}}, theirs{"the paper's", {}, {}};
  for (std::size_t i = 0; i < s.table.size(); ++i) {
    const PendulumRow& r = s.table[i];
    for (Series* line : {&os, &nmc_os, &ours, &theirs}) line->x.push_back(r.links);
    os.y.push_back(per_step(r.os.wall, r.os)), nmc_os.y.push_back(per_step(r.nmc_os.wall, r.nmc_os));
    ours.y.push_back(speed_up(r)), theirs.y.push_back(kPaper[i].nmc_os / kPaper[i].os);
  }
  return to_svg({{"time of a step", "links", "microseconds", {os, nmc_os}, true},
                 {"speed-up of OS over NMC/OS", "links", "times", {ours, theirs}}},
                2);
}

}  // namespace sinew::app
