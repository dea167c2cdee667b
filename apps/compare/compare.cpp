// apps/compare/compare.cpp - `sinew compare`: one scene in all formulations of J14, side by side
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/output_file.hpp"
#include "common/progress.hpp"
#include "common/scene.hpp"
#include "common/terminal.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

struct Lane {
  Formulation formulation;
  std::string refused;  // why it cannot run; empty: it can
  std::string broken;   // why it ended early; empty: it did not
  double wall = 0;      // [s]
  SimulationTotals totals;
  double difference = 0,
         at_end = 0;  // [rad, m] largest difference of coordinates from the first lane: ever, at the end
  std::vector<State> samples;
};

std::vector<Formulation> read_formulations(const std::vector<std::string>& names) {
  std::vector<Formulation> out;
  for (const std::string& name : names) {
    const auto f = find_formulation(name);
    if (!f)
      throw InputError("--formulation: there is no '" + name + "'; known: nmc, mc, rmc, os, nmc_os, hinge_pairs",
                       kUsage);
    if (std::find(out.begin(), out.end(), *f) == out.end()) out.push_back(*f);
  }
  if (out.empty()) out = {Formulation::os, Formulation::rmc, Formulation::mc, Formulation::nmc_os, Formulation::nmc};
  return out;
}

void run_lane(const SceneInput& in, const Scene& scene, SimulationOptions options, Progress& progress,
              WorstProblem* worst, Lane& lane) {
  constexpr long kSamples = 200;
  options.formulation = lane.formulation;
  const ConstraintSet set(scene.model);
  try {
    Simulation s(scene.model, set, options);
    s.state = scene.start, s.control = scene.control;
    if (worst) s.set_watch([worst](const auto& problem, const auto& c) { worst->see(problem, c); });
    const std::optional<ControlTrack> control = read_control(in, scene.model);
    const long steps = count_steps(in, s.options().dt), stride = std::max(1L, steps / kSamples);
    for (long i = 0; i < steps; ++i) {
      const auto start = std::chrono::steady_clock::now();
      if (control) {
        control->set(s.state.time, s.control, s.applied);
        if (control->moves()) control->move(s.state.time + s.step_length(), s.mocap);
      }
      s.step();
      lane.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (i % stride == 0 || i + 1 == steps) lane.samples.push_back(s.state);
      if ((i + 1) * 100 / steps != i * 100 / steps) progress.advance();
    }
    lane.totals = s.totals();
  } catch (const std::invalid_argument& e) {
    lane.refused = e.what();
  } catch (const std::runtime_error& e) {  // not finite
    lane.broken = e.what();
  }
}

// Against the first lane that ran.
void compare_states(const Model& m, const Lane& first, Lane& lane) {
  std::vector<double> d(static_cast<std::size_t>(m.nv()));
  for (std::size_t i = 0; i < std::min(lane.samples.size(), first.samples.size()); ++i) {
    difference(m, first.samples[i].q, lane.samples[i].q, d);
    lane.at_end = 0;
    for (const double x : d) lane.at_end = std::max(lane.at_end, std::abs(x));
    lane.difference = std::max(lane.difference, lane.at_end);
  }
}

std::string to_text(const std::vector<Lane>& lanes, double dt) {
  const Lane& first = lanes.front();
  std::string out = fmt::format("{} steps of {:g} s; times are microseconds per step\n", first.totals.steps, dt);
  out += fmt::format("{:<12}{:>6}{:>10}{:>10}{:>10}{:>10}{:>8}{:>11}{:>10}{:>11}{:>11}\n", "", "size", "assembly",
                     "solution", "recovery", "all", "times", "residual", "unsolved", "worst diff", "end diff");
  for (const Lane& l : lanes) {
    if (!l.refused.empty()) {
      out += fmt::format("{:<12}  refused: {}\n", to_string(l.formulation), l.refused);
      continue;
    }
    const SimulationTotals& t = l.totals;
    const double us = 1e6 / static_cast<double>(std::max(1L, t.steps));
    out += fmt::format("{:<12}{:>6}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}{:>8.2f}{:>11.1e}{:>10}{:>11.1e}{:>11.1e}\n",
                       to_string(l.formulation), t.largest_size, t.assembly * us, t.solution * us, t.recovery * us,
                       l.wall * us, l.wall / first.wall, t.worst_residual, t.unsolved, l.difference, l.at_end);
  }
  return out + fmt::format("size: unknowns of the largest problem. diff: of coordinates, against {} [rad, m].\n",
                           to_string(first.formulation));
}

