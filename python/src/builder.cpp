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
  m.def("point_mass", &point_mass, "mass"_a, "at"_a = Vec3<double>{}, "MassProperties of a point [kg].");
  m.def("thin_rod", &thin_rod, "mass"_a, "half_length"_a, "Along z.");
  m.def("solid_sphere", &solid_sphere, "mass"_a, "radius"_a, "MassProperties of a uniform sphere [kg, m].");
  m.def("solid_box", &solid_box, "mass"_a, "half_sides"_a,
        "MassProperties of a uniform box by half its sides [kg, m].");
  m.def("solid_cylinder", &solid_cylinder, "mass"_a, "radius"_a, "half_length"_a,
        "MassProperties of a uniform cylinder along z [kg, m].");
  m.def("solid_capsule", &solid_capsule, "mass"_a, "radius"_a, "half_length"_a, "Half length of the cylinder.");
  m.def("solid_ellipsoid", &solid_ellipsoid, "mass"_a, "radii"_a,
        "MassProperties of a uniform ellipsoid by its radii [kg, m].");
}

void bind_body_builder(nb::module_& m) {
  using B = BodyBuilder;
  const Pose here{};
  nb::class_<B>(m, "BodyBuilder", "A body of a ModelBuilder; calls chain.")
      .def("mass", nb::overload_cast<const MassProperties&, const Pose&>(&B::mass), "solid"_a, "pose"_a = here, kSelf,
           "Replaces what was said of the mass before; plus adds to it.")
      .def("mass", nb::overload_cast<double, const Vec3<double>&, const Sym3<double>&>(&B::mass), "mass"_a, "com"_a,
           "inertia_about_com"_a, kSelf)
      .def("plus", &B::plus, "solid"_a, "pose"_a = here, kSelf, "Adds to the mass.")
      .def("sphere", &B::sphere, "radius"_a, "pose"_a = here, kSelf, "Shapes do not change the mass.")
      .def("box", &B::box, "half_sides"_a, "pose"_a = here, kSelf, "A shape by half its sides [m].")
      .def("capsule", &B::capsule, "radius"_a, "half_length"_a, "pose"_a = here, kSelf,
           "A shape along z; half_length is that of the cylinder [m].")
      .def("cylinder", &B::cylinder, "radius"_a, "half_length"_a, "pose"_a = here, kSelf, "A shape along z [m].")
      .def("ellipsoid", &B::ellipsoid, "radii"_a, "pose"_a = here, kSelf, "A shape by its radii [m].")
      .def("plane", &B::plane, "pose"_a = here, kSelf, "Endless, its normal is z of the pose.")
      .def("mesh", &B::mesh, "mesh"_a, "pose"_a = here, kSelf,
           "A shape by the name of a MeshSpec: as it is; hull() for its convex hull.")
      .def("heightfield", &B::heightfield, "name"_a, "pose"_a = here, kSelf,
           "A shape by the name of a HeightfieldSpec.")
      .def("named", &B::named, "shape_name"_a, kSelf, "This and the next: of the shape added last.")
      .def("friction", &B::friction, "value"_a, kSelf, "Coulomb's, of the shape added last.")
      .def("torsional_friction", &B::torsional_friction, "value"_a, kSelf,
           "Against spinning, of the shape added last [m].")
      .def("rolling_friction", &B::rolling_friction, "value"_a, kSelf, "Against rolling, of the shape added last [m].")
      .def("restitution", &B::restitution, "value"_a, kSelf, "0 .. 1, of the shape added last.")
      .def("margin", &B::margin, "value"_a, kSelf,
           "Distance at which a contact of the shape added last becomes active [m].")
      .def("touches", &B::touches, "type"_a, "affinity"_a, kSelf,
           "Bits that decide what the shape added last may touch; see ShapeSpec.")
      .def("no_contact", &B::no_contact, kSelf, "The shape added last is drawn only.")
      .def("hull", &B::hull, kSelf, "The mesh added last touches with its convex hull.")
      .def("frame", &B::frame, "name"_a, "pose"_a = here, kSelf, "A frame fixed to the body.");
}

