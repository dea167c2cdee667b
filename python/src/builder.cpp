// python/src/builder.cpp - models written in Python, call by call as in C++
#include "sinew/model/builder.hpp"

#include "spec.hpp"

namespace sinew::py {
namespace {

constexpr auto kSelf = nb::rv_policy::reference;  // each call returns the handle it was called on

void bind_solids(nb::module_& m) {
  nb::class_<MassProperties>(m, "MassProperties", "Mass, centre of mass, and inertia about the centre of mass.")
      .def(
          "__init__",
          [](MassProperties* self, double mass, const Vec3<double>& com, const Sym3<double>& inertia) {
            new (self) MassProperties{mass, com, inertia};
          },
          "mass"_a, "com"_a = Vec3<double>{}, "inertia"_a = Sym3<double>{})
      .def_prop_ro(
          "mass", [](const MassProperties& p) { return p.mass; }, "[kg]")
      .def_prop_ro(
          "com", [](const MassProperties& p) { return p.com; }, "[m]")
      .def_prop_ro(
          "inertia", [](const MassProperties& p) { return p.inertia; }, "3 x 3 [kg m^2]")
      .def(
          "placed", [](const MassProperties& p, const Pose& pose) { return placed(p, pose); }, "pose"_a,
          "The same solid standing at a pose.")
      .def(
          "__add__", [](const MassProperties& a, const MassProperties& b) { return a + b; }, nb::is_operator());
  m.def("point_mass", &point_mass, "mass"_a, "at"_a = Vec3<double>{});
  m.def("thin_rod", &thin_rod, "mass"_a, "half_length"_a, "Along z.");
  m.def("solid_sphere", &solid_sphere, "mass"_a, "radius"_a);
  m.def("solid_box", &solid_box, "mass"_a, "half_sides"_a);
  m.def("solid_cylinder", &solid_cylinder, "mass"_a, "radius"_a, "half_length"_a);
  m.def("solid_capsule", &solid_capsule, "mass"_a, "radius"_a, "half_length"_a, "Half length of the cylinder.");
  m.def("solid_ellipsoid", &solid_ellipsoid, "mass"_a, "radii"_a);
}

void bind_body_builder(nb::module_& m) {
  using B = BodyBuilder;
  const Pose here{};
  nb::class_<B>(m, "BodyBuilder", "A body of a ModelBuilder; calls chain.")
      .def("mass", nb::overload_cast<const MassProperties&, const Pose&>(&B::mass), "solid"_a, "pose"_a = here, kSelf,
           "Replaces what was said of the mass before; plus adds to it.")
      .def("mass", nb::overload_cast<double, const Vec3<double>&, const Sym3<double>&>(&B::mass), "mass"_a, "com"_a,
           "inertia_about_com"_a, kSelf)
      .def("plus", &B::plus, "solid"_a, "pose"_a = here, kSelf)
      .def("sphere", &B::sphere, "radius"_a, "pose"_a = here, kSelf, "Shapes do not change the mass.")
      .def("box", &B::box, "half_sides"_a, "pose"_a = here, kSelf)
      .def("capsule", &B::capsule, "radius"_a, "half_length"_a, "pose"_a = here, kSelf)
      .def("cylinder", &B::cylinder, "radius"_a, "half_length"_a, "pose"_a = here, kSelf)
      .def("ellipsoid", &B::ellipsoid, "radii"_a, "pose"_a = here, kSelf)
      .def("plane", &B::plane, "pose"_a = here, kSelf, "Endless, its normal is z of the pose.")
      .def("mesh", &B::mesh, "mesh"_a, "pose"_a = here, kSelf)
      .def("heightfield", &B::heightfield, "name"_a, "pose"_a = here, kSelf)
      .def("named", &B::named, "shape_name"_a, kSelf, "This and the next: of the shape added last.")
      .def("friction", &B::friction, "value"_a, kSelf)
      .def("torsional_friction", &B::torsional_friction, "value"_a, kSelf)
      .def("rolling_friction", &B::rolling_friction, "value"_a, kSelf)
      .def("restitution", &B::restitution, "value"_a, kSelf)
      .def("margin", &B::margin, "value"_a, kSelf)
      .def("touches", &B::touches, "type"_a, "affinity"_a, kSelf)
      .def("no_contact", &B::no_contact, kSelf)
      .def("hull", &B::hull, kSelf)
      .def("frame", &B::frame, "name"_a, "pose"_a = here, kSelf);
}

void bind_joint_builder(nb::module_& m) {
  using J = JointBuilder;
  const Vec3<double> zero{};
  nb::class_<J>(m, "JointBuilder", "A joint of a ModelBuilder; calls chain. Numbers count for all its coordinates.")
      .def("at", &J::at, "origin"_a, "rpy"_a = zero, kSelf, "Its frame on the parent.")
      .def("on_child", &J::on_child, "origin"_a, "rpy"_a = zero, kSelf, "Its frame on the child.")
      .def("axis", &J::axis, "axis"_a, kSelf)
      .def("axes", &J::axes, "first"_a, "second"_a, kSelf)
      .def("reversed", &J::reversed, kSelf)
      .def("neutral", &J::neutral, "q"_a, kSelf)
      .def("limits", &J::limits, "lower"_a, "upper"_a, kSelf)
      .def("max_effort", &J::max_effort, "value"_a, kSelf)
      .def("max_velocity", &J::max_velocity, "value"_a, kSelf)
      .def("damping", &J::damping, "value"_a, kSelf)
      .def("friction", &J::friction, "value"_a, kSelf)
      .def("armature", &J::armature, "value"_a, kSelf)
      .def("spring", &J::spring, "stiffness"_a, "rest"_a = 0, kSelf);

  using T = TendonBuilder;
  nb::class_<T>(m, "TendonBuilder", "A tendon of a ModelBuilder; calls chain.")
      .def("through", &T::through, "frame"_a, kSelf)
      .def("around", &T::around, "shape"_a, "side"_a = "", kSelf)
      .def("pulley", &T::pulley, "divisor"_a, kSelf)
      .def("joint", &T::joint, "joint"_a, "coefficient"_a, kSelf)
      .def("limits", &T::limits, "lower"_a, "upper"_a, kSelf)
      .def("spring", nb::overload_cast<double>(&T::spring), "stiffness"_a, kSelf)
      .def("spring", nb::overload_cast<double, double, double>(&T::spring), "stiffness"_a, "rest_lower"_a,
           "rest_upper"_a, kSelf)
      .def("damping", &T::damping, "value"_a, kSelf)
      .def("friction", &T::friction, "value"_a, kSelf)
      .def("armature", &T::armature, "value"_a, kSelf);
}

// A joint of a given kind: name, parent, child.
template <class Class>
void add_joint(Class& c, const char* name,
               JointBuilder (ModelBuilder::*make)(std::string, std::string, std::string) &) {
  c.def(
      name,
      [make](ModelBuilder& b, std::string n, std::string p, std::string child) {
        return (b.*make)(std::move(n), std::move(p), std::move(child));
      },
      "name"_a, "parent"_a, "child"_a, nb::keep_alive<0, 1>());
}

}  // namespace

void bind_builder(nb::module_& m) {
  bind_solids(m);
  bind_body_builder(m);
  bind_joint_builder(m);

  using B = ModelBuilder;
  nb::class_<B> c(m, "ModelBuilder", R"(A model written call by call.

    b = sinew.ModelBuilder("pendulum")
    b.body("bob").mass(sinew.solid_sphere(1, 0.1), sinew.Transform([0, 0, -1]))
    b.revolute("hinge", "world", "bob").axis([0, 1, 0]).damping(0.1)
    model = b.build())");
  c.def(nb::init<std::string>(), "name"_a)
      .def("gravity", &B::gravity, "gravity"_a, kSelf)
      .def(
          "body", [](B& b, std::string name) { return b.body(std::move(name)); }, "name"_a, nb::keep_alive<0, 1>())
      .def(
          "world", [](B& b) { return b.world(); }, nb::keep_alive<0, 1>(), "For shapes and frames; it has no mass.")
      .def("timestep", &B::timestep, "seconds"_a, kSelf)
      .def("exclude", &B::exclude, "body_a"_a, "body_b"_a, kSelf)
      .def("motor", &B::motor, "name"_a, "joint"_a, "gear"_a = 1, kSelf, "force = gear control")
      .def("position_servo", &B::position_servo, "name"_a, "joint"_a, "stiffness"_a, "damping"_a, kSelf,
           "force = stiffness (control - q) - damping v")
      .def("velocity_servo", &B::velocity_servo, "name"_a, "joint"_a, "damping"_a, kSelf,
           "force = damping (control - v)")
      .def("gear", &B::gear, "name"_a, "dependent"_a, "driver"_a, "ratio"_a, "offset"_a = 0, kSelf,
           "q_dependent = ratio q_driver + offset")
      .def(
          "add_mesh", [](B& b, const Item<MeshSpec>& s) -> B& { return b.add_mesh(s.get()); }, "mesh"_a, kSelf)
      .def(
          "add_heightfield", [](B& b, const Item<HeightfieldSpec>& s) -> B& { return b.add_heightfield(s.get()); },
          "heightfield"_a, kSelf)
      .def(
          "pair", [](B& b, const Item<PairSpec>& s) -> B& { return b.pair(s.get()); }, "pair"_a, kSelf)
      .def(
          "actuator", [](B& b, const Item<ActuatorSpec>& s) -> B& { return b.actuator(s.get()); }, "actuator"_a, kSelf)
      .def(
          "sensor", [](B& b, const Item<SensorSpec>& s) -> B& { return b.sensor(s.get()); }, "sensor"_a, kSelf)
      .def(
          "keyframe", [](B& b, const Item<KeyframeSpec>& s) -> B& { return b.keyframe(s.get()); }, "keyframe"_a, kSelf)
      .def(
          "loop", [](B& b, const Item<LoopSpec>& s) -> B& { return b.loop(s.get()); }, "loop"_a, kSelf)
      .def(
          "couple", [](B& b, const Item<CouplingSpec>& s) -> B& { return b.couple(s.get()); }, "coupling"_a, kSelf)
      .def(
          "tendon", [](B& b, std::string name) { return b.tendon(std::move(name)); }, "name"_a, nb::keep_alive<0, 1>())
      .def(
          "couple_tendons", [](B& b, const Item<TendonCouplingSpec>& s) -> B& { return b.couple_tendons(s.get()); },
          "coupling"_a, kSelf)
      .def(
          "helical",
          [](B& b, std::string n, std::string p, std::string child, double pitch) {
            return b.helical(std::move(n), std::move(p), std::move(child), pitch);
          },
          "name"_a, "parent"_a, "child"_a, "pitch"_a, nb::keep_alive<0, 1>())
      .def(
          "rack_and_pinion",
          [](B& b, std::string n, std::string p, std::string child, double radius) {
            return b.rack_and_pinion(std::move(n), std::move(p), std::move(child), radius);
          },
          "name"_a, "parent"_a, "child"_a, "radius"_a, nb::keep_alive<0, 1>())
      .def(
          "composite",
          [](B& b, std::string n, std::string p, std::string child, const std::vector<Item<JointSpec>>& parts) {
            return b.composite(std::move(n), std::move(p), std::move(child), plain_values(parts));
          },
          "name"_a, "parent"_a, "child"_a, "parts"_a, nb::keep_alive<0, 1>())
      .def_prop_ro(
          "spec",
          [](B& b) {
            return std::make_shared<PySpec>(PySpec{b.spec(), {}});
          },
          "A copy of what was said so far: ModelSpec.")
      .def(
          "build", [](B& b, bool strict) { return compile_model(b.spec(), {}, strict); }, "strict"_a = false,
          "The compiled Model; raises LoadError with all diagnostics where a law is broken.");
  add_joint(c, "fixed", &B::fixed);
  add_joint(c, "revolute", &B::revolute);
  add_joint(c, "prismatic", &B::prismatic);
  add_joint(c, "cylindrical", &B::cylindrical);
  add_joint(c, "planar", &B::planar);
  add_joint(c, "spherical", &B::spherical);
  add_joint(c, "spherical_ypr", &B::spherical_ypr);
  add_joint(c, "universal", &B::universal);
  add_joint(c, "free", &B::free);
}

}  // namespace sinew::py
