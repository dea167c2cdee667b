// python/src/spec_parts.cpp - shapes, meshes, tendons and actuators of a ModelSpec
#include "spec_list.hpp"

namespace sinew::py {
namespace {

// Rows of three numbers.
std::vector<Vec3<double>> read_points(ArrayIn in) {
  const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(nb::handle(in.object), "float64");
  const auto rows = nb::cast<std::size_t>(array.attr("shape")[0]);
  const InMatrix x("assignment", "the value", {array.ptr()}, rows, 3);
  std::vector<Vec3<double>> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back({x.view()(i, 0), x.view()(i, 1), x.view()(i, 2)});
  return out;
}
Array write_points(const std::vector<Vec3<double>>& v) {
  static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
  return freeze(copy_matrix({v.empty() ? nullptr : &v[0].x, 3 * v.size()}, v.size(), 3));
}

void bind_shapes(nb::module_& m) {
  nb::enum_<ShapeKind>(m, "ShapeKind", "What a shape is.")
      .value("plane", ShapeKind::plane, "Normal z; endless for contact.")
      .value("sphere", ShapeKind::sphere, "Radius.")
      .value("box", ShapeKind::box, "Half sides.")
      .value("capsule", ShapeKind::capsule, "Radius, half length of the cylinder along z.")
      .value("cylinder", ShapeKind::cylinder, "Radius, half length along z.")
      .value("ellipsoid", ShapeKind::ellipsoid, "Three radii.")
      .value("mesh", ShapeKind::mesh, "A MeshSpec by name.")
      .value("heightfield", ShapeKind::heightfield, "A HeightfieldSpec by name.");
  nb::enum_<FrictionLaw>(m, "FrictionLaw", "What a contact resists besides overlap; MuJoCo's condim.")
      .value("none", FrictionLaw::none, "Nothing else.")
      .value("sliding", FrictionLaw::sliding, "Sliding.")
      .value("torsional", FrictionLaw::torsional, "Sliding and spinning.")
      .value("rolling", FrictionLaw::rolling, "Sliding, spinning and rolling.");

  SpecClass<ShapeSpec>(m, "ShapeSpec", "A shape on a body, for contact and display.")
      .field("name", &ShapeSpec::name, "May be empty.")
      .field("body", &ShapeSpec::body, "The body that it is fixed to, by name.")
      .field("pose", &ShapeSpec::pose, "Where it stands in the body's frame.")
      .field("kind", &ShapeSpec::kind, "What shape it is.")
      .field("size", &ShapeSpec::size,
             "sphere: radius; box: half sides; capsule, cylinder: radius, half length along z; ellipsoid: radii [m]")
      .field("asset", &ShapeSpec::asset, "mesh or heightfield by name")
      .field("hull", &ShapeSpec::hull, "a mesh touches with its convex hull; else as it is")
      .field("collides", &ShapeSpec::collides, "False: it is drawn only.")
      .field("visible", &ShapeSpec::visible, "False: it is not drawn.")
      .field("friction", &ShapeSpec::friction, "Coulomb's coefficient; of two shapes the larger counts.")
      .field("torsional_friction", &ShapeSpec::torsional_friction, "[m]")
      .field("rolling_friction", &ShapeSpec::rolling_friction, "[m]")
      .field("friction_law", &ShapeSpec::friction_law,
             "What a contact resists besides overlap; of two shapes the later counts.")
      .field("priority", &ShapeSpec::priority, "The numbers of the shape with the higher one count.")
      .field("restitution", &ShapeSpec::restitution, "0 .. 1; of two shapes the larger counts.")
      .field("margin", &ShapeSpec::margin, "[m]")
      .field("contact_type", &ShapeSpec::contact_type,
             "Two shapes may touch if one's type shares a bit with the other's affinity.")
      .field("contact_affinity", &ShapeSpec::contact_affinity,
             "Two shapes may touch if one's type shares a bit with the other's affinity.")
      .field("group", &ShapeSpec::group, "A number for drawing programs.")
      .field("fluid_ellipsoid", &ShapeSpec::fluid_ellipsoid,
             "True: the medium acts on it as on an ellipsoid, and on its body through such shapes alone.")
      .field("fluid_coefficients", &ShapeSpec::fluid_coefficients,
             "Blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.")
      .field("rgba", &ShapeSpec::rgba, "Red, green, blue, opacity: 0 .. 1.")
      .where();
  bind_list<ShapeSpec>(m, "ShapeSpecList");

  SpecClass<MeshSpec> mesh(m, "MeshSpec", "A triangle mesh: from a file, or given here.");
  mesh.field("name", &MeshSpec::name, "By which shapes find it.")
      .field("file", &MeshSpec::file, "Where it was read from; empty: given here.")
      .field("scale", &MeshSpec::scale, "Factors along x, y and z.")
      .where();
  mesh.get().def_prop_rw(
      "vertices", [](const Item<MeshSpec>& i) { return write_points(i.get().vertices); },
      [](Item<MeshSpec>& i, ArrayIn v) { i.edit().vertices = read_points(v); }, "n x 3 [m]");
  mesh.table("vertices", [](MeshSpec& s, nb::handle h) { s.vertices = read_points({h.ptr()}); });
  mesh.get().def_prop_rw(
      "triangles", [](const Item<MeshSpec>& i) { return i.get().triangles; },
      [](Item<MeshSpec>& i, const std::vector<std::array<int, 3>>& v) { i.edit().triangles = v; },
      "Three numbers of vertices each, counter-clockwise seen from outside.");
  mesh.table("triangles", [](MeshSpec& s, nb::handle h) {
    if (!nb::try_cast(h, s.triangles)) throw nb::type_error("MeshSpec: triangles must hold three numbers each");
  });
  bind_list<MeshSpec>(m, "MeshSpecList");

  SpecClass<HeightfieldSpec>(m, "HeightfieldSpec", "A surface over a grid.")
      .field("name", &HeightfieldSpec::name, "By which shapes find it.")
      .field("file", &HeightfieldSpec::file, "Where it was read from; empty: given here.")
      .field("rows", &HeightfieldSpec::rows, "Points along y.")
      .field("cols", &HeightfieldSpec::cols, "Points along x.")
      .field("size", &HeightfieldSpec::size, "half x, half y, height of 1, depth below 0 [m]")
      .field("elevation", &HeightfieldSpec::elevation, "rows * cols numbers in [0, 1], row by row from -y")
      .where();
  bind_list<HeightfieldSpec>(m, "HeightfieldSpecList");
  SpecClass<ExclusionSpec>(m, "ExclusionSpec", "Two bodies that do not touch each other.")
      .field("body_a", &ExclusionSpec::body_a, "The first body, by name.")
      .field("body_b", &ExclusionSpec::body_b, "The second body, by name.")
      .where();
  bind_list<ExclusionSpec>(m, "ExclusionSpecList");
  SpecClass<PairSpec>(m, "PairSpec", "Two shapes that may touch, with numbers of their own.")
      .field("name", &PairSpec::name, "Not that of another pair.")
      .field("shape_a", &PairSpec::shape_a, "The first shape, by name.")
      .field("shape_b", &PairSpec::shape_b, "The second shape, by name.")
      .field("friction", &PairSpec::friction, "Coulomb's coefficient.")
      .field("torsional_friction", &PairSpec::torsional_friction, "Against spinning [m].")
      .field("rolling_friction", &PairSpec::rolling_friction, "Against rolling [m].")
      .field("friction_law", &PairSpec::friction_law, "What a contact resists besides overlap.")
      .field("margin", &PairSpec::margin, "Distance at which a contact becomes active [m].")
      .where();
  bind_list<PairSpec>(m, "PairSpecList");
}

void bind_tendons(nb::module_& m) {
  nb::enum_<TendonPartKind>(m, "TendonPartKind", "What a tendon does at one of its parts.")
      .value("site", TendonPartKind::site, "the string passes through a frame")
      .value("wrap", TendonPartKind::wrap, "the string stays outside a sphere or cylinder")
      .value("pulley", TendonPartKind::pulley, "a new branch, whose length counts divided by `factor`")
      .value("joint", TendonPartKind::joint, "`factor` times the coordinate of a joint");
  SpecClass<TendonPart>(m, "TendonPart", "A place that a tendon passes, or a joint that it adds up.")
      .field("kind", &TendonPart::kind, "What the tendon does here.")
      .field("target", &TendonPart::target, "frame, shape or joint")
      .field("side", &TendonPart::side, "wrap: a frame on the side where the string goes")
      .field("factor", &TendonPart::factor, "Joint: coefficient; pulley: divisor.");
  SpecClass<TendonSpec>(m, "TendonSpec", "A string with a length L(q): spatial, or a sum of joint coordinates.")
      .field("name", &TendonSpec::name, "Not that of another tendon.")
      .parts("parts", &TendonSpec::parts, "TendonParts in order; all joints: fixed; none of them joints: spatial.")
      .field("lower", &TendonSpec::lower, "[m]")
      .field("upper", &TendonSpec::upper, "[m]")
      .field("stiffness", &TendonSpec::stiffness,
             "Of a spring outside of the range `rest`: -(stiffness x + s[0] x^2 + s[1] x^3).")
      .field("rest", &TendonSpec::rest, "range of the length in which the spring is slack")
      .field("stiffness_terms", &TendonSpec::stiffness_terms, "The two numbers s of the spring.")
      .field("damping", &TendonSpec::damping, "Viscous: -(damping u + d[0] u |u| + d[1] u^3) with u = dL/dt.")
      .field("damping_terms", &TendonSpec::damping_terms, "The two numbers d of the damping.")
      .field("friction", &TendonSpec::friction, "[N]")
      .field("armature", &TendonSpec::armature, "[kg]")
      .field("effort_lower", &TendonSpec::effort_lower, "[N]")
      .field("effort_upper", &TendonSpec::effort_upper, "[N]")
      .where();
  bind_list<TendonSpec>(m, "TendonSpecList");
  SpecClass<TendonCouplingSpec>(m, "TendonCouplingSpec", "The length of one tendon as a polynomial of another's.")
      .field("name", &TendonCouplingSpec::name, "Not that of another coupling.")
      .field("dependent", &TendonCouplingSpec::dependent, "The tendon whose length follows, by name.")
      .field("driver", &TendonCouplingSpec::driver, "The tendon that drives; empty: the dependent one is held.")
      .field("coefficients", &TendonCouplingSpec::coefficients,
             "Of (length of the driver less its own at neutral)^1, ^2, ...")
      .field("offset", &TendonCouplingSpec::offset, "[m]")
      .field("active", &TendonCouplingSpec::active, "False: it holds nothing.")
      .where();
  bind_list<TendonCouplingSpec>(m, "TendonCouplingSpecList");
}

void bind_actuators(nb::module_& m) {
  nb::enum_<Transmission>(m, "Transmission", "What an actuator acts on.")
      .value("joint", Transmission::joint, "Its coordinate; torques of balls and free joints in the body.")
      .value("joint_in_parent", Transmission::joint_in_parent, "The same with torques along the axes of the parent.")
      .value("site", Transmission::site, "A wrench at a frame, in its axes.")
      .value("body", Transmission::body, "The normals of all contacts of the body: adhesion.")
      .value("tendon", Transmission::tendon, "Its length.")
      .value("slider_crank", Transmission::slider_crank,
             "The target slides along its z; a rod joins it to the reference.");
  nb::enum_<Activation>(m, "Activation", "A state of first order between control and force.")
      .value("none", Activation::none, "The control acts at once.")
      .value("integrator", Activation::integrator, "da/dt = u.")
      .value("filter", Activation::filter, "da/dt = (u - a) / time constant.")
      .value("filter_exact", Activation::filter_exact, "The same, without error for a constant u.")
      .value("muscle", Activation::muscle, "da/dt = (u - a) / tau(u, a).");
  SpecClass<MuscleSpec>(
      m, "MuscleSpec",
      "A muscle pulls with force (a FL(l) FV(v) + FP(l)): a its activation, l and v length and speed\n"
      "in units of its resting length. MuJoCo's curves, see docs/simulation.md.")
      .field("range", &MuscleSpec::range, "lengths that belong to the ends of the actuator's length_range")
      .field("force", &MuscleSpec::force, "[N] most active force; negative: scale / acceleration of a unit force")
      .field("scale", &MuscleSpec::scale, "Where force is negative: force = scale / acceleration of a unit force.")
      .field("shortest", &MuscleSpec::shortest, "where the active force ends")
      .field("longest", &MuscleSpec::longest, "Where the active force ends, in units of the resting length.")
      .field("fastest", &MuscleSpec::fastest, "[1/s] speed of shortening without force")
      .field("passive", &MuscleSpec::passive, "passive force at `longest`, in units of force")
      .field("lengthening", &MuscleSpec::lengthening, "most active force while lengthening, in units of force");
  SpecClass<ActuatorSpec> c(m, "ActuatorSpec", "force = gain . (1, length, speed) control + bias . (1, length, speed)");
  c.field("name", &ActuatorSpec::name, "Not that of another actuator.")
      .field("kind", &ActuatorSpec::kind, "\"motor\", \"position\", \"velocity\", ...")
      .field("transmission", &ActuatorSpec::transmission, "What kind of thing it acts on.")
      .field("target", &ActuatorSpec::target, "The joint, frame, body or tendon that it acts on.")
      .field("gear", &ActuatorSpec::gear,
             "Length and force are multiplied by it; six numbers for sites, balls and free joints.")
      .field("gain", &ActuatorSpec::gain, "Factor of the control: [constant, per length, per velocity].")
      .field("bias", &ActuatorSpec::bias, "Part of the force without control: [constant, per length, per velocity].")
      .field("control_lower", &ActuatorSpec::control_lower, "Smaller controls count as this.")
      .field("control_upper", &ActuatorSpec::control_upper, "Larger controls count as this.")
      .field("force_lower", &ActuatorSpec::force_lower, "Smaller forces count as this [N m or N].")
      .field("force_upper", &ActuatorSpec::force_upper, "Larger forces count as this [N m or N].")
      .field("reference", &ActuatorSpec::reference, "The second frame of a site or a slider crank.")
      .field("crank_length", &ActuatorSpec::crank_length, "[m]")
      .field("activation", &ActuatorSpec::activation, "The state of first order between control and force.")
      .field("time_constants", &ActuatorSpec::time_constants, "[s]")
      .field("activation_lower", &ActuatorSpec::activation_lower, "The state is kept above it.")
      .field("activation_upper", &ActuatorSpec::activation_upper, "The state is kept below it.")
      .field("early", &ActuatorSpec::early, "True: the force uses the activation at the end of the step.")
      .field("damping_ratio", &ActuatorSpec::damping_ratio,
             "Positive: bias[2] is -2 ratio sqrt(gain m), m the inertia that it moves at neutral.")
      .field("length_range", &ActuatorSpec::length_range,
             "Of muscles: the shortest and longest that the length can be; None: unknown.")
      .where();
  using Muscle = std::optional<Item<MuscleSpec>>;
  const auto assign = [](ActuatorSpec& a, const Muscle& v) {
    a.muscle.reset();
    if (v) a.muscle = v->get();
  };
  c.get().def_prop_rw(
      "muscle",
      [](const Item<ActuatorSpec>& i) {
        return i.get().muscle ? Muscle(std::in_place, *i.get().muscle, true) : Muscle();
      },
      [assign](Item<ActuatorSpec>& i, const Muscle& v) { assign(i.edit(), v); },
      nb::for_setter(nb::arg("value").none()), "A MuscleSpec, whose law takes the place of gain and bias; None: none.");
  c.table("muscle", [assign](ActuatorSpec& a, nb::handle h) {
    Muscle v;
    if (!nb::try_cast(h, v)) throw nb::type_error("ActuatorSpec: muscle must be a MuscleSpec or None");
    assign(a, v);
  });
  bind_list<ActuatorSpec>(m, "ActuatorSpecList");
}

}  // namespace

void bind_spec_parts(nb::module_& m) {
  bind_shapes(m);
  bind_tendons(m);
  bind_actuators(m);
}

}  // namespace sinew::py
