// apps/sim/run.cpp
#include "sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "common/contradiction.hpp"
#include "common/input_error.hpp"
#include "common/obstacles.hpp"
#include "common/progress.hpp"
#include "sim/signals.hpp"
#include "sim/stop_signal.hpp"
#include "sinew/batch/parallel_contacts.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/io/record.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::app {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr const char* kEnergyBefore = "run/energy_before";

// "10" is ten steps, "0.01s" as many as that takes.
long read_every(const std::string& text, double dt) {
  double x = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, x);
  const bool seconds = error == std::errc() && end - stop == 1 && *stop == 's';
  const double steps = seconds ? std::round(x / dt) : x;
  if (error != std::errc() || (!seconds && stop != end) || !(steps >= 1) || steps > 1e15 || steps != std::floor(steps))
    throw InputError(
        "--every is '" + text + "', but must be a number of steps, or a time of at least one step, as in 0.01s",
        kUsage);
  return static_cast<long>(steps);
}

// The first few; a robot may have a mesh per link. `more`: where the rest is to be seen.
void say_first(std::span<const std::string> remarks, const std::string& more) {
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, remarks.size()); ++i) fmt::print(stderr, "note: {}\n", remarks[i]);
  if (remarks.size() > kShown) fmt::print(stderr, "note: and {} more {}\n", remarks.size() - kShown, more);
}

// One run from the first to the last step: the simulation, its record, plot and progress.
class Runner {
 public:
  Runner(const SceneInput& in, const Scene& scene, const SimInput& o, WorstProblem* worst)
      : scene_(scene),
        control_(read_control(in, scene.model)),
        set_(scene.model),
        s_(make_stepper(in, o.stepper, scene.model, set_)),
        steps_in_time_(dynamic_cast<Simulation*>(s_.get())) {
    say_first(s_->shapes().remarks(), "remarks on shapes: sinew check " + in.model->file.string());
    if (o.threads != 1) use_threads(*s_, threads_.emplace(o.threads));
    if (worst && steps_in_time_)
      steps_in_time_->set_watch([worst](const auto& problem, const auto& c) { worst->see(problem, c); });
    if (!o.plot.empty()) signals_.emplace(*s_, o.signals, o.body.empty() ? scene.model.bodies().back().name : o.body);
    run_.dt = s_->step_length(), run_.options = s_->describe();
    run_.scene = in.model->file.string(), run_.notes = scene.notes;
    run_.prescribed = std::any_of(scene.model.nodes().begin(), scene.model.nodes().end(),
                                  [](const Node& n) { return n.joint.kind == JointKind::prescribed; }) ||
                      s_->mocap.any();
    missing_inertia_ = find_missing_inertia(scene.model, scene.start.q, scene.start.time);
    if (!missing_inertia_.empty()) fmt::print(stderr, "sinew: {}\n", missing_inertia_);
    contradiction_ = find_contradiction(scene.model, set_, scene.start);
    if (!contradiction_.empty()) fmt::print(stderr, "sinew: {}\n", contradiction_);
    try {
      begin(in, o);
    } catch (const std::invalid_argument& e) {
      throw InputError(e.what());
    } catch (const RecordError& e) {
      throw InputError(e.what());
    }
    steps_ = count_steps(in, run_.dt);
    if (steps_ < s_->totals().steps)
      throw InputError(fmt::format("--for {:g} is over already: {} holds {:g} s, so --for must be longer", in.seconds,
                                   o.resume.string(), static_cast<double>(s_->totals().steps) * run_.dt),
                       kUsage);
  }

