// apps/common/scene.cpp
#include "common/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/problem_file.hpp"
#include "common/refuse.hpp"
#include "common/report.hpp"
#include "common/start_state.hpp"
#include "sinew/io/control_table.hpp"
#include "sinew/lcp/polyhedral.hpp"
#include "sinew/model/builder.hpp"
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

// The mechanisms that have a name instead of a file.
std::optional<ModelSpec> make_named_mechanism(const std::string& name) {
  if (const int n = pendulum_links(name)) return mechanisms::pendulum(n);
  if (name == kDualArm) return dual_arm_over_table();
  return std::nullopt;
}

FloorOptions read_floor(const std::string& text) {
  FloorOptions out;
  if (text == kAuto) return out;
  const std::vector<double> n = read_numbers("--floor", text, {1, 3, 4});
  if (n.size() == 1) {
    out.height = n[0];
  } else {
    out.normal = {n[0], n[1], n[2]};
    if (norm(out.normal) == 0) throw InputError("--floor: the normal is zero", kUsage);
    if (n.size() == 4) out.height = n[3];
  }
  return out;
}
Pose read_place(const std::string& text) {
  const std::vector<double> n = read_numbers("--place", text, {3, 6});
  return make_placement({n[0], n[1], n[2]}, n.size() == 6 ? Vec3<double>{n[3], n[4], n[5]} : Vec3<double>{});
}

// A URDF states no step, and says nothing of where it starts and which of its bodies may overlap.
SceneOptions make_scene_options(const SceneInput& in, const ModelSpec& spec) {
  const bool urdf = spec.timestep == 0;
  SceneOptions o;
  o.timestep = in.dt;
  if (in.friction >= 0) o.friction = in.friction;
  if (in.restitution >= 0) o.restitution = in.restitution;
  if (!in.gravity.empty()) {
    const std::vector<double> g = read_numbers("--gravity", in.gravity, {1, 3});
    o.gravity = g.size() == 1 ? Vec3<double>{0, 0, -g[0]} : Vec3<double>{g[0], g[1], g[2]};
  }
  if (!in.floor.empty()) o.floor = read_floor(in.floor);
  if (in.place == "floor" || (in.place.empty() && in.model->floating && o.floor)) {
    if (!o.floor) throw InputError("--place floor needs a floor; add --floor", kUsage);
    o.on_floor = true;
  } else if (!in.place.empty() && in.place != "file") {
    o.place = read_place(in.place);
  }
  if (!in.keyframe.empty() && !in.state.empty())
    throw InputError("--keyframe and --state both say where to start; give one", kUsage);
  o.keyframe = in.keyframe;
  if (!in.state.empty()) read_start_state(in.state, spec, o);
  if (!in.q.empty()) read_positions(in.q, o);
  o.fit_start = urdf;
  const std::string self = !in.self_collision.empty() ? in.self_collision : urdf ? "start" : "on";
  o.self_collision = self == "on" ? SelfCollision::on : self == "off" ? SelfCollision::off : SelfCollision::start;
  if (!in.meshes.empty()) o.meshes = in.meshes == "exact" ? MeshContact::exact : MeshContact::hull;
  if (in.hold || !in.pd.empty()) o.hold = HoldOptions{};
  if (!in.pd.empty()) {
    const std::vector<double> gains = read_numbers("--pd", in.pd, {2});
    o.hold->gains = {gains[0], gains[1]};
  }
  return o;
}

}  // namespace