void bind_joint_builder(nb::module_& m) {
  using J = JointBuilder;
  const Vec3<double> zero{};
  nb::class_<J>(m, "JointBuilder", "A joint of a ModelBuilder; calls chain. Numbers count for all its coordinates.")
      .def("at", &J::at, "origin"_a, "rpy"_a = zero, kSelf, "Its frame on the parent.")
      .def("on_child", &J::on_child, "origin"_a, "rpy"_a = zero, kSelf, "Its frame on the child.")
      .def("axis", &J::axis, "axis"_a, kSelf, "In its frame on the parent.")
      .def("axes", &J::axes, "first"_a, "second"_a, kSelf, "Its two axes, in its frame on the parent.")
      .def("reversed", &J::reversed, kSelf, "The motion is that of the parent seen from the child.")
      .def("neutral", &J::neutral, "q"_a, kSelf, "Positions at the neutral configuration.")
      .def("limits", &J::limits, "lower"_a, "upper"_a, kSelf, "End stops of all its coordinates [rad or m].")
      .def("max_effort", &J::max_effort, "value"_a, kSelf, "Of all its coordinates [N m or N].")
      .def("max_velocity", &J::max_velocity, "value"_a, kSelf, "Of all its coordinates [rad/s or m/s].")
      .def("damping", &J::damping, "value"_a, kSelf, "Viscous, of all its coordinates [N m s/rad or N s/m].")
      .def("friction", &J::friction, "value"_a, kSelf, "Dry, of all its coordinates [N m or N].")
      .def("armature", &J::armature, "value"_a, kSelf, "Inertia of the drive, added to each coordinate [kg m^2 or kg].")
      .def("spring", &J::spring, "stiffness"_a, "rest"_a = 0, kSelf, "Of all its coordinates [N m/rad or N/m].");

  using T = TendonBuilder;
  nb::class_<T>(m, "TendonBuilder", "A tendon of a ModelBuilder; calls chain.")
      .def("through", &T::through, "frame"_a, kSelf, "The next part: through a frame.")
      .def("around", &T::around, "shape"_a, "side"_a = "", kSelf,
           "The next part: around a shape, on the side of a frame.")
      .def("pulley", &T::pulley, "divisor"_a, kSelf,
           "The next part begins a branch, whose length counts divided by this.")
      .def("joint", &T::joint, "joint"_a, "coefficient"_a, kSelf,
           "Of a fixed tendon: adds coefficient times the coordinate of a joint.")
      .def("limits", &T::limits, "lower"_a, "upper"_a, kSelf, "Hard stops of its length [m].")
      .def("spring", nb::overload_cast<double>(&T::spring), "stiffness"_a, kSelf,
           "Along its length [N/m]; without a rest: at rest where the joints are at the rest of theirs.")
      .def("spring", nb::overload_cast<double, double, double>(&T::spring), "stiffness"_a, "rest_lower"_a,
           "rest_upper"_a, kSelf)
      .def("damping", &T::damping, "value"_a, kSelf, "Viscous [N s/m].")
      .def("friction", &T::friction, "value"_a, kSelf, "Dry [N].")
      .def("armature", &T::armature, "value"_a, kSelf, "Inertia of its length [kg].");
}

