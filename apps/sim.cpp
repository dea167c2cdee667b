// apps/sim.cpp - `sinew sim`: a scene over time, with what it did to energy and how well its problems were solved
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "input_error.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "scene.hpp"
#include "svg_chart.hpp"
#include "terminal.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string body;
  std::filesystem::path plot;
};
struct Run {
  double dt = 0, seconds = 0, wall = 0, energy_before = 0, energy_after = 0;
  SimulationTotals totals;
  State end;
  Track track;

  double accounted() const { return totals.collision_energy + totals.contact_work + totals.applied_work; }
  double unaccounted() const { return energy_after - energy_before - accounted(); }
};

int find_tracked(const Model& m, const std::string& name) {
  if (name.empty()) return static_cast<int>(m.bodies().size()) - 1;
  const auto body = m.find_body(name);
  if (!body) throw InputError("--track: there is no body '" + name + "'", kUsage);
  return *body;
}

Run simulate(const Scene& scene, const SimulationOptions& options, double seconds, const std::string& body,
             WorstProblem* worst) {
  constexpr int kSamples = 1000;
  const ConstraintSet set(scene.model);
  Simulation s = make_simulation(scene.model, set, options);
  for (const std::string& remark : s.shapes().remarks()) fmt::print(stderr, "note: {}\n", remark);
  s.state = scene.start;
  if (worst) s.set_watch([worst](const auto& problem, const auto& c) { worst->see(problem, c); });
  Run run;
  run.dt = s.options().dt;
  run.energy_before = s.kinetic_energy() + s.potential_energy();
  const int tracked = find_tracked(scene.model, body);
  run.track.body = scene.model.bodies()[static_cast<std::size_t>(tracked)].name;
  const long steps = std::lround(seconds / run.dt), stride = std::max(1L, steps / kSamples);
  Progress progress("simulating", 100);
  for (long i = 0; i < steps; ++i) {
    if (i % stride == 0) run.track.add(s, scene.model, tracked);
    const auto start = std::chrono::steady_clock::now();
    s.step();
    run.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if ((i + 1) * 100 / steps != i * 100 / steps) progress.advance();
  }
  run.track.add(s, scene.model, tracked);
  run.energy_after = s.kinetic_energy() + s.potential_energy();
  run.seconds = static_cast<double>(steps) * run.dt;
  run.totals = s.totals();
  run.end = s.state;
  return run;
}

std::string to_text(const Run& r) {
  const SimulationTotals& t = r.totals;
  const double per_step = 1e6 / static_cast<double>(std::max(1L, t.steps));
  std::string out = fmt::format("{} steps of {:g} s: {:g} s in {:.3g} s, {:.3g} x real time\n", t.steps, r.dt,
                                r.seconds, r.wall, r.seconds / r.wall);
  out += fmt::format("contacts          in {} steps, at most {} at once; {} collisions\n", t.contact_steps,
                     t.most_contacts, t.collisions);
  out += fmt::format("problems          {}, at most {} unknowns; unsolved {}; worst relative residual {:.1e}\n",
                     t.problems, t.largest_size, t.unsolved, t.worst_residual);
  out += fmt::format("penetration       at most {:.1e} m\n", t.deepest);
  out += fmt::format("energy            {:.6g} J -> {:.6g} J\n", r.energy_before, r.energy_after);
  out += fmt::format("  collisions      {:+.6g} J{}\n", t.collision_energy,
                     t.collisions > 0 ? fmt::format(" (the largest change of one: {:+.2g} J)", t.largest_gain) : "");
  out += fmt::format("  contacts        {:+.6g} J\n", t.contact_work);
  out += fmt::format("  unaccounted for {:+.2g} J, the error of the integrator\n", r.unaccounted());
  out += fmt::format(
      "a step            {:.1f} us: detection {:.2f}, assembly {:.2f}, solution {:.2f}, recovery {:.2f}\n",
      r.wall * per_step, t.detection * per_step, t.assembly * per_step, t.solution * per_step, t.recovery * per_step);
  return out;
}

Json to_json(const Run& r) {
  const SimulationTotals& t = r.totals;
  return {{"steps", t.steps},
          {"dt", r.dt},
          {"seconds", r.seconds},
          {"wall_seconds", r.wall},
          {"real_time_factor", r.seconds / r.wall},
          {"contact_steps", t.contact_steps},
          {"most_contacts", t.most_contacts},
          {"collisions", t.collisions},
          {"problems", t.problems},
          {"unsolved", t.unsolved},
          {"largest_size", t.largest_size},
          {"worst_residual", t.worst_residual},
          {"penetration", t.deepest},
          {"energy",
           {{"before", r.energy_before},
            {"after", r.energy_after},
            {"collisions", t.collision_energy},
            {"largest_change", t.largest_gain},
            {"contacts", t.contact_work},
            {"unaccounted", r.unaccounted()}}},
          {"q", r.end.q},
          {"v", r.end.v}};
}

std::string charts(const Run& r) {
  const Track& t = r.track;
  std::vector<double> total(t.time.size());
  std::transform(t.kinetic.begin(), t.kinetic.end(), t.potential.begin(), total.begin(), std::plus<>());
  return to_svg({{"height of " + t.body, "time [s]", "m", {{t.body, t.time, t.height}}},
                 {"vertical velocity of " + t.body, "time [s]", "m/s", {{t.body, t.time, t.velocity}}},
                 {"energy",
                  "time [s]",
                  "J",
                  {{"total", t.time, total}, {"kinetic", t.time, t.kinetic}, {"potential", t.time, t.potential}}},
                 {"contacts", "time [s]", "contacts in the step", {{"contacts", t.time, t.contacts}}}},
                2);
}

int run(const SceneInput& in, const Options& o) {
  const std::optional<Scene> scene = read_scene(in);
  if (!scene) return kRefused;
  WorstProblem worst;
  const Run r = simulate(*scene, make_options(in), in.seconds, o.body, in.dump.empty() ? nullptr : &worst);
  write_worst(in, worst);
  fmt::print("{}", in.model->json ? write_short(to_json(r)) : to_text(r));
  if (o.plot.empty()) return kOk;
  if (!(std::ofstream(o.plot) << charts(r)).flush()) throw InputError("cannot write " + o.plot.string());
  if (!in.model->json) fmt::print("wrote {}\n", o.plot.string());
  return kOk;
}

}  // namespace

void add_sim(Command& sinew) {
  Command c = sinew.add("sim", "Simulate a scene with hard contact");
  const auto in = add_scene_input(c, 1);
  const auto o = std::make_shared<Options>();
  c.option("--formulation", in->formulation, "nmc, mc, rmc, os (unless said otherwise), nmc_os or hinge_pairs",
           {.type = "NAME"});
  c.option("--plot", o->plot, "Height and velocity of a body, energies and contacts over time", {.type = "FILE.svg"});
  c.option("--track", o->body, "The body that is drawn; the last one unless said otherwise", {.type = "NAME"});
  c.footer(
      "SCENE is a model file, pendulum:N for the pendulum of J14 with N links, or dual_arm for its dual arm over a "
      "table. Spheres and planes touch, so far.\n"
      "Exit codes: 0 fine, 2 the scene is refused or cannot be stepped, 3 wrong usage.\n"
      "Examples:\n  sinew sim pendulum:12 --for 5 --plot pendulum.svg\n  sinew sim models/pendulum12.xml --restitution "
      "0.7");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
