// apps/sim/sim.cpp - `sinew sim`: a scene over time, with what it did to energy and how well its problems were solved
#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/output_file.hpp"
#include "common/page_file.hpp"
#include "common/png.hpp"
#include "common/refuse.hpp"
#include "common/temporary_folder.hpp"
#include "sim/run.hpp"
#include "sim/signals.hpp"
#include "sinew/io/flexible.hpp"

namespace sinew::app {
namespace {

int find_exit_code(const SimRun& r) {
  if (r.record_failed) return kNotSaved;
  if (!r.broken.empty()) return r.refused ? kRefused : kBroken;
  if (r.signal != 0) return 128 + r.signal;
  return r.totals.unsolved > 0 ? kUnsolved : kOk;
}

void write_report(const std::filesystem::path& record, OutputFile& file, bool json) {
  Report page;
  try {
    page = make_report({record});
  } catch (const std::invalid_argument& e) {
    throw InputError(std::string("--report: ") + e.what(), kNotSaved);
  }
  file.write(page.html);
  say_left_out(page.left_out);
  if (!json) fmt::print("wrote {}, {:.2g} MB\n", file.path().string(), 1e-6 * static_cast<double>(page.html.size()));
}

int run(const SceneInput& in, SimInput o) {
  const std::optional<Scene> scene = read_scene(in);
  if (!scene) return kRefused;
  if (!o.signals.empty() && o.plot.empty())
    throw InputError("--signal is for --plot; give the file to draw to", kUsage);
  if (!o.body.empty() && o.plot.empty()) throw InputError("--track is for --plot; give the file to draw to", kUsage);
  if (o.record.empty() && o.report.empty() && o.every != SimInput().every)
    throw InputError("--every is for --record and --report; give the file to write to", kUsage);
  if (o.record.empty() && (o.flush_seconds != SimInput().flush_seconds || o.force))
    throw InputError("--flush and --force are for --record; give the file to write to", kUsage);
  if (!o.report.empty()) check_page_name("--report", o.report);
  if (!o.report.empty() && o.record.extension() == ".csv")
    throw InputError("--report is made from an HDF5 record, but --record names a text file; end its name in .h5",
                     kUsage);
  if (const std::string ending = o.plot.extension().string();
      !ending.empty() && ending != ".svg" && !is_png(o.plot.string()))
    throw InputError(fmt::format("--plot {}: drawings are SVG or PNG; end the name in .svg or .png", o.plot.string()),
                     kUsage);
  if (is_png(o.plot.string())) check_png_maker();
  OutputFile plot("--plot", o.plot);
  OutputFile report("--report", o.report);
  OutputFile dump("--dump", in.dump);
  // A report is made from a record; one that nobody asked for goes away with this command.
  std::optional<TemporaryFolder> folder;
  if (report.named() && o.record.empty()) {
    folder.emplace();
    o.record = folder->path() / (in.model->file.stem().string() + ".h5");
  }
  std::optional<sko::FlexibleModel> flexible;
  if (!o.flexible.empty()) {
    const Result<FlexibleInput> read = load_flexible(o.flexible, scene->model);
    if (!read.ok()) return refuse(read.diagnostics(), o.flexible.string(), in.model->json);
    try {
      flexible.emplace(scene->model, read->bodies, read->attach);
    } catch (const std::invalid_argument& e) {
      throw InputError(e.what());
    }
    o.stepper.flexible = &*flexible;
  }
  WorstProblem worst;
  SimRun r = simulate(in, *scene, o, in.dump.empty() ? nullptr : &worst);
  if (folder) r.saved_rows = 0;
  const bool json = in.model->json;
  fmt::print("{}", json ? write_short(to_json(r)) : to_text(r));
  if (r.saved_rows > 0 && !json) fmt::print("wrote {}, up to t = {:g} s\n", o.record.string(), r.saved_time);
  if (plot.named()) {
    const std::string svg = to_svg(r.charts, 2);
    plot.write(is_png(o.plot.string()) ? to_png(svg) : svg);
    if (!json) fmt::print("wrote {}\n", o.plot.string());
  }
  if (report.named()) write_report(o.record, report, json);
  if (!r.broken.empty()) fmt::print(stderr, "sinew: {}\n", r.broken);
  if (r.totals.unsolved > 0) fmt::print(stderr, "sinew: {}\n", describe_trouble(r));
  if (r.signal != 0)
    fmt::print(stderr, "sinew: stopped by signal {} at t = {:g} s{}\n", r.signal, r.end.time,
               r.abandoned ? ", within the next step, which was abandoned: the state is that before it" : "");
  if (r.broken.empty() && r.signal == 0) write_worst(in, worst), dump.keep();
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
  c.option("--report", o->report, "Write the run as one HTML page: replay, plots, events (docs/report.md)",
           {.type = "FILE.html"});
  c.option("--every", o->every, "Steps per row of the record, or a time per row such as 0.01s", {.type = "N|Ss"});
  c.option("--resume", o->resume,
           "Go on from the last snapshot of a record; --for counts from its beginning. With --record of the same "
           "file the record goes on too",
           {.type = "FILE"});
  c.flag("--force", o->force, "Replace an existing record");
  c.option("--threads", o->threads,
           "That look for contacts and solve islands of bodies; 0: as many as the machine has; default 1. Results do "
           "not depend on it",
           {.type = "N", .range = kNotNegative});
  c.option("--flush", o->flush_seconds, "Wall clock between writes of the record; default 1",
           {.type = "S", .range = kNotNegative});
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
  c.option("--plot", o->plot, "Draw the run over time, as SVG or, by rsvg-convert, PNG", {.type = "FILE.svg|.png"});
  c.list("--signal", o->signals, kSignalHelp, {.type = "NAME", .separator = ','});
  c.option("--track", o->body, "The body of height and velocity; default: the last one", {.type = "NAME"});
  c.footer(
      "SCENE is a model file, pendulum:N for the pendulum of J14 with N links, or dual_arm for its dual arm over a "
      "table.\n"
      "Ctrl-C, SIGTERM and SIGHUP end the run at once, at its last whole step: record, summary and plot are complete.\n"
      "Exit codes: 0 fine, 2 the scene is refused, or cannot be simulated that way, 3 wrong usage, 5 a contact problem "
      "was not\nsolved, 6 a state or an energy was not finite, 7 the record could not be written, 128 + signal where "
      "one ended the run.\n"
      "Examples:\n  sinew sim robot.urdf --floating --floor --hold --for 5\n  sinew sim pendulum:12 --for 5 --plot "
      "pendulum.svg\n  sinew sim pendulum:12 --for 5 --report pendulum.html\n  sinew sim models/pendulum12.xml "
      "--restitution 0.7\n  sinew sim pendulum:12 --for 50 --record run.h5\n  sinew sim pendulum:12 --for 99 --record "
      "run.h5 "
      "--resume run.h5\n  sinew sim models/pendulum12.xml --integrator rkmk4 --dt 1e-3\n"
      "  sinew sim models/scenes/slide_to_roll.xml --law soft\n"
      "  sinew sim models/flexible/diving_board.xml --flexible models/flexible/diving_board.json --for 3");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