  SimRun run() {
    StopSignal stop;
    s_->interrupt = stop.interrupt();
    started_ = Clock::now(), begun_ = static_cast<double>(s_->totals().steps) * run_.dt;
    const long first = s_->totals().steps;
    if (signals_) signals_->sample();
    try {
      for (long i = first; i < steps_ && stop.get() == 0; ++i) {
        step();
        if (signals_) signals_->sample();
        if (!is_energy_finite()) {
          run_.broken = fmt::format(
              "the kinetic energy is not finite after step {}, at t = {:g} s: velocities are too "
              "large; take a shorter step, or see what drives the scene",
              s_->totals().steps, s_->state.time);
          break;
        }
        if (progress_.on()) show();
      }
    } catch (const RecordError& e) {
      fail_record(e);
    } catch (const Interrupted&) {
      run_.abandoned = true;
    } catch (const StepRefused& e) {
      run_.broken = e.what(), run_.refused = true;
    } catch (const std::invalid_argument& e) {  // the stepper refuses the state to start from
      run_.broken = e.what(), run_.refused = true;
    } catch (const std::runtime_error& e) {
      run_.broken = e.what();
    }
    if (!run_.broken.empty() && !missing_inertia_.empty()) run_.broken += ". Likely reason: " + missing_inertia_;
    stop.ended();
    run_.signal = stop.get();
    run_.steps_here = s_->totals().steps - first;
    try {
      if (record_ && !run_.record_failed) record_->finish();
    } catch (const RecordError& e) {
      fail_record(e);
    }
    note_end();
    return std::move(run_);
  }

 private:
  void begin(const SceneInput& in, const SimInput& o) {
    if (o.pushes != 0) {
      if (scene_.model.nv() == 0) throw InputError("--pushes: no body of the scene moves", kUsage);
      if (o.stepper.flexible) throw InputError("--pushes is for rigid bodies; leave it out with --flexible", kUsage);
      pushes_.emplace(scene_.model, o.pushes, run_.dt);
    }
    // Modes begin at rest.
    std::copy(scene_.start.q.begin(), scene_.start.q.end(), s_->state.q.begin());
    std::copy(scene_.start.v.begin(), scene_.start.v.end(), s_->state.v.begin());
    s_->state.time = scene_.start.time, s_->state.activation = scene_.start.activation;
    if (!scene_.control.empty()) s_->control = scene_.control;
    double energy = s_->kinetic_energy() + s_->potential_energy();
    if (!o.resume.empty()) {
      if (!steps_in_time_)
        throw InputError("--resume goes on with --integrator step only; other runs start from the beginning", kUsage);
      const Snapshot from = read_last_snapshot(o.resume);
      steps_in_time_->restore(from);
      if (from.find(kEnergyBefore)) energy = from.reals(kEnergyBefore).at(0);
    }
    run_.energy_before = energy;
    if (o.record.empty()) return;
    RecordOptions options;
    options.every = read_every(o.every, run_.dt);
    options.flush_seconds = o.flush_seconds;
    options.overwrite = o.force;
    options.resume =
        !o.resume.empty() && std::filesystem::exists(o.record) && std::filesystem::equivalent(o.resume, o.record);
    options.scene = in.model->file.string();
    if (in.model->file != "-") options.source = read_input_file(in.model->file).bytes;
    options.command = command_line();
    record_.emplace(o.record, scene_.model, *s_, options);
    say_first(record_->left_out(), "sensors that are not recorded: sensors/left_out in the record");
    record_->extend = [energy = run_.energy_before](Snapshot& s) { s.set(kEnergyBefore, std::vector<double>{energy}); };
  }

  void step() {
    const auto start = Clock::now();
    if (pushes_) pushes_->calc(s_->totals().steps, s_->state, s_->external);
    if (control_) {
      control_->set(s_->state.time, s_->control, s_->applied);
      if (control_->moves()) control_->move(s_->state.time + s_->step_length(), s_->mocap);
    }
    const StepReport& report = s_->step();
    run_.wall += since(start);
    if (report.unsolved > 0) note_trouble(report);
    if (record_) record_->add(report);
  }

