// apps/sim/sim.cpp - `sinew sim`: a scene over time, with what it did to energy and how well its problems were solved
#include <fmt/format.h>

#include <fstream>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "sim/flexible_run.hpp"

namespace sinew::app {
namespace {

int find_exit_code(const SimRun& r) {
  if (r.record_failed) return kNotSaved;
  if (!r.broken.empty()) return r.refused ? kRefused : kBroken;
  return r.signal != 0 ? 128 + r.signal : kOk;
}

int run(const SceneInput& in, const SimInput& o) {
  const std::optional<Scene> scene = read_scene(in);
  if (!scene) return kRefused;
  if (!o.flexible.empty()) return run_flexible(in, *scene, o);
  WorstProblem worst;
  const SimRun r = simulate(in, *scene, o, in.dump.empty() ? nullptr : &worst);
  if (r.broken.empty() && r.signal == 0) write_worst(in, worst);
  const bool json = in.model->json;
  fmt::print("{}", json ? write_short(to_json(r)) : to_text(r));
  if (r.saved_rows > 0 && !json) fmt::print("wrote {}, up to t = {:g} s\n", o.record.string(), r.saved_time);
  if (!o.plot.empty()) {
    if (!(std::ofstream(o.plot) << charts(r)).flush()) throw InputError("cannot write " + o.plot.string());
    if (!json) fmt::print("wrote {}\n", o.plot.string());
  }
  if (!r.broken.empty()) fmt::print(stderr, "sinew: {}\n", r.broken);
  if (r.signal != 0) fmt::print(stderr, "sinew: stopped by signal {} at t = {:g} s\n", r.signal, r.end.time);
  return find_exit_code(r);
}

}  // namespace

void add_sim(Command& sinew) {
  Command c = sinew.add("sim", "Simulate a scene, with hard contact unless asked for another law");
  const auto in = add_scene_input(c, 1);
  const auto o = std::make_shared<SimInput>();
  c.option("--formulation", in->formulation, "nmc, mc, rmc, os (default), nmc_os or hinge_pairs", {.type = "NAME"});
  add_stepper_input(c, o->stepper);
  c.option("--record", o->record, "Write the run to this file: HDF5, or text if the name ends in .csv",
           {.type = "FILE"});
  c.option("--every", o->every, "Steps per row of the record, or a time per row such as 0.01s", {.type = "N|Ss"});
  c.option("--resume", o->resume,
           "Go on from the last snapshot of a record; --for counts from its beginning. With --record of the same "
           "file the record goes on too",
           {.type = "FILE"});
  c.flag("--force", o->force, "Replace an existing record");
  c.option("--flush", o->flush_seconds, "Wall clock between writes of the record; default 1", {.type = "S"});
  c.option(
      "--pushes", o->pushes,
      "Push a random body every 0.2 s with half the weight of its tree, for 0.05 s; the same for the same seed, in "
      "resumed runs too; 0: none",
      {.type = "SEED"});
  c.option(
      "--flexible", o->flexible,
      "Bodies that bend: a JSON file that names them, see docs/flexible.md. With --integrator step, or others where "
      "nothing touches",
      {.type = "FILE.json"});
  c.option("--plot", o->plot, "Height and velocity of a body, energies and contacts over time", {.type = "FILE.svg"});
  c.option("--track", o->body, "The body that is drawn; default: the last one", {.type = "NAME"});
  c.footer(
      "SCENE is a model file, pendulum:N for the pendulum of J14 with N links, or dual_arm for its dual arm over a "
      "table.\n"
      "Ctrl-C and SIGTERM end the run between two steps: record, summary and plot are complete.\n"
      "Exit codes: 0 fine, 2 the scene is refused, or cannot be simulated that way, 3 wrong usage, 6 a state was "
      "not finite,\n"
      "7 the record could not be written, 128 + signal where one ended the run.\n"
      "Examples:\n  sinew sim pendulum:12 --for 5 --plot pendulum.svg\n  sinew sim models/pendulum12.xml --restitution "
      "0.7\n  sinew sim pendulum:12 --for 50 --record run.h5\n  sinew sim pendulum:12 --for 99 --record run.h5 "
      "--resume run.h5\n  sinew sim models/pendulum12.xml --integrator rkmk4 --dt 1e-3\n"
      "  sinew sim models/scenes/slide_to_roll.xml --law soft\n"
      "  sinew sim models/flexible/diving_board.xml --flexible models/flexible/diving_board.json --for 3");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