Json to_json(const std::vector<Lane>& lanes) {
  Json out = Json::array();
  for (const Lane& l : lanes) {
    const SimulationTotals& t = l.totals;
    if (!l.refused.empty())
      out.push_back({{"formulation", to_string(l.formulation)}, {"refused", l.refused}});
    else
      out.push_back({{"formulation", to_string(l.formulation)},
                     {"steps", t.steps},
                     {"size", t.largest_size},
                     {"problems", t.problems},
                     {"assembly_seconds", t.assembly},
                     {"solution_seconds", t.solution},
                     {"recovery_seconds", t.recovery},
                     {"wall_seconds", l.wall},
                     {"worst_residual", t.worst_residual},
                     {"unsolved", t.unsolved},
                     {"broken", l.broken},
                     {"worst_difference", l.difference},
                     {"end_difference", l.at_end}});
  }
  return {{"formulations", out}};
}

int run(const SceneInput& in, const std::vector<std::string>& names) {
  const std::optional<Scene> scene = read_scene(in);
  if (!scene) return kRefused;
  const SimulationOptions options = make_options(in);
  const ConstraintSet set(scene->model);
  const double dt = make_simulation(scene->model, set, options).options().dt;  // says what is wrong with the scene
  count_steps(in, dt);
  OutputFile dump("--dump", in.dump);
  std::vector<Lane> lanes;
  for (const Formulation f : read_formulations(names)) lanes.push_back({f, {}, {}, 0, {}, 0, 0, {}});
  WorstProblem worst;
  {
    Progress progress("comparing", 100 * static_cast<int>(lanes.size()));
    for (Lane& l : lanes) run_lane(in, *scene, options, progress, in.dump.empty() ? nullptr : &worst, l);
  }
  const auto first = std::find_if(lanes.begin(), lanes.end(), [](const Lane& l) { return l.refused.empty(); });
  if (first == lanes.end()) throw InputError("no formulation can run this scene: " + lanes.front().refused);
  std::rotate(lanes.begin(), first, first + 1);
  for (Lane& l : lanes) compare_states(scene->model, lanes.front(), l);
  fmt::print("{}", in.model->json ? write_short(to_json(lanes)) : to_text(lanes, dt));
  int code = kOk;
  for (const Lane& l : lanes) {
    if (!l.broken.empty()) {
      fmt::print(stderr, "sinew: {}: {}\n", to_string(l.formulation), l.broken);
      code = kBroken;
    } else if (l.totals.unsolved > 0) {
      fmt::print(stderr, "sinew: {}: {} of {} problems were not solved; worst relative residual {:.1e}\n",
                 to_string(l.formulation), l.totals.unsolved, l.totals.problems, l.totals.worst_residual);
      code = std::max(code, kUnsolved);
    }
  }
  if (code != kBroken) write_worst(in, worst), dump.keep();
  return code;
}

}  // namespace

void add_compare(Command& sinew) {
  Command c = sinew.add("compare", "Run one scene in the formulations of J14, side by side");
  const auto in = add_scene_input(c, 1);
  const auto names = std::make_shared<std::vector<std::string>>();
  c.list("--formulation", *names,
         "nmc, mc, rmc, os, nmc_os, hinge_pairs; may be repeated, or a list with commas. Default: all but "
         "hinge_pairs. The others are compared with the first",
         {.type = "NAME", .separator = ','});
  c.footer(
      "SCENE is a model file, pendulum:N for the pendulum of J14 with N links, or dual_arm for its dual arm over a "
      "table.\n"
      "Exit codes: 0 fine, 2 the scene is refused or cannot be stepped, 3 wrong usage, 5 a problem was not solved, 6 "
      "not "
      "finite.\n"
      "Example:\n  sinew compare pendulum:12 --for 0.5 --directions 4");
  c.run([in, names] { return run(*in, *names); });
}

}  // namespace sinew::app