std::shared_ptr<SceneInput> add_scene_input(Command& c, double seconds) {
  auto in = std::make_shared<SceneInput>();
  in->seconds = seconds;
  in->model = add_model_input(c);
  in->model->meshes = true;
  c.option("--for", in->seconds, "Simulated time", {.type = "S", .range = kPositive});
  c.option("--dt", in->dt, "Step; 0: the model's timestep, or 1 ms where it states none",
           {.type = "S", .range = kNotNegative});
  c.option("--floor", in->floor,
           "Add a floor: at this height, or with this normal, or both (NX,NY,NZ,HEIGHT). Alone: at 0, or at the lowest "
           "point of a robot whose base is fixed",
           {.type = "[Z|NX,NY,NZ]", .check = complain_about_numbers, .alone = kAuto});
  c.option("--place", in->place,
           "floor: move bodies on free joints until the lowest point touches the floor (default with --floating and "
           "--floor); file: leave them; or the pose of the base, X,Y,Z or X,Y,Z,ROLL,PITCH,YAW",
           {.type = "floor|file|POSE"});
  c.option("--q", in->q, "Where to start: all positions, or joints by name as in knee=0.5,hip=-0.2", {.type = "LIST"});
  c.option("--state", in->state,
           "Where to start: a keyframe of the model, a JSON file {\"q\": .., \"v\": .., \"time\": ..} with lists or "
           "with joints by name, '-', or a record, of which the last state is taken",
           {.type = "FILE|NAME"});
  c.option("--keyframe", in->keyframe, "Where to start; default: the first one", {.type = "NAME"});
  c.flag(
      "--hold", in->hold,
      "Hold the start pose: a spring and a damper per joint, at the end of the step, with 10 Hz and without swinging");
  c.option("--pd", in->pd, "The same with this stiffness and damping for all joints", {.type = "KP,KD"});
  c.option("--control", in->control,
           "Controls over time, CSV or HDF5: a column 'time' and columns by actuator (its control), held joint (its "
           "target) or other joint (its force); hand/pos.x and the like move the mocap body hand. '-' is CSV from the "
           "standard input",
           {.type = "FILE"});
  c.option("--gravity", in->gravity, "Instead of the model's: one number, downwards, or X,Y,Z", {.type = "G|X,Y,Z"});
  c.option("--self-collision", in->self_collision,
           "Between bodies of one mechanism. on: as the model says (default for MJCF); off: none; start: pairs that "
           "overlap at the start cannot touch (default for URDF)",
           {.type = "on|off|start", .one_of = {"on", "off", "start"}});
  c.option(
      "--meshes", in->meshes,
      "How meshes touch. hull: with their convex hulls (default); exact: as they are, triangle by triangle, which is "
      "slower",
      {.type = "hull|exact", .one_of = {"hull", "exact"}});
  c.option("--solver", in->solver, "Of the contact problems, see sinew lcp --help", {.type = "NAME"});
  c.option("--directions", in->directions, "Sides of the friction pyramid, an even number; 0: the exact cone",
           {.type = "N"});
  c.option("--tolerance", in->tolerance, "Relative residual that counts as solved", {.type = "R", .range = kPositive});
  c.option(
      "--most-seconds-per-step", in->seconds_per_step,
      "Of wall clock for the contact problems of a step; then the best answers so far are taken, and counted as not "
      "solved",
      {.type = "S", .range = kPositive});
  c.option(
      "--most-iterations", in->iterations,
      "Of the solvers on a contact problem, together; then the best answer so far is taken, and counted as not solved",
      {.type = "N", .range = kPositive});
  c.option("--restitution", in->restitution, "Of all shapes, instead of the model's; 0 to 1",
           {.type = "E", .range = kShare});
  c.option("--friction", in->friction, "Of all shapes, instead of the model's", {.type = "MU", .range = kNotNegative});
  c.option("--dump", in->dump, "Write the contact problem with the worst answer to this file, for sinew lcp",
           {.type = "FILE.json"});
  c.flag("--printed-law", in->printed_law, "No friction on what restitution gives back, as printed in J14");
  c.flag("--no-look-ahead", in->no_look_ahead, "Contacts act only once bodies touch, as in J14");
  return in;
}

std::optional<Scene> read_scene(const SceneInput& in) {
  const std::string file = in.model->file.string();
  check_one_standard_input({{"SCENE", file}, {"--state", in.state}, {"--control", in.control.string()}});
  Diagnostics remarks;
  std::optional<ModelSpec> spec = make_named_mechanism(file);
  if (!spec) {
    Result<ModelSpec> read = read_spec(*in.model);
    if (!read) return refuse(read.diagnostics(), file, in.model->json), std::nullopt;
    remarks = read.diagnostics();
    spec = std::move(read).value();
  }
  try {
    const SceneOptions options = make_scene_options(in, *spec);
    Result<Scene> scene = make_scene(std::move(*spec), options, {.strict = in.model->strict});
    remarks.append(Diagnostics(scene.diagnostics()));
    if (!scene) return refuse(remarks, file, in.model->json), std::nullopt;
    say_remarks(remarks, scene->model.spec(), *in.model);
    return std::move(scene).value();
  } catch (const std::invalid_argument& e) {
    std::string why = e.what();
    const bool option = why.starts_with("make_scene: ");  // else the scene itself: a mesh that could not be read
    if (option) why.erase(0, 12);
    // The reader said why; the advice is for programs.
    if (const std::size_t advice = why.find("; set load_meshes"); advice != std::string::npos) {
      fmt::print(stderr, "{}", report(remarks, file, Paint(stderr), find_width(stderr)));
      why.erase(advice);
    }
    throw InputError(why, option ? kUsage : kRefused);
  }
}

std::optional<ControlTrack> read_control(const SceneInput& in, const Model& m) {
  if (in.control.empty()) return std::nullopt;
  const Result<ControlTable> table = load_control_table(in.control);
  if (!table) {
    refuse(table.diagnostics(), in.control.string(), false);
    throw InputError("--control cannot be used");
  }
  try {
    return ControlTrack(m, *table);
  } catch (const std::invalid_argument& e) {
    throw InputError(fmt::format("--control {}: {}", in.control.string(), e.what()));
  }
}

long count_steps(const SceneInput& in, double dt) {
  const double steps = std::round(in.seconds / dt);
  if (!(steps >= 1 && steps < 1e18))
    throw InputError(fmt::format("--for {:g} s is {} of {:g} s; change --for or --dt", in.seconds,
                                 steps < 1 ? "less than half a step" : "more than 1e18 steps", dt),
                     kUsage);
  return static_cast<long>(steps);
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
  o.formulation = *formulation;
  o.solver = {.method = *method,
              .directions = in.directions,
              .tolerance = in.tolerance,
              .acceptable = std::min(100 * in.tolerance, o.solver.acceptable),
              .iterations = in.iterations,
              .warm = true};
  o.most_seconds = in.seconds_per_step;
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
  const int rank = c.status == lcp::Status::solved ? 0 : c.status == lcp::Status::close ? 1 : 2;
  if (std::pair(rank, c.residual) < std::pair(badness, residual)) return;
  if (rank == badness && c.residual == residual && p.q.size() <= q.size()) return;
  badness = rank, residual = c.residual, free = p.free, unilateral = p.unilateral;
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
  if (worst.q.empty())
    throw InputError("--dump: no step had a contact or a loop, so there is no problem to write", kNotSaved);
  write_problem(in.dump, worst.view(), in.directions);
}

}  // namespace sinew::app
