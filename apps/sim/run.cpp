// apps/sim/run.cpp
#include "sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "common/input_error.hpp"
#include "common/progress.hpp"
#include "sim/stop_signal.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/io/record.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::app {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr const char* kEnergyBefore = "run/energy_before";

int find_tracked(const Model& m, const std::string& name) {
  if (name.empty()) return static_cast<int>(m.bodies().size()) - 1;
  const auto body = m.find_body(name);
  if (!body) throw InputError("--track: there is no body '" + name + "'", kUsage);
  return *body;
}

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

// One run from the first to the last step: the simulation, its record, plot and progress.
class Runner {
 public:
  Runner(const SceneInput& in, const Scene& scene, const SimInput& o, WorstProblem* worst)
      : scene_(scene),
        set_(scene.model),
        s_(make_stepper(in, o.stepper, scene.model, set_)),
        steps_in_time_(dynamic_cast<Simulation*>(s_.get())) {
    for (const std::string& remark : s_->shapes().remarks()) fmt::print(stderr, "note: {}\n", remark);
    if (worst && steps_in_time_)
      steps_in_time_->set_watch([worst](const auto& problem, const auto& c) { worst->see(problem, c); });
    tracked_ = find_tracked(scene.model, o.body);
    run_.track.body = scene.model.bodies()[tracked_].name;
    run_.dt = s_->step_length(), run_.options = s_->describe();
    try {
      begin(in, o);
    } catch (const std::invalid_argument& e) {
      throw InputError(e.what());
    } catch (const RecordError& e) {
      throw InputError(e.what());
    }
    steps_ = std::lround(in.seconds / run_.dt);
    if (steps_ < s_->totals().steps)
      throw InputError(fmt::format("--for {:g} is over already: {} holds {:g} s, so --for must be longer", in.seconds,
                                   o.resume.string(), static_cast<double>(s_->totals().steps) * run_.dt),
                       kUsage);
  }

  SimRun run() {
    constexpr long kSamples = 1000;
    const StopSignal stop;
    started_ = Clock::now(), begun_ = static_cast<double>(s_->totals().steps) * run_.dt;
    const long first = s_->totals().steps, stride = std::max(1L, (steps_ - first) / kSamples);
    try {
      for (long i = first; i < steps_ && stop.get() == 0; ++i) {
        if ((i - first) % stride == 0) run_.track.add(*s_, scene_.model, tracked_);
        step();
        if (progress_.on()) show();
      }
    } catch (const RecordError& e) {
      fail_record(e);
    } catch (const StepRefused& e) {
      run_.broken = e.what(), run_.refused = true;
    } catch (const std::invalid_argument& e) {  // the stepper refuses the state to start from
      run_.broken = e.what(), run_.refused = true;
    } catch (const std::runtime_error& e) {
      run_.broken = e.what();
    }
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
      pushes_.emplace(scene_.model, o.pushes, run_.dt);
    }
    s_->state = scene_.start;
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
    options.source = read_input_file(in.model->file).bytes;
    options.command = command_line();
    record_.emplace(o.record, scene_.model, *s_, options);
    record_->extend = [energy = run_.energy_before](Snapshot& s) { s.set(kEnergyBefore, std::vector<double>{energy}); };
  }

  void step() {
    const auto start = Clock::now();
    if (pushes_) pushes_->calc(s_->totals().steps, s_->state, s_->external);
    const StepReport& report = s_->step();
    run_.wall += since(start);
    if (record_) record_->add(report);
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
    run_.track.add(*s_, scene_.model, tracked_);
    run_.kinetic = s_->kinetic_energy(), run_.potential = s_->potential_energy();
    run_.unaccounted_momentum = s_->unaccounted_momentum();
    run_.totals = s_->totals();
    run_.end = s_->state;
    const auto* smooth = dynamic_cast<const SmoothSimulation*>(s_.get());
    if (const EmbeddingReport* embedded = smooth ? smooth->embedding() : nullptr) {
      run_.freedoms = embedded->freedoms;
      for (const CoordinateChange& c : embedded->changes) run_.coordinate_changes.push_back(describe(c, scene_.model));
    }
    if (record_) run_.saved_rows = record_->saved_rows(), run_.saved_time = record_->saved_time();
    const Model& m = scene_.model;
    KinematicsWorkspace<double> kinematics(m);
    calc_kinematics<double>(m, kinematics, s_->state.q, s_->state.time);
    std::vector<std::string> names(m.nodes().size());  // of the first body on each node
    for (std::size_t i = m.bodies().size(); i-- > 0;) names[m.bodies()[i].node] = m.bodies()[i].name;
    for (std::size_t i = 1; i < m.bodies().size(); ++i) {
      const Transform<double> pose = get_body_pose(m, kinematics, static_cast<int>(i));
      run_.bodies.push_back({m.bodies()[i].name, pose.r, to_quaternion(pose.E)});
    }
    for (std::size_t i = 0; i < s_->contacts().size(); ++i) {
      const ContactPoint& c = s_->contacts()[i];
      run_.contacts.push_back({s_->shapes().pair_name(c), names[c.node_a], names[c.node_b], c, s_->contact_force(i)});
    }
  }

  const Scene& scene_;
  ConstraintSet set_;
  std::unique_ptr<Stepper> s_;
  Simulation* steps_in_time_;  // the same, if it is one
  std::optional<RandomPushes> pushes_;
  std::optional<Recorder> record_;
  SimRun run_;
  long steps_ = 0;
  int tracked_ = 0;
  Progress progress_{"simulating", 1};
  Clock::time_point started_{}, shown_{};
  double begun_ = 0;  // [s] simulated, when this process took over
};

}  // namespace

SimRun simulate(const SceneInput& in, const Scene& scene, const SimInput& o, WorstProblem* worst) {
  return Runner(in, scene, o, worst).run();
}

}  // namespace sinew::app
