// python/src/scene.cpp - a model made ready to be simulated
#include "sinew/sim/scene.hpp"

#include <nanobind/stl/map.h>

#include "spec.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

using Settings = std::map<std::string, std::variant<double, std::vector<double>>>;

std::vector<std::pair<std::string, std::vector<double>>> to_pairs(const Settings& s) {
  std::vector<std::pair<std::string, std::vector<double>>> out;
  for (const auto& [name, value] : s) {
    if (const double* x = std::get_if<double>(&value))
      out.emplace_back(name, std::vector<double>{*x});
    else
      out.emplace_back(name, std::get<std::vector<double>>(value));
  }
  return out;
}

std::shared_ptr<PyScene> build_scene(const PySpec& spec, const SceneOptions& o, bool strict) {
  Result<Scene> r = run_long([&] { return make_scene(spec.spec, o, {.strict = strict}); });
  std::vector<Diagnostic> remarks = spec.remarks.list();
  for (const Diagnostic& d : r.diagnostics()) remarks.push_back(d);
  Scene s = unwrap(std::move(r));
  auto out = std::make_shared<PyScene>();
  out->model = std::make_shared<PyModel>(std::move(s.model), std::move(remarks));
  out->start = std::move(s.start), out->control = std::move(s.control), out->notes = std::move(s.notes);
  for (const Overlap& p : s.left_out) out->left_out.emplace_back(p.body_a, p.body_b, p.depth);
  for (const HeldJoint& h : s.held) out->held.emplace_back(h.joint, h.stiffness, h.damping, h.target);
  return out;
}

}  // namespace

void bind_scene(nb::module_& m) {
  nb::enum_<SelfCollision>(m, "SelfCollision", "Which bodies of one tree may touch each other.")
      .value("on", SelfCollision::on, "as the model says")
      .value("off", SelfCollision::off, "bodies of one tree do not touch each other")
      .value("start", SelfCollision::start, "those that overlap in the start pose do not");
  nb::class_<FloorOptions>(m, "FloorOptions", "A plane on the world.")
      .def(
          "__init__",
          [](FloorOptions* self, const Vec3<double>& normal, std::optional<double> height, double friction,
             double restitution) {
            new (self) FloorOptions{normal, height, friction, restitution};
          },
          "normal"_a = Vec3<double>{0, 0, 1}, "height"_a = nb::none(), "friction"_a = 1., "restitution"_a = 0.,
          "height [m] along the normal; None: 0, or lower where a robot with a fixed base needs it.");
  nb::class_<HoldOptions>(m, "HoldOptions", "Springs and dampers towards the start pose.")
      .def(
          "__init__",
          [](HoldOptions* self, double frequency, double ratio, std::optional<std::pair<double, double>> gains) {
            new (self) HoldOptions{frequency, ratio, gains};
          },
          "frequency"_a = 10., "damping_ratio"_a = 1., "gains"_a = nb::none(),
          "frequency [Hz]; gains: stiffness and damping of all joints instead.");
  nb::class_<PyScene>(m, "Scene", "A model with its start, made by make_scene; Simulation(scene) begins there.")
      .def_ro("model", &PyScene::model, "The Model with floor, servos and what else was asked for.")
      .def_prop_ro(
          "q", [](const PyScene& s) { return freeze(copy_vector(s.start.q)); }, "Positions at the start.")
      .def_prop_ro(
          "v", [](const PyScene& s) { return freeze(copy_vector(s.start.v)); }, "Velocities at the start.")
      .def_prop_ro(
          "time", [](const PyScene& s) { return s.start.time; }, "At the start [s].")
      .def_prop_ro(
          "activation", [](const PyScene& s) { return freeze(copy_vector(s.start.activation)); },
          "Of actuators that have one, at the start.")
      .def_prop_ro(
          "control", [](const PyScene& s) { return freeze(copy_vector(s.control)); },
          "At the start: one per actuator of the model.")
      .def_ro("left_out", &PyScene::left_out, "Pairs of bodies that do not touch each other, with their overlap [m].")
      .def_ro("held", &PyScene::held, "Joint, stiffness, damping, target.")
      .def_ro("notes", &PyScene::notes, "What the caller did not ask for in these words.")
      .def("__repr__", [](const PyScene& s) {
        return "<Scene of '" + s.model->name() + "', nq " + std::to_string(s.model->nq()) + ", nv " +
               std::to_string(s.model->nv()) + ">";
      });
  m.def(
      "make_scene",
      [](const PySpec& spec, std::optional<Vec3<double>> gravity, double timestep, std::optional<double> friction,
         std::optional<double> restitution, std::optional<FloorOptions> floor, std::string keyframe, ArrayIn q,
         ArrayIn v, const Settings& set, const Settings& set_velocity, std::optional<double> time, bool fit_start,
         std::optional<Pose> place, bool on_floor, SelfCollision self_collision, std::optional<HoldOptions> hold,
         bool strict) {
        SceneOptions o;
        o.gravity = gravity, o.timestep = timestep, o.friction = friction, o.restitution = restitution;
        o.floor = floor, o.keyframe = std::move(keyframe), o.time = time, o.fit_start = fit_start, o.place = place;
        if (!q.is_none()) o.q = read_numbers("make_scene", "q", q);
        if (!v.is_none()) o.v = read_numbers("make_scene", "v", v);
        o.set = to_pairs(set), o.set_velocity = to_pairs(set_velocity);
        o.on_floor = on_floor, o.self_collision = self_collision, o.hold = hold;
        return build_scene(spec, o, strict);
      },
      "spec"_a, nb::kw_only(), "gravity"_a = nb::none(), "timestep"_a = 0., "friction"_a = nb::none(),
      "restitution"_a = nb::none(), "floor"_a = nb::none(), "keyframe"_a = "", optional_array("q"), optional_array("v"),
      "set"_a = Settings{}, "set_velocity"_a = Settings{}, "time"_a = nb::none(), "fit_start"_a = false,
      "place"_a = nb::none(), "on_floor"_a = false, "self_collision"_a = SelfCollision::on, "hold"_a = nb::none(),
      "strict"_a = false,
      R"(A model made ready to be simulated: step, floor, start, what may touch, what holds it.

    scene = sinew.make_scene(sinew.load("robot.urdf", floating_base=True), floor=sinew.FloorOptions(), on_floor=True,
                             hold=sinew.HoldOptions(), self_collision=sinew.SelfCollision.start)
    sim = sinew.Simulation(scene)

set: positions of joints by name. LoadError for a model that breaks a law, ValueError for options that do not fit it.)");
}

}  // namespace sinew::py
