// python/src/simulation.cpp - Simulation, SmoothSimulation, EventSimulation, sensors
#include "sinew/sim/simulation.hpp"

#include "entries.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/sim/sensor_readings.hpp"
#include "sinew/sim/sensors.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

// Begins where the scene does.
void begin(Stepper& stepper, const Source& s) {
  if (const auto* scene = std::get_if<std::shared_ptr<PyScene>>(&s))
    stepper.state = (*scene)->start, stepper.control = (*scene)->control;
}

struct PyContact {
  ContactPoint point;
  int body_a, body_b;
  std::string name_a, name_b, pair;
  Vec3<double> force;
};

std::vector<PyContact> list_contacts(PyStepper& s) {
  std::vector<PyContact> out;
  const Stepper& x = s.get();
  for (std::size_t i = 0; i < x.contacts().size(); ++i) {
    const ContactPoint& c = x.contacts()[i];
    const int a = x.contact_body(c.node_a), b = x.contact_body(c.node_b);
    const auto bodies = s.model().bodies();
    out.push_back({c, a, b, bodies[at(a)].name, bodies[at(b)].name, x.shapes().pair_name(c), x.contact_force(i)});
  }
  return out;
}

// An attribute that is an array of the simulation: assigning to it fills it.
template <class Class>
void add_array(Class& c, const char* name, Array PyStepper::*member, const char* doc) {
  c.def_prop_rw(
      name, [member](PyStepper& s) { return s.*member; },
      [name, member](PyStepper& s, ArrayIn value) {
        auto* a = reinterpret_cast<PyArrayObject*>((s.*member).ptr());
        const Read<1> x(name, "the value", value, {PyArray_SIZE(a)});
        std::copy(x.data(), x.data() + PyArray_SIZE(a), static_cast<double*>(PyArray_DATA(a)));
      },
      doc);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<PyStepper>(self)->controller.ptr());
  Py_VISIT(nb::inst_ptr<PyStepper>(self)->watch.ptr());
  return 0;
}
int clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  auto* s = nb::inst_ptr<PyStepper>(self);
  s->controller = nb::none(), s->watch = nb::none();
  return 0;
}
PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse)}, {Py_tp_clear, reinterpret_cast<void*>(&clear)}, {0, nullptr}};

