// python/src/collision.cpp - collisions in two phases by themselves
#include "sinew/contact/collision.hpp"

#include "constraints.hpp"
#include "sinew/contact/joint_limits.hpp"

namespace sinew::py {
namespace {

struct PyCollision {
  PyCollision(std::shared_ptr<PySet> s, Formulation f, const CollisionOptions& o)
      : set(std::move(s)), solver(*set->model, set->set, f, o) {}
  std::shared_ptr<PySet> set;
  CollisionSolver solver;
};

// Keeps its model.
struct PyLimits {
  explicit PyLimits(std::shared_ptr<PyModel> m) : model(std::move(m)), limits(*model) {}
  std::shared_ptr<PyModel> model;
  JointLimits limits;
};

Array rows_of_three(const std::vector<double>& x) { return copy_matrix(x, x.size() / 3, 3); }

void bind_answer(nb::module_& m) {
  using E = CollisionEnergy;
  nb::class_<E>(m, "CollisionEnergy", "[J] Kinetic energy changes by the sum of the three works.")
      .def_ro("before", &E::before, "Kinetic energy before the collision [J].")
      .def_ro("compressed", &E::compressed, "Kinetic energy between the phases [J].")
      .def_ro("after", &E::after, "Kinetic energy after the collision [J].")
      .def_ro("normal_work", &E::normal_work, "Work of the normal impulses in both phases [J].")
      .def_ro("friction_work", &E::friction_work, "Work of friction in both phases [J].")
      .def_ro("loop_work", &E::loop_work, "Work of loops and joint rows in both phases [J].");
  using A = CollisionAnswer;
  nb::class_<A>(m, "CollisionAnswer", "Velocities, impulses and energies of a collision.")
      .def_prop_ro(
          "v", [](const A& a) { return copy_vector(a.v); }, "After the collision (nv).")
      .def_prop_ro(
          "compressed", [](const A& a) { return copy_vector(a.compressed); }, "Velocities between the phases.")
      .def_prop_ro(
          "compression", [](const A& a) { return rows_of_three(a.compression); },
          "Impulses: normal, tangent, tangent of each contact [N s].")
      .def_prop_ro(
          "restitution", [](const A& a) { return rows_of_three(a.restitution); }, "The same, with what is given back.")
      .def_prop_ro(
          "loops", [](const A& a) { return copy_vector(a.loops); }, "Of both phases, rows of the set.")
      .def_prop_ro(
          "joints", [](const A& a) { return copy_vector(a.joints); }, "Of both phases, one per joint row.")
      .def_ro("compression_certificate", &A::compression_certificate,
              "How well the problem of the first phase was solved.")
      .def_ro("restitution_certificate", &A::restitution_certificate,
              "How well the problem of the second phase was solved.")
      .def_ro("restituted", &A::restituted, "There was a second phase.")
      .def_ro("energy", &A::energy, "Kinetic energy in each phase, and the works.");
}

void bind_joint_rows(nb::module_& m) {
  using R = JointRow;
  nb::class_<R>(m, "JointRow", R"(An impulse within bounds between a body and the one that it hangs on.

    lower <= z <= upper  with  w = u + bias + softness z  as in lcp.Problem

u: the velocity against the parent along the direction. Made by make_joint_row, and by JointLimits.find.)")
      .def_ro("direction", &R::direction, "Torque above force, in the coordinates of the node that the joint moves.")
      .def_rw("bias", &R::bias, "Added to u before it is compared with zero: gap / dt [rad/s or m/s].")
      .def_rw("lower", &R::lower, "[N m s or N s]")
      .def_rw("upper", &R::upper, "[N m s or N s]")
      .def_rw("id", &R::id, "The same from step to step.")
      .def_rw("softness", &R::softness, "[1/kg or 1/(kg m^2)] of a drive.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "JointRow"); });
  m.def(
      "make_joint_row",
      [](const PyModel& model, PlaceIn body, const Force<double>& direction, double bias, double lower, double upper,
         std::uint64_t id, double softness) {
        const char* call = "make_joint_row";
        const BodyEntry& b = model.bodies()[at(find_body(call, model, body))];
        if (b.node == 0)
          throw nb::value_error((std::string(call) + ": body '" + b.name + "' cannot move against a parent").c_str());
        JointRow r;
        r.node = b.node, r.parent = model.nodes()[at(b.node)].parent, r.direction = apply_inverse(b.in_node, direction);
        r.bias = bias, r.lower = lower, r.upper = upper, r.id = id, r.softness = softness;
        check_joint_rows(call, model, {&r, 1});
        return r;
      },
      "model"_a, "body"_a, "direction"_a, "bias"_a = 0., "lower"_a = 0.,
      "upper"_a = std::numeric_limits<double>::infinity(), "id"_a = 0, "softness"_a = 0.,
      "A JointRow between a body and the one that its joint hangs it on. direction: torque above force, in the body's\n"
      "frame and about its origin; the parent feels the opposite.");
  using L = Held<PyLimits>;
  nb::class_<L>(m, "JointLimits", R"(End stops and dry friction of joints, as rows of a step.

A stop: 0 <= z towards the inside, w = u + gap / dt >= 0. Friction: |z| <= friction dt against the motion, and w = u.)")
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def_prop_ro(
          "most_rows", [](const L& l) { return l.value.limits.most_rows(); }, "Stops and frictions of the model.")
      .def(
          "find",
          [](L& l, ArrayIn q, ArrayIn v, double dt, double recovery, double time) {
            const Use<PyLimits> use("find", l, "the limits");
            const PyModel& x = *use->model;
            const InVector Q("find", "q", q, at(x.nq())), V("find", "v", v, at(x.nv()));
            if (!(dt > 0)) throw nb::value_error("find: dt must be positive");
            std::vector<JointRow> rows;
            use->limits.find(Q, V, dt, recovery, time, rows);
            return rows;
          },
          "q"_a, "v"_a, "dt"_a, "recovery"_a = .2, "time"_a = 0.,
          "JointRows at q, for a step of dt [s] at about the velocity v: frictions, and the stops that twice that "
          "velocity\n"
          "would reach. A step takes back the share `recovery` of what lies beyond a stop.")
      .def(
          "calc_violation",
          [](L& l, ArrayIn q) {
            const Use<PyLimits> use("calc_violation", l, "the limits");
            const InVector Q("calc_violation", "q", q, at(use->model->nq()));
            int coordinate = -1;
            const double most = use->limits.calc_violation(Q, coordinate);
            return std::pair(most, coordinate);
          },
          "q"_a, "How far q is beyond a stop at most [rad or m], and at which coordinate; 0 if it is beyond none.");
}

}  // namespace

void bind_collision(nb::module_& m) {
  bind_answer(m);
  bind_joint_rows(m);
  m.def(
      "make_contact_point",
      [](const PyModel& model, PlaceIn a, PlaceIn b, const Vec3<double>& point, const Vec3<double>& normal, double gap,
         double friction, double restitution, std::uint64_t id) {
        const char* call = "make_contact_point";
        const auto node = [&](PlaceIn p) { return model.bodies()[at(find_body(call, model, p))].node; };
        if (!(friction >= 0)) throw nb::value_error("make_contact_point: the friction must not be negative");
        if (!(restitution >= 0 && restitution <= 1))
          throw nb::value_error("make_contact_point: the restitution must be in 0 .. 1");
        const double length = dot(normal, normal);
        if (!(length > 1 - 1e-6 && length < 1 + 1e-6))
          throw nb::value_error("make_contact_point: the normal must have the length 1");
        ContactPoint c;
        c.node_a = node(a), c.node_b = node(b), c.point = point, c.normal = normal, c.gap = gap, c.friction = friction;
        c.restitution = restitution, c.id = id;
        return c;
      },
      "model"_a, "body_a"_a, "body_b"_a, "point"_a, "normal"_a, "gap"_a = 0., "friction"_a = 0., "restitution"_a = 0.,
      "id"_a = 0,
      "A ContactPoint of two bodies: point and unit normal in the world, the normal from b to a. ContactShapes finds\n"
      "those of the model's shapes.");
  using S = Held<PyCollision>;
  nb::class_<S>(m, "CollisionSolver", R"(Collisions in two phases [J14 section 7].

Compression brings approach velocities to zero, as in a step of length 0; decompression gives back eps times the stored
normal impulse, after Poisson. Pass all contacts that touch in one call, those at rest too.)")
      .def(
          "__init__",
          [](S* self, const PyModel& model, std::shared_ptr<PySet> set, Formulation f, const lcp::SolverOptions& solver,
             RestitutionFriction friction) {
            check_set("CollisionSolver", model, *set);
            new (self) S(std::move(set), f, CollisionOptions{solver, friction});
          },
          "model"_a, "constraints"_a, "formulation"_a = Formulation::os, nb::kw_only(),
          "solver"_a = lcp::SolverOptions{}, "friction"_a = RestitutionFriction::whole)
      .def(
          "solve",
          [](S& s, ArrayIn q, ArrayIn v, const std::vector<ContactPoint>& contacts, double time,
             const std::vector<JointRow>& joints) {
            const Use<PyCollision> use("solve", s, "the solver");
            const PyModel& x = *use->set->model;
            const InVector Q("solve", "q", q, at(x.nq())), V("solve", "v", v, at(x.nv()));
            return run_long([&] { return CollisionAnswer(use->solver.solve(Q, V, contacts, time, joints)); });
          },
          "q"_a, "v"_a, "contacts"_a, "time"_a = 0., "joints"_a = std::vector<JointRow>{},
          "Of ContactPoints, as ContactShapes.find gives them. joints: JointRows that hold in the collision; their "
          "work\n"
          "counts as that of loops. A CollisionAnswer.");
}

}  // namespace sinew::py
