// python/src/soft_contact.cpp - surfaces of springs and dampers
#include "sinew/sim/soft_contact.hpp"

#include "integrate.hpp"
#include "sinew/sim/contact_source.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

using Pair = std::array<double, 2>;

// Keeps its model; one call at a time.
struct PySoft {
  PySoft(std::shared_ptr<PyModel> m, const SoftContactOptions& o) : model(std::move(m)), contact(*model, o) {}
  std::shared_ptr<PyModel> model;
  SoftContact contact;
};

// Refused, as everywhere, while another thread uses the object; steps run without the GIL.
template <class Function, class... Arguments>
auto call_soft(const std::shared_ptr<Held<PySoft>>& soft, const Function& f, Arguments&&... arguments) {
  std::optional<Use<PySoft>> use;
  {
    const nb::gil_scoped_acquire gil;
    use.emplace("step", *soft, "the soft contact");
  }
  struct Leave {
    std::optional<Use<PySoft>>& use;
    ~Leave() {
      const nb::gil_scoped_acquire gil;
      use.reset();
    }
  } const leave{use};
  return f(std::forward<Arguments>(arguments)...);
}

void bind_soft_dynamics(nb::module_& m) {
  using S = Held<PySoft>;
  m.def(
      "make_soft_dynamics",
      [](std::shared_ptr<S> soft, const nb::object& forces) {
        const std::shared_ptr<PyModel> model = soft->value.model;
        RightHandSide f = make_soft_dynamics(*model, soft->value.contact, make_contact_source(*model),
                                             read_forces("make_soft_dynamics", forces));
        return PyRate{[soft, f = std::move(f)](const StatePoint& x, const StateRate& r) { call_soft(soft, f, x, r); },
                      std::make_shared<RateSource>(model, soft)};
      },
      "soft"_a, "forces"_a.none() = nb::none(),
      nb::sig(("def make_soft_dynamics(soft: SoftContact, forces: " + std::string(kForcesType) + ") -> RightHandSide")
                  .c_str()),
      "For an Integrator of its model with extra = soft.state_size: dv/dt with soft contacts of the model's shapes.\n"
      "Call set_projection(make_soft_upkeep(soft)) too.");
  m.def(
      "make_soft_upkeep",
      [](std::shared_ptr<S> soft) {
        const std::shared_ptr<PyModel> model = soft->value.model;
        Projection f = make_soft_upkeep(soft->value.contact, make_contact_source(*model));
        return PyProjection{[soft, f = std::move(f)](State& s, Out<double> z) { return call_soft(soft, f, s, z); },
                            std::make_shared<RateSource>(model, soft)};
      },
      "soft"_a, "For Integrator.set_projection: frees slots of surfaces that have relaxed, after each step.");
}

void bind_laws(nb::module_& m) {
  m.def(
      "lump", [](const SoftSurface& a, const SoftSurface& b) { return lump(a, b); }, "a"_a, "b"_a,
      "Two surfaces in contact as one, in series. ValueError unless K / D is the same for both.");
  nb::class_<SoftNormal>(m, "SoftNormal", "Force of a soft surface along its normal.")
      .def_ro("force", &SoftNormal::force, "[N]")
      .def_ro("zdot", &SoftNormal::zdot, "[m/s]")
      .def_ro("touches", &SoftNormal::touches, "True: the bodies are in contact.");
  m.def(
      "calc_soft_normal",
      [](const SoftSurface& s, double p, double pdot, double z, double skin) {
        return calc_soft_normal(s, p, pdot, z, skin);
      },
      "surface"_a, "p"_a, "pdot"_a, "z"_a, "skin"_a = 0.,
      "K z + D zdot + f = 0;  f = 0 where p > z,  f = max(0, -K z - D pdot) where p = z  [F08 11.73, 11.74]. z: where\n"
      "the surface stands (negative: pressed in), p: the gap of the body above it [m].");
  nb::class_<SoftTangent>(m, "SoftTangent", "Force of a soft surface along its tangents.")
      .def_ro("force", &SoftTangent::force, "[N] along both tangents")
      .def_ro("xdot", &SoftTangent::xdot, "[m/s]")
      .def_ro("slips", &SoftTangent::slips, "True: friction is at its bound.");
  m.def(
      "calc_soft_tangent",
      [](const SoftSurface& s, const Pair& x, const Pair& v, double limit) {
        return calc_soft_tangent(s, x, v, limit);
      },
      "surface"_a, "x"_a, "v"_a, "limit"_a,
      "Coulomb's law between body and surface [F08 11.77-11.79]. x: shift of the surface, v: velocity of the body, "
      "both\n"
      "along the tangents; limit: mu f_n [N].");
  nb::class_<SoftPair>(m, "SoftPair", "Two soft surfaces with a state each: p = z1 + z2 where they touch.")
      .def_ro("force", &SoftPair::force, "[N]")
      .def_ro("z1dot", &SoftPair::z1dot, "[m/s]")
      .def_ro("z2dot", &SoftPair::z2dot, "[m/s]");
  m.def(
      "calc_soft_pair",
      [](const SoftSurface& a, const SoftSurface& b, double p, double pdot, double z1, double z2) {
        return calc_soft_pair(a, b, p, pdot, z1, z2);
      },
      "a"_a, "b"_a, "p"_a, "pdot"_a, "z1"_a, "z2"_a, "Two surfaces with a state each: p = z1 + z2 where they touch.");
  m.def(
      "relax", [](double k, double d, double z, double time) { return relax(k, d, z, time); }, "stiffness"_a,
      "damping"_a, "z"_a, "time"_a, "z exp(-K t / D): where a surface stands after a time without contact.");
}

}  // namespace