void bind_stepper(nb::module_& m) {
  using C = PyContact;
  nb::class_<C>(m, "Contact", "One point where two bodies touch, or nearly touch.")
      .def_ro("body_a", &C::body_a, "Number of body a among the bodies of the model.")
      .def_ro("body_b", &C::body_b, "Number of body b among the bodies of the model.")
      .def_ro("name_a", &C::name_a, "Name of body a.")
      .def_ro("name_b", &C::name_b, "Name of body b.")
      .def_ro("shapes", &C::pair, "\"sphere 'ball' on plane 'floor'\"")
      .def_prop_ro(
          "point", [](const C& c) { return c.point.point; }, "In the world [m].")
      .def_prop_ro(
          "normal", [](const C& c) { return c.point.normal; }, "In the world, from b to a.")
      .def_prop_ro(
          "gap", [](const C& c) { return c.point.gap; }, "[m]; negative: the bodies overlap.")
      .def_prop_ro(
          "friction", [](const C& c) { return c.point.friction; }, "Coulomb's coefficient.")
      .def_prop_ro(
          "restitution", [](const C& c) { return c.point.restitution; }, "0 .. 1.")
      .def_prop_ro(
          "id", [](const C& c) { return c.point.id; }, "The same from step to step.")
      .def_prop_ro(
          "force", [](const C& c) { return c.force; }, "On a, along the axes of the world [N].")
      .def("__repr__", [](const C& c) {
        char text[96];
        std::snprintf(text, sizeof text, ", gap %.3g m, force (%.4g, %.4g, %.4g) N>", c.point.gap, c.force.x, c.force.y,
                      c.force.z);
        return "<Contact " + c.pair + text;
      });

  using S = PyStepper;
  nb::class_<S> c(m, "Stepper", nb::type_slots(slots),
                  R"(What all simulations share.

q, v, control, applied, activation and external are arrays of the simulation: read and write them between steps, and in a
controller. They stay the same arrays for its whole life. Steps run without the GIL; while one thread steps a simulation
other threads cannot use it. Ctrl-C stops a run between two steps, with the state as it is then.)");
  add_array(c, "q", &S::q, "Positions, then extra coordinates.");
  add_array(c, "v", &S::v, "Velocities, then those of extra coordinates.");
  add_array(c, "control", &S::control, "One per actuator.");
  add_array(c, "applied", &S::applied, "Joint forces besides the model's own (nv) [N m or N].");
  add_array(c, "activation", &S::activation, "Of actuators that have one.");
  c.def_prop_rw(
       "external", [](S& s) { return s.external; },
       [](S& s, ArrayIn value) {
         const auto n = s.model().bodies().size();
         const InMatrix x("external", "the value", value, n, 6);
         const OutMatrix2 to("external", "the array", {s.external.ptr()}, n, 6);
         std::copy(x.data(), x.data() + 6 * n, to.data());
       },
       "Torque above force on each body, in its frame and about its origin: (bodies, 6).")
      .def_rw("time", &S::time, "[s]")
      .def_prop_rw(
          "threads", [](S& s) { return s.threads(); },
          [](S& s, int n) {
            const Access access("threads", s);
            if (access.nested()) throw std::runtime_error("threads: not from inside a controller");
            s.set_threads(n);
          },
          "That look for contacts and, in a Simulation, solve islands of bodies; 0 sets as many as the machine has. "
          "The same\nbits for any number.")
      .def_prop_rw(
          "controller", [](S& s) { return s.controller; },
          [](S& s, nb::object f) {
            if (!f.is_none() && !PyCallable_Check(f.ptr()))
              throw nb::type_error("controller must be callable, or None");
            s.controller = std::move(f);
          },
          nb::for_getter(nb::sig("def controller(self) -> collections.abc.Callable[[Stepper], object] | None")),
          nb::for_setter(nb::arg("value").none()),
          nb::for_setter(
              nb::sig("def controller(self, value: collections.abc.Callable[[typing.Any], object] | None, /) -> None")),
          "Called before each step with the simulation; may set all that may be set between steps.")
      .def_prop_ro(
          "model", [](S& s) { return s.shared_model(); }, "The Model that it simulates.")
      .def_prop_ro(
          "dt", [](S& s) { return s.get().step_length(); }, "Length of a step [s].")
      .def_prop_ro(
          "extra_coordinates", [](S& s) { return s.get().extra_coordinates(); },
          "Names of coordinates after those of the model: modes of bodies that bend.")
      .def(
          "step",
          [](nb::handle_t<S> self, ArrayIn tau) {
            S& s = nb::cast<S&>(self);
            s.run(self, 1, std::numeric_limits<double>::infinity(), tau, {});
            return s.get().report();
          },
          optional_array("tau"), nb::sig("def step(self, tau: numpy.typing.ArrayLike | None = None) -> StepReport"),
          "One step; tau: added to `applied` for this step. RuntimeError naming step, body and cause where a number "
          "of\n"
          "the new state is not finite, StepRefused where the stepper cannot go on; the state is then that before it.")
      .def_prop_ro(
          "report", [](S& s) { return s.get().report(); }, "Of the last step.")
      .def_prop_ro(
          "wedged",
          [](S& s) {
            const Access access("wedged", s);
            return std::vector<WedgedPart>(s.get().wedged().begin(), s.get().wedged().end());
          },
          "Of the last step: what contradicts in problems that the report counts as wedged, the largest shares first.")
      .def_prop_ro(
          "totals", [](S& s) { return s.get().totals(); }, "Of all steps.")
      .def_prop_ro(
          "contacts", [](S& s) { return Access("contacts", s), list_contacts(s); }, "Of the last step: Contacts.")
      .def(
          "contact_forces",
          [](S& s, ArrayOut out) {
            const Access access("contact_forces", s);
            const auto n = s.get().contacts().size();
            OutMatrix2 O("contact_forces", "out", out, n, 3);
            for (std::size_t i = 0; i < n; ++i) {
              const Vec3<double> f = s.get().contact_force(i);
              O.view()(i, 0) = f.x, O.view()(i, 1) = f.y, O.view()(i, 2) = f.z;
            }
            return O.take();
          },
          optional_array("out"), "Of the last step: on a, along the axes of the world [N], (contacts, 3).")
      .def_prop_ro(
          "actuator_forces", [](S& s) { return Access("actuator_forces", s), copy_vector(s.get().actuator_forces()); },
          "Of the last step [N m or N].")
      .def_prop_ro(
          "acceleration", [](S& s) { return Access("acceleration", s), copy_vector(s.get().acceleration()); },
          "dv/dt of the last step (nv).")
      .def_prop_ro(
          "kinetic_energy", [](S& s) { return Access("kinetic_energy", s), s.push(), s.get().kinetic_energy(); }, "[J]")
      .def_prop_ro(
          "potential_energy", [](S& s) { return Access("potential_energy", s), s.push(), s.get().potential_energy(); },
          "[J]")
      .def_prop_ro(
          "unaccounted_energy",
          [](S& s) { return Access("unaccounted_energy", s), s.push(), s.get().unaccounted_energy(); },
          "Change of energy that no work accounts for: the error of the integrator [J].")
      .def_prop_ro(
          "momentum", [](S& s) { return Access("momentum", s), s.push(), s.get().momentum(); },
          "About the world's origin [N m s, N s].")
      .def(
          "body_poses",
          [](S& s) {
            const Access access("body_poses", s);
            s.push();
            std::vector<BodyMotion> motions;
            s.get().calc_body_motions(motions);
            std::vector<Transform<double>> out;
            for (const BodyMotion& b : motions) out.push_back(b.pose);
            return out;
          },
          "A Transform per body of the model, at the state.")
      .def_prop_ro(
          "options", [](S& s) { return s.get().describe(); }, "Names and values, as texts.")
      .def(
          "make_snapshot", [](S& s) { return Access("make_snapshot", s), s.push(), s.get().make_snapshot(); },
          "All that determines the next steps.");
  c.def("__repr__", [](nb::handle_t<S> self) {
    S& s = nb::cast<S&>(self);
    char text[80];
    std::snprintf(text, sizeof text, "' at %.6g s, dt %.6g s, %ld steps>", s.time, s.get().step_length(),
                  s.get().totals().steps);
    return "<" + nb::cast<std::string>(self.type().attr("__name__")) + " of '" + s.model().name() + text;
  });
  c.def("_repr_html_", [](nb::handle_t<S> self) {
    return html_escape(nb::repr(self).c_str()) + "<br>" +
           attributes_html(self.attr("report"), "Report of the last step") +
           attributes_html(self.attr("totals"), "Totals of all steps");
  });
}

