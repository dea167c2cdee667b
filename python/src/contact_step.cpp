// python/src/contact_step.cpp - one step of a mechanism with contacts by itself, in any formulation
#include "constraints.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/contact/formulation.hpp"
#include "sinew/contact/frictionless.hpp"
#include "sinew/contact/minimal_contacts.hpp"

namespace sinew::py {
namespace {

struct PyContactSolver {
  PyContactSolver(std::shared_ptr<PySet> s, Formulation f, const lcp::SolverOptions& o)
      : set(std::move(s)), solver(*set->model, set->set, f, o) {}
  std::shared_ptr<PySet> set;
  ContactSolver solver;
};

struct PyFrictionless {
  PyFrictionless(std::shared_ptr<PyModel> m, const lcp::SolverOptions& o) : model(std::move(m)), contacts(*model, o) {}
  std::shared_ptr<PyModel> model;
  FrictionlessContacts contacts;
};

Array in_threes(const std::vector<double>& x) { return copy_matrix(x, x.size() / 3, 3); }

void bind_step_answer(nb::module_& m) {
  using W = ContactWork;
  nb::class_<W>(m, "ContactWork",
                "[J] of impulses over a step, each times the mean of the velocities before and after.")
      .def_ro("normal", &W::normal, "Of normal impulses of contacts [J].")
      .def_ro("friction", &W::friction, "Of friction of contacts [J].")
      .def_ro("loops", &W::loops, "Of loops and couplings [J].")
      .def_ro("stops", &W::stops, "Of end stops [J].")
      .def_ro("joint_friction", &W::joint_friction, "Of dry friction of joints [J].")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ContactWork"); });
  nb::enum_<ContactMode>(m, "ContactMode", "What a contact does.")
      .value("open", ContactMode::open, "No impulse.")
      .value("sticking", ContactMode::sticking, "An impulse, and the bodies do not slip.")
      .value("sliding", ContactMode::sliding, "An impulse, and the bodies slip.");
  using S = ContactState;
  nb::class_<S>(m, "ContactState", "What a contact does, in numbers.")
      .def_ro("mode", &S::mode, "Whether it is open, sticks or slides.")
      .def_ro("normal_velocity", &S::normal_velocity, "[m/s]; positive: the bodies part.")
      .def_ro("slip", &S::slip, "[m/s]")
      .def_prop_ro(
          "slip_direction", [](const S& s) { return s.slip_direction; },
          "In the world, of a against b; zero where there is no slip.")
      .def_ro("margin", &S::margin, "mu r_n - |r_t| [N s]: on the cone where zero.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ContactState"); });
  using A = ContactAnswer;
  nb::class_<A>(m, "ContactAnswer", "Velocities and impulses of a step.")
      .def_prop_ro(
          "v", [](const A& a) { return copy_vector(a.v); }, "After the step (nv).")
      .def_prop_ro(
          "contact", [](const A& a) { return in_threes(a.contact); },
          "Impulses: normal, tangent, tangent of each contact [N s].")
      .def_prop_ro(
          "velocity", [](const A& a) { return in_threes(a.velocity); },
          "Of each contact after the step, without the bias [m/s].")
      .def_ro("work", &A::work, "By its source.")
      .def_ro("drift", &A::drift, "Largest position error of the loops before the step [m or rad].")
      .def_prop_ro(
          "joints", [](const A& a) { return copy_vector(a.joints); }, "Impulses of the joint rows.")
      .def_prop_ro(
          "joint_velocity", [](const A& a) { return copy_vector(a.joint_velocity); },
          "Of the joint rows after the step, without the bias.")
      .def_prop_ro(
          "loops", [](const A& a) { return copy_vector(a.loops); }, "Impulses of the rows of the set.")
      .def_ro("certificate", &A::certificate, "How well the problem was solved.")
      .def_prop_ro(
          "size", [](const A& a) { return a.costs.size; }, "Unknowns of the complementarity problem.");
}