// A joint of a given kind: name, parent, child.
template <class Class>
void add_joint(Class& c, const char* name, JointBuilder (ModelBuilder::*make)(std::string, std::string, std::string) &,
               const char* doc) {
  c.def(
      name,
      [make](ModelBuilder& b, std::string n, std::string p, std::string child) {
        return (b.*make)(std::move(n), std::move(p), std::move(child));
      },
      "name"_a, "parent"_a, "child"_a, nb::keep_alive<0, 1>(), doc);
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
      .def("gravity", &B::gravity, "gravity"_a, kSelf, "[m/s^2]; default: 9.81 along -z.")
      .def(
          "body", [](B& b, std::string name) { return b.body(std::move(name)); }, "name"_a, nb::keep_alive<0, 1>(),
          "A new body: its BodyBuilder.")
      .def(
          "world", [](B& b) { return b.world(); }, nb::keep_alive<0, 1>(), "For shapes and frames; it has no mass.")
      .def("timestep", &B::timestep, "seconds"_a, kSelf, "Of simulations, where they are given none [s].")
      .def("exclude", &B::exclude, "body_a"_a, "body_b"_a, kSelf, "The two bodies do not touch.")
      .def("motor", &B::motor, "name"_a, "joint"_a, "gear"_a = 1, kSelf, "force = gear control")
      .def("position_servo", &B::position_servo, "name"_a, "joint"_a, "stiffness"_a, "damping"_a, kSelf,
           "force = stiffness (control - q) - damping v")
      .def("velocity_servo", &B::velocity_servo, "name"_a, "joint"_a, "damping"_a, kSelf,
           "force = damping (control - v)")
      .def("gear", &B::gear, "name"_a, "dependent"_a, "driver"_a, "ratio"_a, "offset"_a = 0, kSelf,
           "q_dependent = ratio q_driver + offset")
      .def(
          "add_mesh", [](B& b, const Item<MeshSpec>& s) -> B& { return b.add_mesh(s.get()); }, "mesh"_a, kSelf,
          "For BodyBuilder.mesh.")
      .def(
          "add_heightfield", [](B& b, const Item<HeightfieldSpec>& s) -> B& { return b.add_heightfield(s.get()); },
          "heightfield"_a, kSelf, "For BodyBuilder.heightfield.")
      .def(
          "pair", [](B& b, const Item<PairSpec>& s) -> B& { return b.pair(s.get()); }, "pair"_a, kSelf,
          "Two shapes that touch with numbers of their own.")
      .def(
          "actuator", [](B& b, const Item<ActuatorSpec>& s) -> B& { return b.actuator(s.get()); }, "actuator"_a, kSelf,
          "Any ActuatorSpec.")
      .def(
          "sensor", [](B& b, const Item<SensorSpec>& s) -> B& { return b.sensor(s.get()); }, "sensor"_a, kSelf,
          "Any SensorSpec.")
      .def(
          "keyframe", [](B& b, const Item<KeyframeSpec>& s) -> B& { return b.keyframe(s.get()); }, "keyframe"_a, kSelf,
          "A state with a name.")
      .def(
          "loop", [](B& b, const Item<LoopSpec>& s) -> B& { return b.loop(s.get()); }, "loop"_a, kSelf,
          "A joint that closes a loop; its sides name bodies or frames.")
      .def(
          "couple", [](B& b, const Item<CouplingSpec>& s) -> B& { return b.couple(s.get()); }, "coupling"_a, kSelf,
          "Any CouplingSpec.")
      .def(
          "tendon", [](B& b, std::string name) { return b.tendon(std::move(name)); }, "name"_a, nb::keep_alive<0, 1>(),
          "A new tendon: its TendonBuilder.")
      .def(
          "couple_tendons", [](B& b, const Item<TendonCouplingSpec>& s) -> B& { return b.couple_tendons(s.get()); },
          "coupling"_a, kSelf, "Two tendons whose lengths depend on each other.")
      .def(
          "helical",
          [](B& b, std::string n, std::string p, std::string child, double pitch) {
            return b.helical(std::move(n), std::move(p), std::move(child), pitch);
          },
          "name"_a, "parent"_a, "child"_a, "pitch"_a, nb::keep_alive<0, 1>(),
          "A screw: travel is pitch times angle [m/rad].")
      .def(
          "rack_and_pinion",
          [](B& b, std::string n, std::string p, std::string child, double radius) {
            return b.rack_and_pinion(std::move(n), std::move(p), std::move(child), radius);
          },
          "name"_a, "parent"_a, "child"_a, "radius"_a, nb::keep_alive<0, 1>(), "Rolls along a rack.")
      .def(
          "composite",
          [](B& b, std::string n, std::string p, std::string child, const std::vector<Item<JointSpec>>& parts) {
            return b.composite(std::move(n), std::move(p), std::move(child), plain_values(parts));
          },
          "name"_a, "parent"_a, "child"_a, "parts"_a, nb::keep_alive<0, 1>(),
          "Several joints one after the other, as one.")
      .def_prop_ro(
          "spec",
          [](B& b) {
            return std::make_shared<PySpec>(PySpec{b.spec(), {}});
          },
          "A copy of what was said so far: ModelSpec.")
      .def(
          "build", [](B& b, bool strict) { return compile_model(b.spec(), {}, strict); }, "strict"_a = false,
          "The compiled Model; raises LoadError with all diagnostics where a law is broken.");
  add_joint(c, "fixed", &B::fixed, "No motion.");
  add_joint(c, "revolute", &B::revolute, "Turns about its axis.");
  add_joint(c, "prismatic", &B::prismatic, "Slides along its axis.");
  add_joint(c, "cylindrical", &B::cylindrical, "Turns about and slides along its axis.");
  add_joint(c, "planar", &B::planar, "A turn and two shifts in the plane.");
  add_joint(c, "spherical", &B::spherical, "Turns in all directions; a quaternion.");
  add_joint(c, "spherical_ypr", &B::spherical_ypr,
            "The same by yaw, pitch and roll; singular at a pitch of 90 degrees.");
  add_joint(c, "universal", &B::universal, "Turns about two axes.");
  add_joint(c, "free", &B::free, "Six freedoms.");
}

}  // namespace sinew::py