void bind_simulations(nb::module_& m) {
  nb::enum_<Formulation>(m, "Formulation", "Unknowns of the contact problem [J14 Tables 1, 2].")
      .value("nmc", Formulation::nmc, "Body velocities, hinge and loop impulses, contacts.")
      .value("mc", Formulation::mc, "Joint velocities, loop impulses, contacts.")
      .value("rmc", Formulation::rmc, "Contacts, loops eliminated densely.")
      .value("os", Formulation::os, "Loop impulses and contacts: the default.")
      .value("nmc_os", Formulation::nmc_os, "Hinge and loop impulses and contacts, in body coordinates.")
      .value("hinge_pairs", Formulation::hinge_pairs, "Body velocities; every hinge row as two inequalities [J14 5].");
  nb::enum_<LoopMethod>(m, "LoopMethod", "How loops and couplings are held.")
      .value("rows", LoopMethod::rows, "multipliers")
      .value("embed", LoopMethod::embed, "minimal coordinates: no drift");
  nb::enum_<RestitutionFriction>(m, "RestitutionFriction", "What bounds friction in the second phase of a collision.")
      .value("whole", RestitutionFriction::whole, "The whole normal impulse: the default.")
      .value("printed", RestitutionFriction::printed,
             "The additional impulse only, as in [J14 57]; such collisions can gain energy.");

  nb::class_<PySimulation, PyStepper>(m, "Simulation",
                                      R"(Semi-implicit time stepping with hard contact [J14 sections 6, 7].

    sim = sinew.Simulation(model, dt=1e-3)
    sim.q[:] = ...
    sim.run(until=5)

Of a Model (at its neutral position, at rest) or of a Scene (at its start).)")
      .def(
          "__init__",
          [](PySimulation* self, const Source& source, double dt, Formulation formulation, LoopMethod loops,
             const lcp::SolverOptions& solver, RestitutionFriction restitution, bool look_ahead, bool middle_forces,
             double rest_speed, double recovery, double recovery_speed, int refinements, double overlap,
             double most_seconds, bool sleep) {
            const SimulationOptions o{dt,          formulation,   loops,        solver,   restitution,
                                      look_ahead,  middle_forces, rest_speed,   recovery, recovery_speed,
                                      refinements, overlap,       most_seconds, sleep};
            const auto& model = model_of(source);
            std::unique_ptr<Stepper> s = std::make_unique<Simulation>(*model, o);
            begin(*s, source);
            new (self) PySimulation(model, std::move(s));
          },
          "model"_a, nb::kw_only(), "dt"_a = 0., "formulation"_a = Formulation::os, "loops"_a = LoopMethod::rows,
          "solver"_a = SimulationOptions{}.solver, "restitution_friction"_a = RestitutionFriction::whole,
          "look_ahead"_a = true, "middle_forces"_a = true, "rest_speed"_a = -1., "recovery"_a = .2,
          "recovery_speed"_a = .5, "refinements"_a = 2, "overlap"_a = 1e-6, "most_seconds"_a = 0., "sleep"_a = true)
      .def(
          "reserve",
          [](PySimulation& s, int contacts) {
            const Access access("reserve", s);
            if (access.nested()) throw std::runtime_error("reserve: not from inside a controller");
            s.simulation().reserve(contacts);
          },
          "contacts"_a,
          "Makes memory for that many contacts: steps with no more of them allocate none. Changes no result.")
      .def(
          "restore",
          [](PySimulation& s, const Snapshot& snapshot) {
            const Access access("restore", s);
            if (access.nested()) throw std::runtime_error("restore: not from inside a controller");
            s.simulation().restore(snapshot);
            s.pull();
            const auto& control = s.simulation().control;
            const auto& applied = s.simulation().applied;
            const OutVector c("restore", "control", {s.control.ptr()}, control.size());
            std::copy(control.begin(), control.end(), c.data());
            const OutVector a("restore", "applied", {s.applied.ptr()}, applied.size());
            std::copy(applied.begin(), applied.end(), a.data());
            const OutMatrix2 e("restore", "external", {s.external.ptr()}, s.model().bodies().size(), 6);
            std::fill(e.data(), e.data() + 6 * s.model().bodies().size(), 0.);
            const auto& forces = s.simulation().external;
            for (std::size_t i = 0; i < forces.size(); ++i) {
              const double f[] = {forces[i].ang.x, forces[i].ang.y, forces[i].ang.z,
                                  forces[i].lin.x, forces[i].lin.y, forces[i].lin.z};
              std::copy(std::begin(f), std::end(f), e.data() + 6 * i);
            }
          },
          "snapshot"_a,
          "Goes on from a snapshot of a simulation of the same model with the same options, bit for bit; ValueError "
          "says\n"
          "what differs otherwise, and nothing is changed.")
      .def_prop_ro(
          "contact_impulses",
          [](PySimulation& s) {
            const Access access("contact_impulses", s);
            const auto p = s.simulation().contact_impulses();
            return copy_matrix(p, p.size() / 3, 3);
          },
          "Normal, tangent, tangent of each contact of the last step [N s].")
      .def_prop_ro(
          "joint_impulses",
          [](PySimulation& s) { return Access("joint_impulses", s), copy_vector(s.simulation().joint_impulses()); },
          "Of stops, frictions and drives in the last step [N m s or N s].")
      .def_prop_ro(
          "loop_impulses",
          [](PySimulation& s) { return Access("loop_impulses", s), copy_vector(s.simulation().loop_impulses()); },
          "Of the rows of loops in the last step.");

  nb::enum_<IntegrationMethod>(m, "IntegrationMethod", "Methods of integration, with their order [F08 11.45-11.50].")
      .value("euler", IntegrationMethod::euler, "Order 1 [F08 11.47].")
      .value("semi_implicit_euler", IntegrationMethod::semi_implicit_euler, "Order 1; q moves by the new velocity.")
      .value("heun", IntegrationMethod::heun, "Order 2 [F08 11.50].")
      .value("rk4", IntegrationMethod::rk4, "Order 4, on the numbers q; quaternions are scaled to unit length.")
      .value("rkmk4", IntegrationMethod::rkmk4, "Order 4, on the joints' groups (Runge-Kutta-Munthe-Kaas).")
      .value("dormand_prince", IntegrationMethod::dormand_prince, "Order 5, on the groups; adapts its step.");
  nb::class_<SoftSurface>(m, "SoftSurface", "Springs and dampers of a contact [F08 section 11.8].")
      .def(
          "__init__",
          [](SoftSurface* self, double k, double d, double kt, double dt) {
            new (self) SoftSurface{k, d, kt, dt};
          },
          "stiffness"_a, "damping"_a, "tangent_stiffness"_a = 0., "tangent_damping"_a = 0.)
      .def_ro("stiffness", &SoftSurface::stiffness, "K along the normal [N/m].")
      .def_ro("damping", &SoftSurface::damping, "D along the normal [N s/m].")
      .def_ro("tangent_stiffness", &SoftSurface::tangent_stiffness,
              "K_t [N/m]; both tangent numbers 0: those of the normal.")
      .def_ro("tangent_damping", &SoftSurface::tangent_damping,
              "D_t [N s/m]; both tangent numbers 0: those of the normal.");
  m.def(
      "make_soft_surface",
      [](const PyModel& x, double depth, double ratio) { return make_soft_surface(x, depth, ratio); }, "model"_a,
      "depth"_a = 1e-3, "ratio"_a = .7, "On which the heaviest tree sinks in by `depth` [m].");
  nb::class_<PySmoothSimulation, PyStepper>(m, "SmoothSimulation",
                                            "Integrators of higher order: no contact, or soft contact.")
      .def(
          "__init__",
          [](PySmoothSimulation* self, const Source& source, IntegrationMethod k, double dt, double relative,
             double absolute, std::optional<SoftSurface> soft, LoopMethod loops) {
            const SmoothOptions o{k, dt, relative, absolute, soft, loops};
            std::unique_ptr<Stepper> s = std::make_unique<SmoothSimulation>(*model_of(source), o);
            begin(*s, source);
            new (self) PySmoothSimulation(model_of(source), std::move(s));
          },
          "model"_a, nb::kw_only(), "method"_a = IntegrationMethod::dormand_prince, "dt"_a = 0., "relative"_a = 1e-8,
          "absolute"_a = 1e-10, "soft"_a = nb::none(), "loops"_a = LoopMethod::rows);
  nb::class_<PyEventSimulation, PyStepper>(m, "EventSimulation", "Hard contact from event to event.")
      .def(
          "__init__",
          [](PyEventSimulation* self, const Source& source, double dt) {
            EventSimulationOptions o;
            o.dt = dt;
            std::unique_ptr<Stepper> s = std::make_unique<EventSimulation>(*model_of(source), o);
            begin(*s, source);
            new (self) PyEventSimulation(model_of(source), std::move(s));
          },
          "model"_a, nb::kw_only(), "dt"_a = 0.);
}

