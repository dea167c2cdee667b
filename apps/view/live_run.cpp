// apps/view/live_run.cpp
#include "view/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/input_error.hpp"
#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::app {
namespace {

constexpr double kDragFrequency = 3;  // [Hz] of the mass at the point on the mouse's spring, without swinging
constexpr double kDragWeights = 20;   // the most it pulls, in weights of the whole model on Earth

// "run.h5", or "run-2.h5" where that exists, and so on.
std::filesystem::path find_free_name(const std::filesystem::path& wanted) {
  std::filesystem::path out = wanted;
  for (int i = 2; std::filesystem::exists(out); ++i)
    out = wanted.parent_path() / fmt::format("{}-{}{}", wanted.stem().string(), i, wanted.extension().string());
  return out;
}
bool is_finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::abs(x) < 1e140; });
}

}  // namespace

LiveRun::LiveRun(const SceneInput& in, const StepperInput& how, const Scene& scene, std::filesystem::path record)
    : in_(in), how_(how), scene_(scene), track_(read_control(in, scene.model)), record_(std::move(record)) {
  now_.model = std::make_unique<const Model>(scene.model);
  now_.set = std::make_unique<const ConstraintSet>(*now_.model);
  reset();
}
LiveRun::~LiveRun() = default;

std::unique_ptr<Stepper> LiveRun::make(const SceneInput& in, const Model& model, const ConstraintSet& set) const {
  std::unique_ptr<Stepper> out = make_stepper(in, how_, model, set);
  out->interrupt = interrupt_;
  return out;
}

// The same state under new laws; the account goes on.
void LiveRun::replace(Built next) {
  Stepper& old = *now_.stepper;
  next.stepper->state = old.state, next.stepper->control = old.control, next.stepper->applied = old.applied;
  const double before = energy();
  work_ += old.totals().work, steps_ += old.totals().steps;
  now_.stepper = std::move(next.stepper);  // first: the old one refers to the old model and set
  if (next.set) now_.set = std::move(next.set);
  if (next.model) now_.model = std::move(next.model);
  edits_ += energy() - before;
  contacts_known_ = false;
}

void LiveRun::reset() {
  now_.stepper = make(in_, *now_.model, *now_.set);
  Stepper& s = *now_.stepper;
  s.state = scene_.start;
  if (!scene_.control.empty()) s.control = scene_.control;
  work_ = {}, edits_ = 0, steps_ = 0, drags_.clear();
  start_energy_ = energy();
  contacts_known_ = false, ++resets_;
}

void LiveRun::set_interrupt(const Interrupt& i) { interrupt_ = now_.stepper->interrupt = i; }

void LiveRun::step() {
  Stepper& s = *now_.stepper;
  if (track_) {
    track_->set(s.state.time, s.control, s.applied);
    if (track_->moves()) track_->move(s.state.time + s.step_length(), s.mocap);
  }
  apply_drags();
  const State before = s.state;
  const StepReport& report = s.step();
  contacts_known_ = true;
  if (!is_finite(s.state.v) && !std::isfinite(s.kinetic_energy())) {
    s.state = before;
    throw std::runtime_error(
        fmt::format("the kinetic energy is not finite after t = {:g} s: velocities are too large", before.time));
  }
  if (recorder_) recorder_->add(report);
}

void LiveRun::obey(const Order& o, int client) {
  if (std::holds_alternative<order::Reset>(o)) refuse_while_recording("a reset"), reset();
  if (const auto* x = std::get_if<order::Drag>(&o)) set_drag(*x, client);
  if (std::holds_alternative<order::Release>(o)) release(client);
  if (const auto* x = std::get_if<order::Position>(&o)) set_position(*x);
  if (const auto* x = std::get_if<order::Control>(&o)) set_control(*x);
  if (const auto* x = std::get_if<order::Gravity>(&o)) set_gravity(x->value);
  if (const auto* x = std::get_if<order::Formulate>(&o)) set_formulation(x->by);
  if (const auto* x = std::get_if<order::Record>(&o); x && x->on) start_recording();
}

// --- the mouse ------------------------------------------------------------------------------------------------------

