// python/src/spec_parts.cpp - shapes, meshes, tendons and actuators of a ModelSpec
#include "spec.hpp"

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
  nb::enum_<ShapeKind>(m, "ShapeKind")
      .value("plane", ShapeKind::plane)
      .value("sphere", ShapeKind::sphere)
      .value("box", ShapeKind::box)
      .value("capsule", ShapeKind::capsule)
      .value("cylinder", ShapeKind::cylinder)
      .value("ellipsoid", ShapeKind::ellipsoid)
      .value("mesh", ShapeKind::mesh)
      .value("heightfield", ShapeKind::heightfield);
  nb::enum_<FrictionLaw>(m, "FrictionLaw", "What a contact resists besides overlap; MuJoCo's condim.")
      .value("none", FrictionLaw::none)
      .value("sliding", FrictionLaw::sliding)
      .value("torsional", FrictionLaw::torsional)
      .value("rolling", FrictionLaw::rolling);

  SpecClass<ShapeSpec>(m, "ShapeSpec", "A shape on a body, for contact and display.")
      .field("name", &ShapeSpec::name)
      .field("body", &ShapeSpec::body)
      .field("pose", &ShapeSpec::pose)
      .field("kind", &ShapeSpec::kind)
      .field("size", &ShapeSpec::size,
             "sphere: radius; box: half sides; capsule, cylinder: radius, half length along z; ellipsoid: radii [m]")
      .field("asset", &ShapeSpec::asset, "mesh or heightfield by name")
      .field("hull", &ShapeSpec::hull, "a mesh touches with its convex hull; else as it is")
      .field("collides", &ShapeSpec::collides)
      .field("visible", &ShapeSpec::visible)
      .field("friction", &ShapeSpec::friction)
      .field("torsional_friction", &ShapeSpec::torsional_friction, "[m]")
      .field("rolling_friction", &ShapeSpec::rolling_friction, "[m]")
      .field("friction_law", &ShapeSpec::friction_law)
      .field("priority", &ShapeSpec::priority)
      .field("restitution", &ShapeSpec::restitution)
      .field("margin", &ShapeSpec::margin, "[m]")
      .field("contact_type", &ShapeSpec::contact_type)
      .field("contact_affinity", &ShapeSpec::contact_affinity)
      .field("group", &ShapeSpec::group)
      .field("fluid_ellipsoid", &ShapeSpec::fluid_ellipsoid)
      .field("fluid_coefficients", &ShapeSpec::fluid_coefficients)
      .field("rgba", &ShapeSpec::rgba)
      .where();
  bind_list<ShapeSpec>(m, "ShapeSpecList");

  SpecClass<MeshSpec> mesh(m, "MeshSpec", "A triangle mesh: from a file, or given here.");
  mesh.field("name", &MeshSpec::name).field("file", &MeshSpec::file).field("scale", &MeshSpec::scale).where();
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
      .field("name", &HeightfieldSpec::name)
      .field("file", &HeightfieldSpec::file)
      .field("rows", &HeightfieldSpec::rows)
      .field("cols", &HeightfieldSpec::cols)
      .field("size", &HeightfieldSpec::size, "half x, half y, height of 1, depth below 0 [m]")
      .field("elevation", &HeightfieldSpec::elevation, "rows * cols numbers in [0, 1], row by row from -y")
      .where();
  bind_list<HeightfieldSpec>(m, "HeightfieldSpecList");
  SpecClass<ExclusionSpec>(m, "ExclusionSpec", "Two bodies that do not touch each other.")
      .field("body_a", &ExclusionSpec::body_a)
      .field("body_b", &ExclusionSpec::body_b)
      .where();
  bind_list<ExclusionSpec>(m, "ExclusionSpecList");
  SpecClass<PairSpec>(m, "PairSpec", "Two shapes that may touch, with numbers of their own.")
      .field("name", &PairSpec::name)
      .field("shape_a", &PairSpec::shape_a)
      .field("shape_b", &PairSpec::shape_b)
      .field("friction", &PairSpec::friction)
      .field("torsional_friction", &PairSpec::torsional_friction)
      .field("rolling_friction", &PairSpec::rolling_friction)
      .field("friction_law", &PairSpec::friction_law)
      .field("margin", &PairSpec::margin)
      .where();
  bind_list<PairSpec>(m, "PairSpecList");
}

