// python/src/flexible.cpp - models with bodies that bend: files, the model, its dynamics, its motion over time
#include "sinew/io/flexible.hpp"
#include "integrate.hpp"
#include "sinew/operators/flexible_sko.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/mechanisms.hpp"
#include "sko.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

using sko::FlexibleBody;
using sko::FlexibleModel;
using sko::FlexiblePlace;

struct PyFlexible {
  PyFlexible(std::shared_ptr<PyModel> m, std::vector<FlexibleBody> bodies, const FlexibleModel::Attachments& attach)
      : model(std::move(m)), value(*model, std::move(bodies), attach) {}
  std::shared_ptr<PyModel> model;
  FlexibleModel value;
};
struct PyFlexibleSko {
  struct Parts {
    explicit Parts(std::shared_ptr<PyFlexible> f) : flexible(std::move(f)), value(flexible->value) {}
    std::shared_ptr<PyFlexible> flexible;
    sko::FlexibleSko value;
    bool updated = false;
  };
  explicit PyFlexibleSko(std::shared_ptr<PyFlexible> f) : parts(std::make_shared<Parts>(std::move(f))) {
    sko->model = std::shared_ptr<sko::SkoModel<double>>(parts, &parts->value.sko);
  }
  std::shared_ptr<Parts> parts;
  std::shared_ptr<PySko> sko = std::make_shared<PySko>();
};
struct PyFlexiblePlace {
  FlexiblePlace place;
  std::shared_ptr<PyFlexibleSko::Parts> parts;
};

void bind_flexible_model(nb::module_& m) {
  nb::class_<FlexibleInput>(m, "FlexibleInput", "What a file of flexible bodies says.")
      .def_ro("bodies", &FlexibleInput::bodies, "The FlexibleBodies.")
      .def_ro("attach", &FlexibleInput::attach, "Joints with the nodes that they hang on, by name.");
  m.def(
      "load_flexible", [](const PathIn& file, const PyModel& x) { return unwrap(load_flexible(file.path, x)); },
      "file"_a, "model"_a, "Flexible bodies from a JSON file beside the model: docs/flexible.md has all keys.");
  m.def(
      "parse_flexible",
      [](const std::string& text, const PathIn& name, const PyModel& x) {
        return unwrap(parse_flexible(text, name.path, x));
      },
      "text"_a, "name"_a, "model"_a, "The same from a text; files that it names are looked for beside `name`.");
  using F = PyFlexible;
  nb::class_<F>(m, "FlexibleModel", R"(A model some of whose bodies bend.

q is the model's q, then eta of each flexible body; v the model's v, then the rates of eta. Joints that hang on such a
body hang on the interface node at their place, or on the one that `attach` names.)")
      .def(nb::init<std::shared_ptr<PyModel>, std::vector<FlexibleBody>, const FlexibleModel::Attachments&>(),
           "model"_a, "bodies"_a, "attach"_a = FlexibleModel::Attachments{}, "attach: joint and node, by name.")
      .def_ro("model", &F::model, "The Model without modes.")
      .def_prop_ro(
          "bodies", [](const F& f) { return f.value.bodies(); }, "The FlexibleBodies, in the order of their modes.")
      .def_prop_ro(
          "modes", [](const F& f) { return f.value.modes(); }, "Of all bodies.")
      .def_prop_ro(
          "nq", [](const F& f) { return f.value.nq(); }, "Numbers in q, with the modes.")
      .def_prop_ro(
          "nv", [](const F& f) { return f.value.nv(); }, "Numbers in v, with the modes.")
      .def(
          "first_mode",
          [](const F& f, int i) {
            check_index("first_mode", "flexible body", i, f.value.bodies().size());
            return f.value.first_mode(i);
          },
          "flexible"_a, "In v, of that flexible body.")
      .def_prop_ro(
          "part_names",
          [](const F& f) {
            std::vector<std::string> out;
            for (const sko::FlexiblePart& p : f.value.parts()) out.push_back(p.name);
            return out;
          },
          "What moves as one piece, in the order of the nodes.");
}