// Three over the trace of the mobility of the point: what a push from anywhere feels, on the average.
double LiveRun::calc_mass_at(int body, const Vec3<double>& point) {
  const Model& m = *now_.model;
  const State& state = now_.stepper->state;
  const std::size_t n = at(m.nv());
  JacobianWorkspace<double> jacobians(m);
  calc_jacobian<double>(m, jacobians, state.q, state.time);
  std::vector<double> J(6 * n), inverse(n * n);
  get_jacobian<double>(m, jacobians, m.bodies()[at(body)], ReferenceFrame::mixed, {J.data(), 6, n});
  MassInverseWorkspace<double> masses(m);
  calc_mass_inverse<double>(m, masses, state.q, {inverse.data(), n, n}, state.time);
  const Vec3<double> arm = apply_inverse(get_body_pose(m, jacobians.kinematics, body).E, point);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto motion = [&](std::size_t k) {
        const Vec3<double> turn{J[k], J[n + k], J[2 * n + k]}, shift{J[3 * n + k], J[4 * n + k], J[5 * n + k]};
        return shift + cross(turn, arm);
      };
      trace += inverse[i * n + j] * dot(motion(i), motion(j));
    }
  return trace > 0 ? 3 / trace : 0;
}

void LiveRun::set_drag(const order::Drag& to, int client) {
  auto found = std::find_if(drags_.begin(), drags_.end(), [&](const Drag& d) { return d.client == client; });
  if (found == drags_.end() || found->to.body != to.body || norm(found->to.point - to.point) > 0) {
    const double mass = calc_mass_at(to.body, to.point);
    if (!(mass > 0)) throw InputError("drag: nothing there can move");
    // A force of the start of the step: the spring must be slow beside it.
    const double frequency = std::min(2 * std::numbers::pi * kDragFrequency, 0.3 / step_length());
    if (found == drags_.end()) found = drags_.insert(drags_.end(), Drag{});
    *found = {client, to, mass * frequency * frequency, 2 * mass * frequency, {}};
  }
  found->to.target = to.target;
}

void LiveRun::release(int client) {
  std::erase_if(drags_, [&](const Drag& d) { return d.client == client; });
}

void LiveRun::apply_drags() {
  Stepper& s = *now_.stepper;
  s.external.clear();
  if (drags_.empty()) return;
  s.external.resize(model().bodies().size());
  s.calc_body_motions(motions_);
  const double most = kDragWeights * model().mass() * 9.81;
  for (Drag& d : drags_) {
    const BodyMotion& b = motions_[at(d.to.body)];
    const Vec3<double> arm = apply_inverse(b.pose.E, d.to.point);
    d.point = b.pose.r + arm;
    Vec3<double> f = d.stiffness * (d.to.target - d.point) - d.damping * (b.velocity.lin + cross(b.velocity.ang, arm));
    if (const double size = norm(f); size > most) f = (most / size) * f;
    const Vec3<double> in_body = apply(b.pose.E, f);
    s.external[at(d.to.body)] += {cross(d.to.point, in_body), in_body};
  }
}

// --- other orders ---------------------------------------------------------------------------------------------------

// Loops and gears are closed again around the new position.
void LiveRun::set_position(const order::Position& p) {
  refuse_while_recording("a joint that is set");
  Stepper& s = *now_.stepper;
  const JointEntry& joint = model().joints()[at(p.joint)];
  const State before = s.state;
  const double energy_before = energy();
  s.state.q[at(joint.q)] = p.value;
  if (!model().loops().empty() || !model().couplings().empty() || !model().tendon_couplings().empty()) {
    ManifoldWorkspace ws(model(), *now_.set);
    if (!project_position(model(), *now_.set, ws, s.state.q, s.state.time).reached) {
      s.state = before;
      throw InputError(
          fmt::format("position: the loops of the mechanism cannot be closed with {} at {:g}", joint.name, p.value));
    }
    project_velocity(model(), *now_.set, ws, s.state.q, s.state.v, s.state.time);
  }
  edits_ += energy() - energy_before;
  contacts_known_ = false;
}

void LiveRun::set_control(const order::Control& c) {
  if (track_) throw InputError("control: the controls come from the file of --control");
  now_.stepper->control[at(c.actuator)] = c.value;
}

void LiveRun::set_gravity(const Vec3<double>& g) {
  refuse_while_recording("another gravity");
  ModelSpec spec = model().spec();
  spec.gravity = g;
  Result<Model> changed = compile(std::move(spec));
  if (!changed) throw InputError("gravity: the model is refused with it");
  Built next;
  next.model = std::make_unique<const Model>(std::move(changed).value());
  next.set = std::make_unique<const ConstraintSet>(*next.model);
  next.stepper = make(in_, *next.model, *next.set);
  replace(std::move(next));
}