void bind_frictionless(nb::module_& m) {
  using A = FrictionlessAnswer;
  nb::class_<A>(m, "FrictionlessAnswer", "Accelerations and forces of contacts that persist or break.")
      .def_prop_ro(
          "qdd", [](const A& a) { return copy_vector(a.qdd); }, "(nv)")
      .def_prop_ro(
          "lambda_", [](const A& a) { return copy_vector(a.lambda); }, "Normal forces, C++'s lambda (contacts) [N].")
      .def_prop_ro(
          "separation", [](const A& a) { return copy_vector(a.separation); }, "zetadot (contacts) [m/s^2].")
      .def_ro("certificate", &A::certificate, "`ray` or `infeasible` where there is no solution.");
  using F = Held<PyFrictionless>;
  nb::class_<F>(m, "FrictionlessContacts",
                R"(Contacts that persist or break, at the level of accelerations and without friction [F08 11.42]:

    H qdd + C = tau + T lambda,   zetadot = T^T qdd + Tdot^T qd >= 0,  lambda >= 0,  zetadot lambda = 0

For contacts whose bodies neither approach nor part. Where normals depend on each other, lambda need not be unique.)")
      .def(
          "__init__",
          [](F* self, std::shared_ptr<PyModel> model, const lcp::SolverOptions& solver) {
            new (self) F(std::move(model), solver);
          },
          "model"_a, "solver"_a = lcp::SolverOptions{})
      .def(
          "solve",
          [](F& f, ArrayIn q, ArrayIn v, ArrayIn tau, const std::vector<ContactPoint>& contacts, ArrayIn ndot,
             double time) {
            const char* call = "solve";
            const Use<PyFrictionless> use(call, f, "the solver");
            const PyModel& x = *use->model;
            const auto nv = at(x.nv());
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
            const InForces N(call, "ndot", ndot, contacts.size());
            return run_long([&] { return A(use->contacts.solve(Q, V, T, contacts, N.view(), time)); });
          },
          "q"_a, "v"_a, "tau"_a, "contacts"_a, optional_array("ndot"), "time"_a = 0.,
          nb::sig("def solve(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, "
                  "contacts: collections.abc.Sequence[ContactPoint], ndot: numpy.typing.ArrayLike | None = None, time: "
                  "float = 0.0) -> FrictionlessAnswer"),
          "A FrictionlessAnswer. ndot: rates of the normals' spatial forces (point x normal, normal), in the world; "
          "None:\n"
          "normals and points stand still.");
  m.def(
      "find_minimal_contacts",
      [](const std::vector<ContactPoint>& contacts) {
        MinimalContacts minimal(static_cast<int>(contacts.size()));
        const std::span<const int> kept = minimal.find(contacts);
        return std::vector<int>(kept.begin(), kept.end());
      },
      "contacts"_a,
      "C++'s MinimalContacts: numbers of the ContactPoints that are enough; the others follow from them [F08 section "
      "11.6].");
  m.def(
      "calc_contact_jacobian",
      [](const PyModel& x, const std::vector<ContactPoint>& contacts, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_contact_jacobian";
        const InVector Q(call, "q", q, at(x.nq()));
        check_contacts(call, x, contacts);
        OutMatrix2 J(call, "out", out, 3 * contacts.size(), at(x.nv()));
        J.apart_from(Q);
        const ConstraintSet none(x, {}, false);
        ConstraintRows here(x, none);
        const std::vector<double> still(at(x.nv()));
        calc_constraint_rows(x, none, here, Q, still, time);
        ContactRows rows(x);
        calc_contact_rows({{}, contacts}, here.motion.kinematics, rows);
        get_contact_jacobian(x, here, rows, J.view());
        return J.take();
      },
      "model"_a, "contacts"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "J of ContactPoints at q, 3 contacts x nv: velocity of a against b along normal, tangent, tangent [J14 22]. "
      "C++'s\n"
      "calc_contact_rows and get_contact_jacobian.");
}

}  // namespace

void bind_contact_step(nb::module_& m) {
  bind_step_answer(m);
  bind_frictionless(m);
  using S = Held<PyContactSolver>;
  nb::class_<S>(m, "ContactSolver", R"(One step of a mechanism with contacts, in any of J14's six formulations:

    M (v+ - v) = (tau - C) dt + K^T p + J^T r,   K v+ = -(stabilization),   (J v+ + bias, r) obey Coulomb's law

A step of length 0 is a collision: only impulses act [J14 54]. Positions are not moved: integrate(model, q, v+, dt).)")
      .def(
          "__init__",
          [](S* self, const PyModel& model, std::shared_ptr<PySet> set, Formulation f,
             const lcp::SolverOptions& solver) {
            check_set("ContactSolver", model, *set);
            new (self) S(std::move(set), f, solver);
          },
          "model"_a, "constraints"_a, "formulation"_a = Formulation::os, "solver"_a = lcp::SolverOptions{})
      .def(
          "solve",
          [](S& s, ArrayIn q, ArrayIn v, ArrayIn tau, double dt, const std::vector<ContactPoint>& contacts,
             const std::vector<JointRow>& joints, ArrayIn bias, ArrayIn external, double time, double feedback) {
            const char* call = "solve";
            const Use<PyContactSolver> use(call, s, "the solver");
            const PyModel& x = *use->set->model;
            const auto nv = at(x.nv());
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
            const InForces E(call, "external", external, x.bodies().size());
            std::optional<InVector> B;
            if (!bias.is_none()) B.emplace(call, "bias", bias, contacts.size());
            if (!(dt >= 0)) throw nb::value_error("solve: dt must not be negative");
            ContactStep step;
            step.q = Q, step.v = V, step.tau = T, step.dt = dt, step.time = time;
            step.contacts = contacts, step.joints = joints, step.external = E.view(), step.feedback = feedback;
            if (B) step.bias = *B;
            return run_long([&] { return ContactAnswer(use->solver.solve(step)); });
          },
          "q"_a, "v"_a, "tau"_a, "dt"_a, "contacts"_a, "joints"_a = std::vector<JointRow>{}, optional_array("bias"),
          optional_array("external"), "time"_a = 0., "feedback"_a = 0.,
          nb::sig("def solve(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, "
                  "dt: float, contacts: collections.abc.Sequence[ContactPoint], joints: "
                  "collections.abc.Sequence[JointRow] = ..., bias: numpy.typing.ArrayLike | None = None, external: "
                  "numpy.typing.ArrayLike | None = None, time: float = 0.0, feedback: float = 0.0) -> ContactAnswer"),
          "A ContactAnswer. contacts: ContactPoints; joints: JointRows. bias: added to the normal velocities before "
          "they\n"
          "are compared with zero, gap / dt; external: on bodies, as in aba; feedback: 0 .. 1, share of the loops' "
          "position\n"
          "errors that the step removes.")
      .def(
          "contact_states",
          [](S& s, double tolerance) {
            return Use<PyContactSolver>("contact_states", s, "the solver")->solver.contact_states(tolerance);
          },
          "tolerance"_a = 1e-9, "ContactStates of the last call. Below `tolerance` [N s, m/s] a number counts as 0.");
  m.def(
      "contact_tangents", [](const Vec3<double>& normal) { return contact_tangents(normal); }, "normal"_a,
      "Two unit tangents that make a right-handed frame with a normal: those of every impulse and record.");
}

}  // namespace sinew::py