// Sensors keep their model alive.
template <class S>
struct Kept {
  std::shared_ptr<PyModel> model;
  S sensors;
  explicit Kept(std::shared_ptr<PyModel> m) : model(std::move(m)), sensors(*model) {}
};

template <class K>
void update(K& k, PyStepper& s) {
  const Access access("update", s);
  if (!k.model->identity().is_same(s.model().identity()))
    throw nb::value_error("update: the simulation is of another model");
  k.sensors.update(s.get());
}

void bind_sensors(nb::module_& m) {
  using K = Kept<Sensors>;
  nb::class_<K>(m, "Sensors", "What instruments on a mechanism would read, after update(simulation).")
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def("update", &update<K>, "simulation"_a, "After a step.")
      .def(
          "joint_position",
          [](K& k, const nb::object& j) { return k.sensors.joint_position(find_joint("joint_position", *k.model, j)); },
          "joint"_a, "[rad or m] of a joint with one coordinate.")
      .def(
          "joint_velocity",
          [](K& k, const nb::object& j) { return k.sensors.joint_velocity(find_joint("joint_velocity", *k.model, j)); },
          "joint"_a, "[rad/s or m/s] of a joint with one coordinate.")
      .def(
          "pose", [](K& k, PlaceIn p) { return k.sensors.pose(find_place("pose", *k.model, p)); }, "place"_a,
          "Transform place <- world: r is the position.")
      .def(
          "velocity",
          [](K& k, PlaceIn p, ReferenceFrame r) { return k.sensors.velocity(find_place("velocity", *k.model, p), r); },
          "place"_a, "reference"_a = ReferenceFrame::mixed, "Of a place, angular above linear.")
      .def(
          "imu",
          [](K& k, PlaceIn p) {
            const ImuReading r = k.sensors.imu(find_place("imu", *k.model, p));
            return std::pair(r.gyro, r.accelerometer);
          },
          "place"_a, "Gyro [rad/s] and accelerometer [m/s^2] along the axes of the place; at rest it shows g upwards.")
      .def(
          "contact_force",
          [](K& k, PlaceIn b) { return k.sensors.contact_force(find_body("contact_force", *k.model, b)); }, "body"_a,
          "From all its contacts, axes of the world, about the body's origin [N m, N].")
      .def(
          "actuator_force", [](K& k, int a) { return k.sensors.actuator_force(a); }, "actuator"_a,
          "Of the last step [N m or N].");
  using R = Kept<SensorReadings>;
  nb::class_<R>(m, "SensorReadings", "What the sensors of the model read (MJCF's <sensor>), after update(simulation).")
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def("__len__", [](const R& r) { return r.sensors.sensors(); })
      .def("update", &update<R>, "simulation"_a, "Reads all sensors, after a step.")
      .def_prop_ro(
          "values", [](const R& r) { return copy_vector(r.sensors.values()); }, "Of all, one after the other.")
      .def(
          "__getitem__",
          [](const R& r, const std::variant<int, std::string>& which) {
            int i = 0;
            if (const auto* n = std::get_if<int>(&which)) {
              i = *n;
            } else {
              const auto found = r.sensors.find(std::get<std::string>(which));
              if (!found) throw nb::key_error(("there is no sensor '" + std::get<std::string>(which) + "'").c_str());
              i = *found;
            }
            if (i < 0 || i >= r.sensors.sensors()) throw nb::index_error("there is no sensor of this number");
            return copy_vector(r.sensors.values(i));
          },
          "sensor"_a, "Of one sensor, by number or name.");
}

}  // namespace

