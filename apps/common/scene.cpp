// apps/common/scene.cpp
#include "common/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/input_error.hpp"
#include "common/problem_file.hpp"
#include "common/refuse.hpp"
#include "common/report.hpp"
#include "sinew/lcp/polyhedral.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::app {
namespace {

constexpr std::string_view kPendulum = "pendulum:", kDualArm = "dual_arm";

// N of "pendulum:N"; 0: it is something else.
int pendulum_links(const std::string& scene) {
  if (!scene.starts_with(kPendulum)) return 0;
  int n = 0;
  const char *begin = scene.data() + kPendulum.size(), *end = scene.data() + scene.size();
  const auto [stop, error] = std::from_chars(begin, end, n);
  if (error != std::errc() || stop != end || n < 1 || n > 10000)
    throw InputError("'" + scene + "': a pendulum has a number of links between 1 and 10000, as in pendulum:12",
                     kUsage);
  return n;
}

// The dual arm with round finger tips over a table, for it to fall on.
ModelSpec dual_arm_over_table() {
  ModelSpec spec = mechanisms::dual_arm();
  for (ShapeSpec& s : spec.shapes) s.collides = false;
  const auto add = [&](const FrameSpec& frame) {
    ShapeSpec tip;
    tip.name = frame.name, tip.body = frame.body, tip.pose = frame.pose;
    tip.kind = ShapeKind::sphere, tip.size = {0.012, 0, 0}, tip.friction = 0.5, tip.restitution = 0.3;
    spec.shapes.push_back(tip);
  };
  for (const FrameSpec& f : spec.frames)
    if (f.name.ends_with("_tip")) add(f);
  ShapeSpec table;
  table.name = "table", table.body = spec.world, table.pose = shift_frame(Vec3<double>{0, 0, 1});
  table.kind = ShapeKind::plane, table.friction = 0.5, table.restitution = 0.3;
  spec.shapes.push_back(table);
  spec.timestep = 1e-3;
  return spec;
}

void set_surfaces(ModelSpec& spec, const SceneInput& in) {
  for (ShapeSpec& s : spec.shapes) {
    if (in.restitution >= 0) s.restitution = in.restitution;
    if (in.friction >= 0) s.friction = in.friction, s.frictionless = false;
  }
  for (PairSpec& p : spec.pairs)
    if (in.friction >= 0) p.friction = in.friction;
}

// The keyframe asked for; if none was, the first; if there is none, the neutral position at rest.
State find_start(const Model& m, const std::string& name, std::vector<double>& control) {
  State start = make_state(m);
  const std::vector<KeyframeSpec>& frames = m.spec().keyframes;
  if (frames.empty() && name.empty()) return start;
  const auto k = name.empty()
                     ? frames.begin()
                     : std::find_if(frames.begin(), frames.end(), [&](const auto& f) { return f.name == name; });
  if (k == frames.end()) {
    std::string known;
    for (const KeyframeSpec& f : frames) known += (known.empty() ? "" : ", ") + f.name;
    throw InputError(
        "there is no keyframe '" + name + "'; " + (known.empty() ? "the model has none" : "known: " + known), kUsage);
  }
  if (!k->q.empty()) start.q = k->q;
  if (!k->v.empty()) start.v = k->v;
  start.time = k->time;
  control = k->control;
  return start;
}

// The mechanisms that have a name instead of a file.
std::optional<ModelSpec> make_named_mechanism(const std::string& name) {
  if (const int n = pendulum_links(name)) return mechanisms::pendulum(n);
  if (name == kDualArm) return dual_arm_over_table();
  return std::nullopt;
}

std::optional<Model> read_scene_model(const SceneInput& in) {
  if (std::optional<ModelSpec> spec = make_named_mechanism(in.model->file.string())) {
    set_surfaces(*spec, in);
    return compile(std::move(*spec)).value();
  }
  ReadModel read = read_model(*in.model, [&](ModelSpec& spec) { set_surfaces(spec, in); });
  if (!read.model) refuse(read.diagnostics, in.model->file.string(), in.model->json);
  return std::move(read.model);
}

}  // namespace

