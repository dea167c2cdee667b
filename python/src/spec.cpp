// python/src/spec.cpp - ModelSpec with its bodies, joints, loops and couplings
#include "callable.hpp"
#include "spec_list.hpp"
#include "user_joint.hpp"

namespace sinew::py {
namespace {

template <class T>
void add_list(nb::class_<PySpec>& c, const char* name, std::vector<T> ModelSpec::*list, const char* doc) {
  c.def_prop_ro(
      name,
      [list](std::shared_ptr<PySpec> s) {
        return SpecList<T>{std::move(s), list};
      },
      doc);
}

// Laws of prescribed joints, and users' joints.
void add_functions(SpecClass<JointSpec>& joint) {
  joint.get().def_prop_rw(
      "law", [](const Item<JointSpec>& i) { return show_law(i.get().law); },
      [](Item<JointSpec>& i, const nb::object& f) { i.edit().law = read_law("JointSpec", f); },
      nb::for_getter(nb::sig("def law(self) -> collections.abc.Callable[[float], tuple[float, float, float]] | None")),
      nb::for_setter(nb::arg("value").none()),
      nb::for_setter(
          nb::sig("def law(self, value: collections.abc.Callable[[float], tuple[float, float, float]] | None, "
                  "/) -> None")),
      "prescribed: f(t) -> position, velocity, acceleration of its coordinate [F08 section 3.5]. Called with the GIL\n"
      "whenever an algorithm needs it; what it raises comes out of that call.");
  joint.table("law", [](JointSpec& j, nb::handle f) { j.law = read_law("JointSpec", f); });
  using User = std::optional<PyUserJoint>;
  joint.get().def_prop_rw(
      "user", [](const Item<JointSpec>& i) { return i.get().user ? User(PyUserJoint{i.get().user}) : User(); },
      [](Item<JointSpec>& i, const User& u) { i.edit().user = u ? u->joint : nullptr; },
      nb::for_setter(nb::arg("value").none()), "user: a UserJoint.");
  joint.table("user", [](JointSpec& j, nb::handle h) {
    User u;
    if (!nb::try_cast(h, u)) throw nb::type_error("JointSpec: user must be a UserJoint or None");
    j.user = u ? u->joint : nullptr;
  });
}

void bind_joints(nb::module_& m) {
  nb::enum_<JointKind>(m, "JointKind", "The closed set of joint types; nq position and nv velocity coordinates each.")
      .value("fixed", JointKind::fixed, "0, 0")
      .value("revolute", JointKind::revolute, "1, 1: angle about z")
      .value("prismatic", JointKind::prismatic, "1, 1: travel along z")
      .value("helical", JointKind::helical, "1, 1: angle about z, travel pitch * angle along z")
      .value("cylindrical", JointKind::cylindrical, "2, 2: angle about z, travel along z")
      .value("planar", JointKind::planar, "3, 3: angle about z; x, y | w_z, v_x, v_y in the child's frame")
      .value("spherical", JointKind::spherical, "4, 3: quaternion w x y z | angular velocity in the child's frame")
      .value("spherical_ypr", JointKind::spherical_ypr, "3, 3: yaw, pitch, roll; singular at pitch +-90 deg")
      .value("universal", JointKind::universal, "2, 2: angle about x, then about the new y")
      .value("free", JointKind::free, "7, 6: quaternion, position | angular, linear velocity in the child's frame")
      .value("rack_and_pinion", JointKind::rack_and_pinion, "1, 1: a pinion that rolls along the rack's x")
      .value("prescribed", JointKind::prescribed, "0, 0: moves as a given function of time")
      .value("composite", JointKind::composite, "the sum of its parts")
      .value("user", JointKind::user, "as a class in C++, or a UserJoint, says");

  SpecClass<DofSpec>(m, "DofSpec", "One velocity coordinate of a joint: limits, damping, friction, armature, spring.")
      .field("lower", &DofSpec::lower, "[rad or m]")
      .field("upper", &DofSpec::upper, "[rad or m]; spherical: of the first coordinate, the largest turn")
      .field("max_velocity", &DofSpec::max_velocity, "[rad/s or m/s]")
      .field("max_effort", &DofSpec::max_effort, "[N m or N]")
      .field("damping", &DofSpec::damping, "viscous")
      .field("friction", &DofSpec::friction, "dry")
      .field("armature", &DofSpec::armature, "rotor inertia seen at the joint [kg m^2 or kg]")
      .field("stiffness", &DofSpec::stiffness, "of a spring towards q = rest")
      .field("rest", &DofSpec::rest, "Position where the spring has no force.")
      .field("stiffness_terms", &DofSpec::stiffness_terms, "of x^2 and x^3, x = q - rest")
      .field("damping_terms", &DofSpec::damping_terms, "of v |v| and v^3");

  SpecClass<JointSpec> joint(m, "JointSpec",
                             "A joint as a user writes it; the order of joints is the order of q and v.");
  joint.field("name", &JointSpec::name, "Not that of another joint.")
      .field("parent", &JointSpec::parent, "predecessor body; empty in a part of a composite")
      .field("child", &JointSpec::child, "successor body")
      .field("kind", &JointSpec::kind, "What motion it allows.")
      .field("placement", &JointSpec::placement, "of the joint's frame in the parent")
      .field("child_placement", &JointSpec::child_placement, "of the joint's frame in the child")
      .field("axis", &JointSpec::axis, "in the joint's frame on the parent")
      .field("axis2", &JointSpec::axis2, "universal: second axis; rack and pinion: direction of the rack")
      .field("pitch", &JointSpec::pitch, "helical [m/rad]")
      .field("radius", &JointSpec::radius, "rack and pinion [m]")
      .field("reversed", &JointSpec::reversed, "the motion is that of the parent seen from the child")
      .field("continuous", &JointSpec::continuous, "True: revolute without limits by intent (URDF \"continuous\").")
      .parts("dofs", &JointSpec::dofs, "none: all defaults; else one per velocity coordinate")
      .field("neutral", &JointSpec::neutral, "none: that of its kind; else nq numbers")
      .parts("parts", &JointSpec::parts, "composite: from parent to child")
      .field("prescribed_kind", &JointSpec::prescribed_kind, "prescribed: revolute, prismatic or helical")
      .where();
  add_functions(joint);
  bind_list<JointSpec>(m, "JointSpecList");

  SpecClass<LoopSpec>(m, "LoopSpec", "A loop joint: frame b moves relative to frame a as the joint allows [F08 4.1.4].")
      .field("name", &LoopSpec::name, "Not that of another loop.")
      .field("kind", &LoopSpec::kind, "The kind of joint that closes it.")
      .field("body_a", &LoopSpec::body_a, "Body or frame on one side, by name.")
      .field("body_b", &LoopSpec::body_b, "Body or frame on the other side, by name.")
      .field("pose_a", &LoopSpec::pose_a, "F_p in body a.")
      .field("pose_b", &LoopSpec::pose_b, "F_s in body b.")
      .field("axis", &LoopSpec::axis, "Of the joint that closes it, in F_p, as in JointSpec.")
      .field("axis2", &LoopSpec::axis2, "Its second axis, as in JointSpec.")
      .field("pitch", &LoopSpec::pitch, "Of a helical one [m/rad].")
      .field("radius", &LoopSpec::radius, "Of a rack and pinion [m].")
      .field("active", &LoopSpec::active, "False: it holds nothing.")
      .where();
  bind_list<LoopSpec>(m, "LoopSpecList");

  SpecClass<CouplingTerm>(m, "CouplingTerm", "sum over k of coefficients[k-1] (q_joint - reference)^k")
      .field("joint", &CouplingTerm::joint, "The joint that drives.")
      .field("coefficients", &CouplingTerm::coefficients, "Of (q_joint - reference)^1, ^2, ...")
      .field("reference", &CouplingTerm::reference, "Of the joint's position.");
  SpecClass<CouplingSpec>(m, "CouplingSpec", "q_dependent = offset + the sum of its terms")
      .field("name", &CouplingSpec::name, "Not that of another coupling.")
      .field("dependent", &CouplingSpec::dependent, "joint with one coordinate")
      .parts("terms", &CouplingSpec::terms, "CouplingTerms; none: the dependent coordinate is held at the offset.")
      .field("offset", &CouplingSpec::offset, "The position of the dependent joint where all terms are zero.")
      .field("active", &CouplingSpec::active, "False: it holds nothing.")
      .where();
  bind_list<CouplingSpec>(m, "CouplingSpecList");
}

void bind_bodies(nb::module_& m) {
  SpecClass<BodySpec>(m, "BodySpec", "A rigid body as a user writes it.")
      .field("name", &BodySpec::name, "Not that of another body.")
      .field("mass", &BodySpec::mass, "[kg]")
      .field("com", &BodySpec::com, "centre of mass in the body's frame [m]")
      .field("inertia", &BodySpec::inertia, "3 x 3, about the centre of mass, along the body's axes [kg m^2]")
      .field("gravity_compensation", &BodySpec::gravity_compensation, "share of its weight that is carried")
      .field("principal_axes", &BodySpec::principal_axes, "turn w x y z from the body's axes; None: by the inertia")
      .where();
  bind_list<BodySpec>(m, "BodySpecList");
  SpecClass<FrameSpec>(m, "FrameSpec", "A named place on a body.")
      .field("name", &FrameSpec::name, "Not that of another frame.")
      .field("body", &FrameSpec::body, "The body that it is fixed to, by name.")
      .field("pose", &FrameSpec::pose, "Where it stands in the body's frame.")
      .where();
  bind_list<FrameSpec>(m, "FrameSpecList");
  SpecClass<KeyframeSpec>(m, "KeyframeSpec", "A stored state, in the order of the joints.")
      .field("name", &KeyframeSpec::name, "By which it is found.")
      .field("time", &KeyframeSpec::time, "[s]")
      .field("q", &KeyframeSpec::q, "Positions (nq).")
      .field("v", &KeyframeSpec::v, "Velocities (nv), or none.")
      .field("control", &KeyframeSpec::control, "None, or one per actuator.")
      .field("activation", &KeyframeSpec::activation, "None, or one per actuator that has one.")
      .where();
  bind_list<KeyframeSpec>(m, "KeyframeSpecList");
  SpecClass<SensorSpec>(m, "SensorSpec", "An instrument, by MJCF's words: kind \"gyro\" on the \"site\" of a name.")
      .field("name", &SensorSpec::name, "Not that of another sensor.")
      .field("kind", &SensorSpec::kind, "What it reads: \"gyro\", \"jointpos\", ...")
      .field("object_kind", &SensorSpec::object_kind,
             "\"site\", \"body\", \"xbody\", \"geom\", \"joint\", \"actuator\", \"tendon\"; or empty.")
      .field("object", &SensorSpec::object, "What it is on, by name.")
      .field("reference_kind", &SensorSpec::reference_kind, "The kind of that thing.")
      .field("reference", &SensorSpec::reference, "What a frame sensor is relative to, by name; empty: the world.")
      .field("cutoff", &SensorSpec::cutoff, "Positive: readings are clamped to it.")
      .where();
  bind_list<SensorSpec>(m, "SensorSpecList");
}

}  // namespace

void bind_spec(nb::module_& m) {
  bind_bodies(m);
  bind_joints(m);
  bind_spec_parts(m);

  nb::class_<PySpec> c(m, "ModelSpec", "A model as a user writes it: plain data in any order. compile() checks it.");
  c.def(
       "__init__",
       [](PySpec* self, std::string name) {
         new (self) PySpec{{.name = std::move(name)}, {}};
       },
       "name"_a = "")
      .def_prop_rw(
          "name", [](const PySpec& s) { return s.spec.name; },
          [](PySpec& s, std::string v) { s.spec.name = std::move(v); }, "Of the model.")
      .def_prop_rw(
          "world", [](const PySpec& s) { return s.spec.world; },
          [](PySpec& s, std::string v) { s.spec.world = std::move(v); }, "Name of the fixed body.")
      .def_prop_rw(
          "gravity", [](const PySpec& s) { return s.spec.gravity; },
          [](PySpec& s, const Vec3<double>& v) { s.spec.gravity = v; }, "[m/s^2]")
      .def_prop_rw(
          "timestep", [](const PySpec& s) { return s.spec.timestep; }, [](PySpec& s, double v) { s.spec.timestep = v; },
          "[s]; 0: not stated")
      .def_prop_rw(
          "medium",
          [](const PySpec& s) {
            return std::tuple(s.spec.medium.density, s.spec.medium.viscosity, s.spec.medium.wind);
          },
          [](PySpec& s, const std::tuple<double, double, Vec3<double>>& v) {
            s.spec.medium = {std::get<0>(v), std::get<1>(v), std::get<2>(v)};
          },
          "The fluid around: density [kg/m^3], viscosity [Pa s], velocity [m/s]. Zeros: none.")
      .def_prop_ro(
          "remarks", [](const PySpec& s) { return s.remarks.list(); }, "What its loader said about it: Diagnostics.")
      .def(
          "add_remark",
          [](PySpec& s, std::string element, std::string message, std::string repair) {
            s.remarks.add(Code::ignored_element, std::move(element), std::move(message), std::move(repair));
          },
          "element"_a, "message"_a, "repair"_a = "", "For loaders in Python: a remark (S504) about what was not kept.")
      .def(
          "copy", [](const PySpec& s) { return std::make_shared<PySpec>(s); }, "Another one with the same entries.")
      .def("__copy__", [](const PySpec& s) { return std::make_shared<PySpec>(s); })
      .def(
          "__deepcopy__", [](const PySpec& s, const nb::dict&) { return std::make_shared<PySpec>(s); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: dict[int, object]) -> ModelSpec"))
      .def("__repr__", [](const PySpec& s) {
        return "ModelSpec('" + s.spec.name + "': " + std::to_string(s.spec.bodies.size()) + " bodies, " +
               std::to_string(s.spec.joints.size()) + " joints, " + std::to_string(s.spec.shapes.size()) + " shapes)";
      });
  add_list(c, "bodies", &ModelSpec::bodies, "BodySpecs, without the world.");
  add_list(c, "joints", &ModelSpec::joints, "JointSpecs: their order is the order of q and v.");
  add_list(c, "frames", &ModelSpec::frames, "FrameSpecs.");
  add_list(c, "shapes", &ModelSpec::shapes, "ShapeSpecs.");
  add_list(c, "meshes", &ModelSpec::meshes, "MeshSpecs, for shapes.");
  add_list(c, "heightfields", &ModelSpec::heightfields, "HeightfieldSpecs, for shapes.");
  add_list(c, "loops", &ModelSpec::loops, "LoopSpecs: joints that close loops.");
  add_list(c, "couplings", &ModelSpec::couplings, "CouplingSpecs: gears, mimic joints.");
  add_list(c, "tendons", &ModelSpec::tendons, "TendonSpecs.");
  add_list(c, "tendon_couplings", &ModelSpec::tendon_couplings, "TendonCouplingSpecs.");
  add_list(c, "actuators", &ModelSpec::actuators, "ActuatorSpecs: the order of control.");
  add_list(c, "exclusions", &ModelSpec::exclusions, "ExclusionSpecs: bodies that do not touch.");
  add_list(c, "pairs", &ModelSpec::pairs, "PairSpecs: shapes that touch with numbers of their own.");
  add_list(c, "keyframes", &ModelSpec::keyframes, "KeyframeSpecs: states with names.");
  add_list(c, "sensors", &ModelSpec::sensors, "SensorSpecs.");
}

}  // namespace sinew::py
