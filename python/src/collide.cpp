// python/src/collide.cpp - where shapes touch
#include "sinew/contact/collide.hpp"

#include <cmath>

#include "sinew/contact/contact_shapes.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

// How many sizes a kind has; those must be positive.
std::size_t count_sizes(ShapeKind k) {
  switch (k) {
    case ShapeKind::plane: return 0;
    case ShapeKind::sphere: return 1;
    case ShapeKind::capsule:
    case ShapeKind::cylinder: return 2;
    case ShapeKind::box:
    case ShapeKind::ellipsoid: return 3;
    default: throw nb::value_error("PlacedShape: meshes and heightfields are shapes of a model, see ContactShapes");
  }
}

// Contact detection of a model, with the kinematics that it needs.
struct PyShapes {
  std::shared_ptr<PyModel> model;
  ContactShapes shapes;
  KinematicsWorkspace<double> kinematics;
  std::vector<ContactPoint> found;
  Busy busy;
};

}  // namespace

void bind_collide(nb::module_& m) {
  nb::class_<PlacedShape>(m, "PlacedShape", "A primitive shape that stands somewhere.")
      .def(
          "__init__",
          [](PlacedShape* self, ShapeKind kind, ArrayIn size, const Pose& pose) {
            const std::vector<double> s = read_numbers("PlacedShape", "size", size);
            const std::size_t n = count_sizes(kind);
            if (s.size() != n)
              throw nb::value_error(("PlacedShape: a " + std::string(to_string(kind)) + " has " + std::to_string(n) +
                                     " sizes, not " + std::to_string(s.size()))
                                        .c_str());
            PlacedShape out{kind, pose, {}};
            for (std::size_t i = 0; i < n; ++i) {
              if (!(s[i] > 0) || !std::isfinite(s[i]))
                throw nb::value_error("PlacedShape: sizes must be positive and finite");
              out.size[i] = s[i];
            }
            if (!std::isfinite(pose.r.x + pose.r.y + pose.r.z))
              throw nb::value_error("PlacedShape: the pose must be finite");
            new (self) PlacedShape(out);
          },
          "kind"_a, "size"_a, "pose"_a = Pose{}, "Sizes as in ShapeSpec; a plane has none.")
      .def_ro("kind", &PlacedShape::kind, "What shape it is.");
  nb::class_<TouchPoint>(m, "TouchPoint", "A point half-way between two surfaces; the normal points from b to a.")
      .def_prop_ro(
          "point", [](const TouchPoint& p) { return p.point; }, "In the world [m].")
      .def_prop_ro(
          "normal", [](const TouchPoint& p) { return p.normal; }, "In the world, from b to a.")
      .def_ro("gap", &TouchPoint::gap, "[m]; negative: they overlap.")
      .def("__repr__", [](const TouchPoint& p) { return "<TouchPoint, gap " + std::to_string(p.gap) + " m>"; });
  m.def(
      "collide",
      [](const PlacedShape& a, const PlacedShape& b, double reach) {
        if (!(reach >= 0)) throw nb::value_error("collide: reach must not be negative");
        std::vector<TouchPoint> out;
        collide(a, b, reach, out);
        return out;
      },
      "a"_a, "b"_a, "reach"_a = 0., "All points where the surfaces are at most `reach` [m] apart (docs/shapes.md).");

  using C = ContactPoint;
  nb::class_<C>(m, "ContactPoint", "A point where two bodies touch, or nearly touch.")
      .def_prop_ro(
          "point", [](const C& c) { return c.point; }, "In the world [m].")
      .def_prop_ro(
          "normal", [](const C& c) { return c.normal; }, "In the world, from b to a.")
      .def_ro("gap", &C::gap, "[m]")
      .def_ro("friction", &C::friction, "Coulomb's coefficient.")
      .def_ro("restitution", &C::restitution, "0 .. 1.")
      .def_ro("id", &C::id, "The same from step to step for the same place of the same shapes.");
  using S = PyShapes;
  nb::class_<S>(m, "ContactShapes", "The shapes of a model that may touch.")
      .def(
          "__init__",
          [](S* self, std::shared_ptr<PyModel> model) {
            ContactShapes shapes(*model);
            KinematicsWorkspace<double> kinematics(*model);
            new (self) S{std::move(model), std::move(shapes), std::move(kinematics), {}, {}};
          },
          "model"_a)
      .def_prop_ro(
          "remarks", [](const S& s) { return s.shapes.remarks(); },
          "Sentences: what of the shapes cannot touch, and why.")
      .def(
          "find",
          [](S& s, ArrayIn q, double reach, double time) {
            const InVector Q("find", "q", q, at(s.model->nq()));
            if (!(reach >= 0) || !std::isfinite(reach))
              throw nb::value_error("find: reach must be finite, not negative");
            for (std::size_t i = 0; i < Q.size(); ++i)
              if (!std::isfinite(Q.data()[i])) throw nb::value_error("find: q must be finite");
            const Taken taken("find", s.busy, "the object");
            run_long([&] {
              calc_kinematics<double>(*s.model, s.kinematics, Q, time);
              s.shapes.find(s.kinematics, reach, s.found);
            });
            std::vector<std::pair<C, std::string>> out;
            for (const C& c : s.found) out.emplace_back(c, s.shapes.pair_name(c));
            return out;
          },
          "q"_a, "reach"_a = 0., "time"_a = 0.,
          "ContactPoints at q whose gap is at most `reach` [m] beyond the margin of their pair, each with the names "
          "of\n"
          "its shapes.");
}

}  // namespace sinew::py