void check_place(const char* call, const PyFlexibleSko& f, const PyFlexiblePlace& p) {
  if (p.parts != f.parts) throw nb::value_error((std::string(call) + ": the place is of another FlexibleSko").c_str());
}
sko::FlexibleSko& updated(const char* call, const PyFlexibleSko& f) {
  if (!f.parts->updated) throw nb::value_error((std::string(call) + ": call update(q, v) first").c_str());
  return f.parts->value;
}

void bind_flexible_sko(nb::module_& m) {
  using F = PyFlexibleSko;
  using P = PyFlexiblePlace;
  nb::class_<P>(m, "FlexiblePlace", "A frame fixed to a part, or to an interface node of a part that bends.");
  nb::class_<F> c(m, "FlexibleSko",
                  R"(A model with flexible bodies as an SKO model, `sko`; O(N) per update [J11 section 8.1].

    f = FlexibleSko(flexible);  f.update(q, v)
    qdd = f.unstack(forward_dynamics(f.sko, SkoDynamics(f.sko), f.stack(tau))))");
  c.def(nb::init<std::shared_ptr<PyFlexible>>(), "flexible"_a)
      .def_prop_ro(
          "flexible", [](const F& f) { return f.parts->flexible; }, "The FlexibleModel.")
      .def_ro("sko", &F::sko, "The SkoModel.")
      .def(
          "update",
          [](F& f, ArrayIn q, ArrayIn v, ArrayIn external, double time, double dt) {
            const PyFlexible& x = *f.parts->flexible;
            const InVector Q("update", "q", q, at(x.value.nq())), V("update", "v", v, at(x.value.nv()));
            const InForces E("update", "external", external, x.model->bodies().size());
            const UseSko use("update", *f.sko);
            run_long([&] { f.parts->value.update(Q, V, {E.view(), time}, dt); });
            f.parts->updated = true;
          },
          "q"_a, "v"_a, optional_array("external"), "time"_a = 0., "implicit_dt"_a = 0.,
          "All blocks at q and v. implicit_dt > 0: stiffness and damping of the modes are those at the end of a step.")
      .def(
          "stack",
          [](const F& f, ArrayIn x) {
            return copy_vector(
                f.parts->value.stack(InVector("stack", "by_coordinate", x, at(f.parts->flexible->value.nv()))));
          },
          "by_coordinate"_a, "Order of v -> order of the nodes.")
      .def(
          "unstack",
          [](const F& f, ArrayIn x) {
            return copy_vector(
                f.parts->value.unstack(InVector("unstack", "by_node", x, at(f.parts->flexible->value.nv()))));
          },
          "by_node"_a, "Order of the nodes -> order of v.")
      .def(
          "find_place",
          [](const F& f, const std::string& name, const std::optional<std::string>& node) {
            return P{node ? f.parts->value.find_place(name, *node) : f.parts->value.find_place(name), f.parts};
          },
          "name"_a, "node"_a = nb::none(), "A body or frame of the model; or a node of a flexible body.");
  const auto number = [&](const char* name, auto get, const char* doc) {
    c.def_prop_ro(
        name, [name, get](const F& f) { return get(updated(name, f)); }, doc);
  };
  number(
      "kinetic_energy", [](const sko::FlexibleSko& f) { return f.kinetic_energy(); }, "[J]");
  number(
      "elastic_energy", [](const sko::FlexibleSko& f) { return f.elastic_energy(); }, "[J]");
  number(
      "gravity_energy", [](const sko::FlexibleSko& f) { return f.gravity_energy(); },
      "[J] 0 with all mass at the world's origin");
  number(
      "damping_power", [](const sko::FlexibleSko& f) { return f.damping_power(); }, "[W] taken out by the modes");
  number(
      "momentum", [](const sko::FlexibleSko& f) { return f.momentum(); }, "About the world's origin.");
  number(
      "weight", [](const sko::FlexibleSko& f) { return f.weight(); }, "[N m, N] of gravity, likewise");
  c.def(
       "get_pose",
       [](const F& f, const P& p) {
         check_place("get_pose", f, p);
         return updated("get_pose", f).get_pose(p.place);
       },
       "place"_a, "Where the place stands in the world.")
      .def(
          "get_velocity",
          [](const F& f, const P& p) {
            check_place("get_velocity", f, p);
            return updated("get_velocity", f).get_velocity(p.place);
          },
          "place"_a, "Of the place's origin, along the axes of the world.")
      .def(
          "calc_jacobian",
          [](const F& f, const P& p, ArrayOut out) {
            check_place("calc_jacobian", f, p);
            OutMatrix2 O("calc_jacobian", "out", out, 6, at(f.parts->flexible->value.nv()));
            const UseSko use("calc_jacobian", *f.sko);
            updated("calc_jacobian", f).calc_jacobian(p.place, O.view());
            return O.take();
          },
          "place"_a, optional_array("out"), "6 x nv: velocity of the place's origin along the world's axes.")
      .def(
          "make_pick_off",
          [](const F& f, const P& p) {
            check_place("make_pick_off", f, p);
            return updated("make_pick_off", f).make_pick_off(p.place);
          },
          "place"_a, "Unit couples and forces at the place's origin, along the world's axes, for TaskPoints.");
}