std::shared_ptr<SceneInput> add_scene_input(Command& c, double seconds) {
  auto in = std::make_shared<SceneInput>();
  in->seconds = seconds;
  in->model = add_model_input(c);
  in->model->meshes = true;
  c.option("--for", in->seconds, "Simulated time", {.type = "S"});
  c.option("--dt", in->dt, "Step; 0: the model's timestep", {.type = "S"});
  c.option("--keyframe", in->keyframe, "Where to start; default: the first one", {.type = "NAME"});
  c.option("--solver", in->solver, "Of the contact problems, see sinew lcp --help", {.type = "NAME"});
  c.option("--directions", in->directions, "Sides of the friction pyramid, an even number; 0: the exact cone",
           {.type = "N"});
  c.option("--tolerance", in->tolerance, "Relative residual that counts as solved", {.type = "R"});
  c.option("--restitution", in->restitution, "Of all shapes, instead of the model's", {.type = "E"});
  c.option("--friction", in->friction, "Of all shapes, instead of the model's", {.type = "MU"});
  c.option("--dump", in->dump, "Write the contact problem with the worst answer to this file, for sinew lcp",
           {.type = "FILE.json"});
  c.flag("--printed-law", in->printed_law, "No friction on what restitution gives back, as printed in J14");
  c.flag("--no-look-ahead", in->no_look_ahead, "Contacts act only once bodies touch, as in J14");
  return in;
}

std::optional<Scene> read_scene(const SceneInput& in) {
  std::optional<Model> m = read_scene_model(in);
  if (!m) return std::nullopt;
  std::vector<double> control;
  State start = find_start(*m, in.keyframe, control);
  return Scene{std::move(*m), std::move(start), std::move(control)};
}

SimulationOptions make_options(const SceneInput& in) {
  SimulationOptions o;
  const auto formulation = find_formulation(in.formulation);
  const auto method = lcp::find_method(in.solver);
  if (!formulation)
    throw InputError("there is no formulation '" + in.formulation + "'; known: nmc, mc, rmc, os, nmc_os, hinge_pairs",
                     kUsage);
  if (!method) throw InputError("there is no solver '" + in.solver + "'; see sinew lcp --help", kUsage);
  if (in.directions != 0 && (in.directions < 4 || in.directions % 2 != 0 || in.directions > lcp::kMostDirections))
    throw InputError(
        fmt::format("--directions is {}, but a pyramid has an even number of sides, at least 4 and at most "
                    "{}; 0 is the exact cone",
                    in.directions, lcp::kMostDirections),
        kUsage);
  if (!(in.seconds > 0)) throw InputError("--for must be positive", kUsage);
  o.dt = in.dt;
  o.formulation = *formulation;
  o.solver = {
      .method = *method, .directions = in.directions, .tolerance = in.tolerance, .acceptable = 1e-8, .warm = true};
  o.restitution_friction = in.printed_law ? RestitutionFriction::printed : RestitutionFriction::whole;
  o.look_ahead = !in.no_look_ahead;
  return o;
}

Simulation make_simulation(const Model& m, const ConstraintSet& set, const SimulationOptions& options) {
  try {
    return {m, set, options};
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
}

void WorstProblem::see(const lcp::FrictionProblem& p, const lcp::Certificate& c) {
  const double bad = c.status == lcp::Status::solved ? c.residual : std::max(1.0, c.residual);
  if (bad < residual || (bad == residual && p.q.size() <= q.size())) return;
  residual = bad, free = p.free, unilateral = p.unilateral;
  W.assign(p.q.size() * p.q.size(), 0);
  for (std::size_t i = 0; i < p.q.size(); ++i)
    for (std::size_t j = 0; j < p.q.size(); ++j) W[i * p.q.size() + j] = p.W(i, j);
  q.assign(p.q.begin(), p.q.end()), mu.assign(p.mu.begin(), p.mu.end());
  preload.assign(p.preload.begin(), p.preload.end());
  lower.assign(p.lower.begin(), p.lower.end()), upper.assign(p.upper.begin(), p.upper.end());
}
lcp::FrictionProblem WorstProblem::view() const {
  return {{W.data(), q.size(), q.size()}, q, mu, preload, free, unilateral, lower, upper};
}

void write_worst(const SceneInput& in, const WorstProblem& worst) {
  if (in.dump.empty()) return;
  if (worst.q.empty()) throw InputError("--dump: no step had a contact or a loop, so there is no problem to write");
  write_problem(in.dump, worst.view(), in.directions);
}

void Track::add(Stepper& s, const Model& m, int index) {
  const BodyEntry& b = m.bodies()[index];
  VelocityWorkspace<double> motion(m);
  calc_velocities(m, motion, s.state.q, s.state.v, s.state.time);
  const Vec3<double> centre = centre_of_mass(b.inertia);
  time.push_back(s.state.time);
  height.push_back(apply_inverse_to_point(get_body_pose(m, motion.kinematics, index), centre).z);
  velocity.push_back(get_point_velocity(motion, b, centre).z);
  kinetic.push_back(s.kinetic_energy());
  potential.push_back(s.potential_energy());
  contacts.push_back(static_cast<double>(s.contacts().size()));
}

}  // namespace sinew::app