bool LiveRun::can_change_formulation() const {
  return dynamic_cast<const Simulation*>(now_.stepper.get()) != nullptr && how_.loops == "rows";
}

void LiveRun::set_formulation(Formulation by) {
  refuse_while_recording("another formulation");
  if (!can_change_formulation())
    throw InputError("formulation: it belongs to --integrator step with --loops rows, and this run has others");
  SceneInput next = in_;
  next.formulation = std::string(to_string(by));
  replace({nullptr, nullptr, make(next, *now_.model, *now_.set)});
  in_.formulation = next.formulation;
}

// --- records --------------------------------------------------------------------------------------------------------

void LiveRun::refuse_while_recording(const char* what) const {
  if (recorder_) throw InputError(fmt::format("{} would cut the record; stop recording first", what));
}

void LiveRun::start_recording() {
  if (recorder_) throw InputError("record: it is on already");
  RecordOptions options;
  options.scene = in_.model->file.string(), options.command = command_line();
  if (in_.model->file != "-") options.source = read_input_file(in_.model->file).bytes;
  const std::filesystem::path file = find_free_name(record_);
  try {
    recorder_.emplace(file, model(), *now_.stepper, options);
  } catch (const std::exception& e) {  // a folder that is not there, a full disk
    recorder_.reset();
    throw InputError(fmt::format("record: {}", e.what()));
  }
  record_file_ = file;
}

std::string LiveRun::stop_recording() {
  if (!recorder_) return "";
  std::string said;
  try {
    recorder_->finish();
    said = fmt::format("wrote {}, {} rows", record_file_.string(), recorder_->saved_rows());
  } catch (const RecordError& e) {
    said = fmt::format("{}: {}; it holds the run up to t = {:g} s", record_file_.string(), e.what(),
                       recorder_->saved_time());
  }
  recorder_.reset();
  return said;
}

// --- what is seen ---------------------------------------------------------------------------------------------------

void LiveRun::get_frame(FrameData& f) {
  Stepper& s = *now_.stepper;
  const auto add = [](std::vector<float>& out, const Vec3<double>& v) {
    for (const double x : {v.x, v.y, v.z}) out.push_back(static_cast<float>(x));
  };
  for (auto* list : {&f.poses, &f.positions, &f.controls, &f.contacts, &f.drags}) list->clear();
  s.calc_body_motions(motions_);
  for (const BodyMotion& b : motions_) {
    const Quaternion<double> turn = to_quaternion(b.pose.E);
    add(f.poses, b.pose.r);
    for (const double x : {turn.w, turn.x, turn.y, turn.z}) f.poses.push_back(static_cast<float>(x));
  }
  for (const double x : s.state.q) f.positions.push_back(static_cast<float>(x));
  for (const double x : s.control) f.controls.push_back(static_cast<float>(x));
  const std::size_t contacts = contacts_known_ ? std::min(s.contacts().size(), kMostContacts) : 0;
  for (std::size_t i = 0; i < contacts; ++i) {
    const ContactPoint& c = s.contacts()[i];
    for (const int node : {c.node_a, c.node_b}) f.contacts.push_back(static_cast<float>(s.contact_body(node)));
    add(f.contacts, c.point), add(f.contacts, c.normal), add(f.contacts, s.contact_force(i));
    f.contacts.push_back(static_cast<float>(c.gap));
  }
  for (const Drag& d : drags_) {
    const BodyMotion& b = motions_[at(d.to.body)];
    add(f.drags, apply_inverse_to_point(b.pose, d.to.point)), add(f.drags, d.to.target);
  }
  WorkAccount work = work_;
  work += s.totals().work;
  FrameHead& h = f.head;
  h.run = resets_, h.time = s.state.time, h.step = static_cast<double>(steps_ + s.totals().steps);
  h.kinetic = s.kinetic_energy(), h.potential = s.potential_energy();
  h.work = work.total(), h.dragged = work.external, h.edits = edits_;
  h.unaccounted = h.kinetic + h.potential - start_energy_ - h.work - h.edits;
  h.residual = s.report().residual, h.penetration = s.report().penetration;
  h.flags = (recorder_ ? FrameHead::kRecording : 0U) | (s.report().unsolved > 0 ? FrameHead::kUnsolved : 0U);
}

}  // namespace sinew::app