void bind_simulation(nb::module_& m) {
  nb::class_<Snapshot>(m, "Snapshot", "A simulation at one moment. Pickles; to_bytes has a checksum.")
      .def_ro("version", &Snapshot::version, "Of its form.")
      .def_ro("model", &Snapshot::model, "hash of the model")
      .def_ro("options", &Snapshot::options, "Names and values of the simulation's options, as texts.")
      .def_prop_ro(
          "names",
          [](const Snapshot& s) {
            std::vector<std::string> names;
            for (const auto& [name, array] : s.arrays) names.push_back(name);
            return names;
          },
          "Of its arrays.")
      .def(
          "reals", [](const Snapshot& s, std::string_view name) { return copy_vector(s.reals(name)); }, "name"_a,
          "An array of numbers by its name; ValueError where there is none.")
      .def(
          "to_bytes",
          [](const Snapshot& s) {
            const std::vector<std::byte> b = to_bytes(s);
            return nb::bytes(b.data(), b.size());
          },
          "With a checksum, for from_bytes.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& b) {
            return snapshot_from_bytes({static_cast<const std::byte*>(b.data()), b.size()});
          },
          "data"_a, "ValueError for bytes that are damaged, cut off or not a snapshot.")
      .def("__getstate__",
           [](const Snapshot& s) {
             const std::vector<std::byte> b = to_bytes(s);
             return nb::bytes(b.data(), b.size());
           })
      .def("__setstate__", [](Snapshot* self, const nb::bytes& b) {
        new (self) Snapshot(snapshot_from_bytes({static_cast<const std::byte*>(b.data()), b.size()}));
      });
  bind_stepper(m);
  bind_simulations(m);
  bind_sensors(m);
}

}  // namespace sinew::py