void bind_tendons(nb::module_& m) {
  nb::enum_<TendonPartKind>(m, "TendonPartKind")
      .value("site", TendonPartKind::site, "the string passes through a frame")
      .value("wrap", TendonPartKind::wrap, "the string stays outside a sphere or cylinder")
      .value("pulley", TendonPartKind::pulley, "a new branch, whose length counts divided by `factor`")
      .value("joint", TendonPartKind::joint, "`factor` times the coordinate of a joint");
  SpecClass<TendonPart>(m, "TendonPart", "A place that a tendon passes, or a joint that it adds up.")
      .field("kind", &TendonPart::kind)
      .field("target", &TendonPart::target, "frame, shape or joint")
      .field("side", &TendonPart::side, "wrap: a frame on the side where the string goes")
      .field("factor", &TendonPart::factor);
  SpecClass<TendonSpec>(m, "TendonSpec", "A string with a length L(q): spatial, or a sum of joint coordinates.")
      .field("name", &TendonSpec::name)
      .parts("parts", &TendonSpec::parts)
      .field("lower", &TendonSpec::lower, "[m]")
      .field("upper", &TendonSpec::upper, "[m]")
      .field("stiffness", &TendonSpec::stiffness)
      .field("rest", &TendonSpec::rest, "range of the length in which the spring is slack")
      .field("stiffness_terms", &TendonSpec::stiffness_terms)
      .field("damping", &TendonSpec::damping)
      .field("damping_terms", &TendonSpec::damping_terms)
      .field("friction", &TendonSpec::friction, "[N]")
      .field("armature", &TendonSpec::armature, "[kg]")
      .field("effort_lower", &TendonSpec::effort_lower, "[N]")
      .field("effort_upper", &TendonSpec::effort_upper, "[N]")
      .where();
  bind_list<TendonSpec>(m, "TendonSpecList");
  SpecClass<TendonCouplingSpec>(m, "TendonCouplingSpec", "The length of one tendon as a polynomial of another's.")
      .field("name", &TendonCouplingSpec::name)
      .field("dependent", &TendonCouplingSpec::dependent)
      .field("driver", &TendonCouplingSpec::driver)
      .field("coefficients", &TendonCouplingSpec::coefficients)
      .field("offset", &TendonCouplingSpec::offset, "[m]")
      .field("active", &TendonCouplingSpec::active)
      .where();
  bind_list<TendonCouplingSpec>(m, "TendonCouplingSpecList");
}

void bind_actuators(nb::module_& m) {
  nb::enum_<Transmission>(m, "Transmission", "What an actuator acts on.")
      .value("joint", Transmission::joint)
      .value("joint_in_parent", Transmission::joint_in_parent)
      .value("site", Transmission::site)
      .value("body", Transmission::body)
      .value("tendon", Transmission::tendon)
      .value("slider_crank", Transmission::slider_crank);
  nb::enum_<Activation>(m, "Activation", "A state of first order between control and force.")
      .value("none", Activation::none)
      .value("integrator", Activation::integrator)
      .value("filter", Activation::filter)
      .value("filter_exact", Activation::filter_exact)
      .value("muscle", Activation::muscle);
  SpecClass<MuscleSpec>(
      m, "MuscleSpec",
      "A muscle pulls with force (a FL(l) FV(v) + FP(l)): a its activation, l and v length and speed\n"
      "in units of its resting length. MuJoCo's curves, see docs/simulation.md.")
      .field("range", &MuscleSpec::range, "lengths that belong to the ends of the actuator's length_range")
      .field("force", &MuscleSpec::force, "[N] most active force; negative: scale / acceleration of a unit force")
      .field("scale", &MuscleSpec::scale)
      .field("shortest", &MuscleSpec::shortest, "where the active force ends")
      .field("longest", &MuscleSpec::longest)
      .field("fastest", &MuscleSpec::fastest, "[1/s] speed of shortening without force")
      .field("passive", &MuscleSpec::passive, "passive force at `longest`, in units of force")
      .field("lengthening", &MuscleSpec::lengthening, "most active force while lengthening, in units of force");
  SpecClass<ActuatorSpec> c(m, "ActuatorSpec", "force = gain . (1, length, speed) control + bias . (1, length, speed)");
  c.field("name", &ActuatorSpec::name)
      .field("kind", &ActuatorSpec::kind)
      .field("transmission", &ActuatorSpec::transmission)
      .field("target", &ActuatorSpec::target)
      .field("gear", &ActuatorSpec::gear)
      .field("gain", &ActuatorSpec::gain)
      .field("bias", &ActuatorSpec::bias)
      .field("control_lower", &ActuatorSpec::control_lower)
      .field("control_upper", &ActuatorSpec::control_upper)
      .field("force_lower", &ActuatorSpec::force_lower)
      .field("force_upper", &ActuatorSpec::force_upper)
      .field("reference", &ActuatorSpec::reference)
      .field("crank_length", &ActuatorSpec::crank_length, "[m]")
      .field("activation", &ActuatorSpec::activation)
      .field("time_constants", &ActuatorSpec::time_constants, "[s]")
      .field("activation_lower", &ActuatorSpec::activation_lower)
      .field("activation_upper", &ActuatorSpec::activation_upper)
      .field("early", &ActuatorSpec::early)
      .field("damping_ratio", &ActuatorSpec::damping_ratio)
      .field("length_range", &ActuatorSpec::length_range)
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