void bind_soft_contact(nb::module_& m) {
  bind_laws(m);
  bind_soft_dynamics(m);
  nb::class_<SoftForce>(m, "SoftForce", "Of one contact that touches.")
      .def_ro("contact", &SoftForce::contact, "The id of its ContactPoint.")
      .def_ro("normal", &SoftForce::normal, "[N]")
      .def_ro("tangent", &SoftForce::tangent, "[N] along both tangents")
      .def_ro("slips", &SoftForce::slips, "True: friction is at its bound.");
  using S = Held<PySoft>;
  nb::class_<S>(m, "SoftContact", R"(Forces of soft contacts at a state [F08 section 11.8].

    soft.calc_motion(q, v)
    tau, zdot = soft.calc_forces(contacts, z, time)

Forces depend on positions, velocities and the state z of the surfaces only: any forward dynamics takes them as tau.)")
      .def(
          "__init__",
          [](S* self, std::shared_ptr<PyModel> model, const SoftSurface& surface, int slots, bool remember,
             double skin) {
            new (self) S(std::move(model), SoftContactOptions{surface, slots, remember, skin});
          },
          "model"_a, "surface"_a, nb::kw_only(), "slots"_a = 16, "remember_normal"_a = false, "skin"_a = 1e-9,
          "slots: contacts that may be pressed or still relaxing at one time. remember_normal: z by the analytic\n"
          "solution, two numbers of state per slot instead of three.")
      .def_prop_ro(
          "state_size", [](S& s) { return Use<PySoft>("state_size", s)->contact.state_size(); }, "Numbers in z.")
      .def(
          "calc_motion",
          [](S& s, ArrayIn q, ArrayIn v, double time) {
            const Use<PySoft> use("calc_motion", s, "the object");
            const InVector Q("calc_motion", "q", q, at(use->model->nq())),
                V("calc_motion", "v", v, at(use->model->nv()));
            use->contact.calc_motion(Q, V, time);
          },
          "q"_a, "v"_a, "time"_a = 0., "Of the bodies; before calc_forces and end_step.")
      .def(
          "calc_forces",
          [](S& s, const std::vector<ContactPoint>& contacts, ArrayIn z, double time, ArrayOut tau, ArrayOut zdot) {
            const char* call = "calc_forces";
            const Use<PySoft> use(call, s, "the object");
            const auto n = at(use->contact.state_size());
            const InVector Z(call, "z", z, n);
            OutVector T(call, "out", tau, at(use->model->nv())), D(call, "out_zdot", zdot, n);
            T.apart_from(Z, D), D.apart_from(Z);
            use->contact.calc_forces(contacts, Z, time, T, D);
            return std::pair(T.take(), D.take());
          },
          "contacts"_a, "z"_a, "time"_a, optional_array("out"), optional_array("out_zdot"),
          "After calc_motion: joint forces of all ContactPoints (nv), and the rates of z (state_size). A contact gets "
          "a\n"
          "slot of z when it first touches; RuntimeError where there are more than slots.")
      .def_prop_ro(
          "forces",
          [](S& s) {
            const Use<PySoft> use("forces", s, "the object");
            return std::vector<SoftForce>(use->contact.forces().begin(), use->contact.forces().end());
          },
          "Of those that touch, after calc_forces.")
      .def(
          "calc_stored_energy",
          [](S& s, ArrayIn z) {
            const Use<PySoft> use("calc_stored_energy", s, "the object");
            const InVector Z("calc_stored_energy", "z", z, at(use->contact.state_size()));
            return use->contact.calc_stored_energy(Z);
          },
          "z"_a, "[J] in the springs, after calc_forces.")
      .def(
          "end_step",
          [](S& s, const std::vector<ContactPoint>& contacts, ArrayOut z, double time) {
            const Use<PySoft> use("end_step", s, "the object");
            if (z.object == Py_None) throw nb::type_error("end_step: z must be an array, it is changed");
            OutVector Z("end_step", "z", z, at(use->contact.state_size()));
            return use->contact.end_step(contacts, Z, time);
          },
          "contacts"_a, "z"_a, "time"_a,
          "After a step and calc_motion: frees slots of surfaces that have relaxed, whose z becomes 0. True if any.");
  nb::borrow<nb::class_<PySmoothSimulation>>(nb::type<PySmoothSimulation>())
      .def_prop_ro(
          "stored_energy",
          [](PySmoothSimulation& s) {
            const Access access("stored_energy", s);
            return static_cast<SmoothSimulation&>(s.get()).stored_energy();
          },
          "[J] in the soft surfaces; a part of what contact_normal and contact_friction took.");
}

}  // namespace sinew::py