  void note_trouble(const StepReport& report) {
    Trouble& t = run_.trouble;
    t.worst = std::max(t.worst, report.residual);
    if (t.first >= 0) return;
    t.first = s_->state.time;
    t.reason = find_reason(*s_, contradiction_);
  }
  // Squares of finite velocities may overflow.
  bool is_energy_finite() {
    constexpr double kFast = 1e140;
    const std::vector<double>& v = s_->state.v;
    return std::all_of(v.begin(), v.end(), [](double x) { return std::abs(x) < kFast; }) ||
           std::isfinite(s_->kinetic_energy());
  }

  void fail_record(const RecordError& e) {
    run_.record_failed = true;
    run_.broken = fmt::format("{}; the record holds the run up to t = {:g} s, resume it from there", e.what(),
                              record_->saved_time());
  }

  // Ten times a second: how far, how fast, how many contacts, and what takes longest.
  void show() {
    if (since(shown_) < 0.1) return;
    shown_ = Clock::now();
    const SimulationTotals& t = s_->totals();
    const std::pair<double, const char*> phases[] = {
        {t.detection, "detection"}, {t.assembly, "assembly"}, {t.solution, "solution"}, {t.recovery, "recovery"}};
    const auto slowest = std::max_element(std::begin(phases), std::end(phases));
    const double done = static_cast<double>(t.steps) * run_.dt,
                 all = t.detection + t.assembly + t.solution + t.recovery;
    progress_.show(static_cast<double>(t.steps) / static_cast<double>(steps_),
                   fmt::format("{:.4g}/{:.4g} s, {:.3g} x real time, {} contacts, {} {:.0f} %", done,
                               static_cast<double>(steps_) * run_.dt, (done - begun_) / since(started_),
                               s_->contacts().size(), slowest->second, all > 0 ? 100 * slowest->first / all : 0));
  }

  void note_end() {
    if (signals_) run_.charts = signals_->charts();
    run_.kinetic = s_->kinetic_energy(), run_.potential = s_->potential_energy();
    run_.unaccounted_momentum = s_->unaccounted_momentum();
    run_.totals = s_->totals();
    run_.end = s_->state, run_.modes = s_->extra_coordinates();
    if (const EmbeddingReport* embedded = s_->embedding()) {
      run_.freedoms = embedded->freedoms;
      for (const CoordinateChange& c : embedded->changes) run_.coordinate_changes.push_back(describe(c, scene_.model));
    }
    if (record_) run_.saved_rows = record_->saved_rows(), run_.saved_time = record_->saved_time();
    const Model& m = scene_.model;
    std::vector<BodyMotion> motions;
    s_->calc_body_motions(motions);
    for (std::size_t i = 1; i < m.bodies().size(); ++i)
      run_.bodies.push_back({m.bodies()[i].name, motions[i].pose.r, to_quaternion(motions[i].pose.E)});
    const auto name = [&](int node) { return m.bodies()[at(s_->contact_body(node))].name; };
    for (std::size_t i = 0; i < s_->contacts().size(); ++i) {
      const ContactPoint& c = s_->contacts()[i];
      run_.contacts.push_back({s_->shapes().pair_name(c), name(c.node_a), name(c.node_b), c, s_->contact_force(i)});
    }
  }

  const Scene& scene_;
  std::optional<ControlTrack> control_;
  ConstraintSet set_;
  std::optional<ThreadPool> threads_;
  std::unique_ptr<Stepper> s_;
  Simulation* steps_in_time_;  // the same, if it is one
  std::optional<RandomPushes> pushes_;
  std::optional<Recorder> record_;
  std::optional<Signals> signals_;
  SimRun run_;
  std::string contradiction_;    // of the constraints, at the start
  std::string missing_inertia_;  // empty: none
  long steps_ = 0;
  Progress progress_{"simulating", 1};
  Clock::time_point started_{}, shown_{};
  double begun_ = 0;  // [s] simulated, when this process took over
};

}  // namespace

SimRun simulate(const SceneInput& in, const Scene& scene, const SimInput& o, WorstProblem* worst) {
  return Runner(in, scene, o, worst).run();
}

}  // namespace sinew::app
