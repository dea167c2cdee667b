// python/src/collision.cpp - collisions in two phases by themselves
#include "sinew/contact/collision.hpp"

#include "constraints.hpp"

namespace sinew::py {
namespace {

struct PyCollision {
  PyCollision(std::shared_ptr<PySet> s, Formulation f, const CollisionOptions& o)
      : set(std::move(s)), solver(*set->model, set->set, f, o) {}
  std::shared_ptr<PySet> set;
  CollisionSolver solver;
};

Array rows_of_three(const std::vector<double>& x) { return copy_matrix(x, x.size() / 3, 3); }

void bind_answer(nb::module_& m) {
  using E = CollisionEnergy;
  nb::class_<E>(m, "CollisionEnergy", "[J] Kinetic energy changes by the sum of the three works.")
      .def_ro("before", &E::before)
      .def_ro("compressed", &E::compressed)
      .def_ro("after", &E::after)
      .def_ro("normal_work", &E::normal_work)
      .def_ro("friction_work", &E::friction_work)
      .def_ro("loop_work", &E::loop_work);
  using A = CollisionAnswer;
  nb::class_<A>(m, "CollisionAnswer")
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
      .def_ro("compression_certificate", &A::compression_certificate)
      .def_ro("restitution_certificate", &A::restitution_certificate)
      .def_ro("restituted", &A::restituted, "There was a second phase.")
      .def_ro("energy", &A::energy);
}

}  // namespace

void bind_collision(nb::module_& m) {
  bind_answer(m);
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
          [](S& s, ArrayIn q, ArrayIn v, const std::vector<ContactPoint>& contacts, double time) {
            const Use<PyCollision> use("solve", s, "the solver");
            const PyModel& x = *use->set->model;
            const InVector Q("solve", "q", q, at(x.nq())), V("solve", "v", v, at(x.nv()));
            return run_long([&] { return CollisionAnswer(use->solver.solve(Q, V, contacts, time)); });
          },
          "q"_a, "v"_a, "contacts"_a, "time"_a = 0.,
          "Of ContactPoints, as ContactShapes.find gives them. A CollisionAnswer.");
}

}  // namespace sinew::py