// The flexible model goes last, after the stepper that refers to it.
struct Keeps {
  std::shared_ptr<PyFlexible> flexible;
};
struct KeptMotion : Keeps, FlexibleMotion {
  KeptMotion(const std::shared_ptr<PyFlexible>& f, const SmoothOptions& o) : Keeps{f}, FlexibleMotion(f->value, o) {}
};
struct KeptSimulation : Keeps, Simulation {
  KeptSimulation(const std::shared_ptr<PyFlexible>& f, const SimulationOptions& o)
      : Keeps{f}, Simulation(make_flexible_mechanism(f->value), o) {}
};
struct PyFlexibleMotion : PyStepper {
  using PyStepper::PyStepper;
};
struct PyFlexibleSimulation : PySimulation {
  using PySimulation::PySimulation;
};

}  // namespace

void bind_flexible(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_flexible_model(m);
  bind_flexible_sko(m);
}

void bind_flexible_dynamics(nb::module_& m) {
  m.def(
      "make_flexible_dynamics",
      [](const std::shared_ptr<PyFlexible>& f, const nb::object& forces) {
        RightHandSide rate = make_flexible_dynamics(f->value, read_forces("make_flexible_dynamics", forces));
        return PyRate{std::move(rate), std::make_shared<RateSource>(f->model, f)};
      },
      "flexible"_a, "forces"_a.none() = nb::none(),
      nb::sig(("def make_flexible_dynamics(flexible: operators.FlexibleModel, forces: " + std::string(kForcesType) +
               ") -> RightHandSide")
                  .c_str()),
      "For an Integrator of the model with extra = 2 flexible.modes: eta of all bodies, then their rates. No contact.");
}

void bind_flexible_motion(nb::module_& m) {
  nb::class_<PyFlexibleMotion, PyStepper>(
      m, "FlexibleMotion",
      "Smooth motion of a model with flexible bodies, under weight and `applied`: no contact, no limits. q and v have\n"
      "the modes after the model's coordinates.")
      .def(
          "__init__",
          [](PyFlexibleMotion* self, const std::shared_ptr<PyFlexible>& f, IntegrationMethod k, double dt,
             double relative, double absolute) {
            new (self) PyFlexibleMotion(
                f->model, std::make_unique<KeptMotion>(f, SmoothOptions{k, dt, relative, absolute, {}, {}}));
          },
          "flexible"_a, nb::kw_only(), "method"_a = IntegrationMethod::dormand_prince, "dt"_a = 0., "relative"_a = 1e-8,
          "absolute"_a = 1e-10);
  nb::class_<PyFlexibleSimulation, PySimulation>(m, "FlexibleSimulation",
                                                 "A Simulation of a model with flexible bodies: hard contact, stops, "
                                                 "drives and friction. Stiffness and damping of\n"
                                                 "the modes are those at the end of a step.")
      .def(
          "__init__",
          [](PyFlexibleSimulation* self, const std::shared_ptr<PyFlexible>& f, double dt) {
            SimulationOptions o;
            o.dt = dt;
            new (self) PyFlexibleSimulation(f->model, std::make_unique<KeptSimulation>(f, o));
          },
          "flexible"_a, nb::kw_only(), "dt"_a = 0.);
}

}  // namespace sinew::py
