// python/src/spec.cpp - ModelSpec with its bodies, joints, loops and couplings
#include "spec.hpp"

#include "callable.hpp"
#include "user_joint.hpp"

namespace sinew::py {
namespace {

template <class T>
void add_list(nb::class_<PySpec>& c, const char* name, std::vector<T> ModelSpec::*list) {
  c.def_prop_ro(name, [list](std::shared_ptr<PySpec> s) { return SpecList<T>{std::move(s), list}; });
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
      .field("rest", &DofSpec::rest)
      .field("stiffness_terms", &DofSpec::stiffness_terms, "of x^2 and x^3, x = q - rest")
      .field("damping_terms", &DofSpec::damping_terms, "of v |v| and v^3");

  SpecClass<JointSpec> joint(m, "JointSpec",
                             "A joint as a user writes it; the order of joints is the order of q and v.");
  joint.field("name", &JointSpec::name)
      .field("parent", &JointSpec::parent, "predecessor body; empty in a part of a composite")
      .field("child", &JointSpec::child, "successor body")
      .field("kind", &JointSpec::kind)
      .field("placement", &JointSpec::placement, "of the joint's frame in the parent")
      .field("child_placement", &JointSpec::child_placement, "of the joint's frame in the child")
      .field("axis", &JointSpec::axis, "in the joint's frame on the parent")
      .field("axis2", &JointSpec::axis2, "universal: second axis; rack and pinion: direction of the rack")
      .field("pitch", &JointSpec::pitch, "helical [m/rad]")
      .field("radius", &JointSpec::radius, "rack and pinion [m]")
      .field("reversed", &JointSpec::reversed, "the motion is that of the parent seen from the child")
      .field("continuous", &JointSpec::continuous)
      .parts("dofs", &JointSpec::dofs, "none: all defaults; else one per velocity coordinate")
      .field("neutral", &JointSpec::neutral, "none: that of its kind; else nq numbers")
      .parts("parts", &JointSpec::parts, "composite: from parent to child")
      .field("prescribed_kind", &JointSpec::prescribed_kind, "prescribed: revolute, prismatic or helical")
      .where();
  add_functions(joint);
  bind_list<JointSpec>(m, "JointSpecList");

  SpecClass<LoopSpec>(m, "LoopSpec", "A loop joint: frame b moves relative to frame a as the joint allows [F08 4.1.4].")
      .field("name", &LoopSpec::name)
      .field("kind", &LoopSpec::kind)
      .field("body_a", &LoopSpec::body_a)
      .field("body_b", &LoopSpec::body_b)
      .field("pose_a", &LoopSpec::pose_a)
      .field("pose_b", &LoopSpec::pose_b)
      .field("axis", &LoopSpec::axis)
      .field("axis2", &LoopSpec::axis2)
      .field("pitch", &LoopSpec::pitch)
      .field("radius", &LoopSpec::radius)
      .field("active", &LoopSpec::active)
      .where();
  bind_list<LoopSpec>(m, "LoopSpecList");

  SpecClass<CouplingTerm>(m, "CouplingTerm", "sum over k of coefficients[k-1] (q_joint - reference)^k")
      .field("joint", &CouplingTerm::joint)
      .field("coefficients", &CouplingTerm::coefficients)
      .field("reference", &CouplingTerm::reference);
  SpecClass<CouplingSpec>(m, "CouplingSpec", "q_dependent = offset + the sum of its terms")
      .field("name", &CouplingSpec::name)
      .field("dependent", &CouplingSpec::dependent, "joint with one coordinate")
      .parts("terms", &CouplingSpec::terms)
      .field("offset", &CouplingSpec::offset)
      .field("active", &CouplingSpec::active)
      .where();
  bind_list<CouplingSpec>(m, "CouplingSpecList");
}

void bind_bodies(nb::module_& m) {
  SpecClass<BodySpec>(m, "BodySpec", "A rigid body as a user writes it.")
      .field("name", &BodySpec::name)
      .field("mass", &BodySpec::mass, "[kg]")
      .field("com", &BodySpec::com, "centre of mass in the body's frame [m]")
      .field("inertia", &BodySpec::inertia, "3 x 3, about the centre of mass, along the body's axes [kg m^2]")
      .field("gravity_compensation", &BodySpec::gravity_compensation, "share of its weight that is carried")
      .field("principal_axes", &BodySpec::principal_axes, "turn w x y z from the body's axes; None: by the inertia")
      .where();
  bind_list<BodySpec>(m, "BodySpecList");
  SpecClass<FrameSpec>(m, "FrameSpec", "A named place on a body.")
      .field("name", &FrameSpec::name)
      .field("body", &FrameSpec::body)
      .field("pose", &FrameSpec::pose)
      .where();
  bind_list<FrameSpec>(m, "FrameSpecList");
  SpecClass<KeyframeSpec>(m, "KeyframeSpec", "A stored state, in the order of the joints.")
      .field("name", &KeyframeSpec::name)
      .field("time", &KeyframeSpec::time)
      .field("q", &KeyframeSpec::q)
      .field("v", &KeyframeSpec::v)
      .field("control", &KeyframeSpec::control)
      .field("activation", &KeyframeSpec::activation)
      .where();
  bind_list<KeyframeSpec>(m, "KeyframeSpecList");
  SpecClass<SensorSpec>(m, "SensorSpec", "An instrument, by MJCF's words: kind \"gyro\" on the \"site\" of a name.")
      .field("name", &SensorSpec::name)
      .field("kind", &SensorSpec::kind)
      .field("object_kind", &SensorSpec::object_kind)
      .field("object", &SensorSpec::object)
      .field("reference_kind", &SensorSpec::reference_kind)
      .field("reference", &SensorSpec::reference)
      .field("cutoff", &SensorSpec::cutoff)
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
          [](PySpec& s, std::string v) { s.spec.name = std::move(v); })
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
      .def("copy", [](const PySpec& s) { return std::make_shared<PySpec>(s); })
      .def("__copy__", [](const PySpec& s) { return std::make_shared<PySpec>(s); })
      .def(
          "__deepcopy__", [](const PySpec& s, const nb::dict&) { return std::make_shared<PySpec>(s); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: dict[int, object]) -> ModelSpec"))
      .def("__repr__", [](const PySpec& s) {
        return "ModelSpec('" + s.spec.name + "': " + std::to_string(s.spec.bodies.size()) + " bodies, " +
               std::to_string(s.spec.joints.size()) + " joints, " + std::to_string(s.spec.shapes.size()) + " shapes)";
      });
  add_list(c, "bodies", &ModelSpec::bodies);
  add_list(c, "joints", &ModelSpec::joints);
  add_list(c, "frames", &ModelSpec::frames);
  add_list(c, "shapes", &ModelSpec::shapes);
  add_list(c, "meshes", &ModelSpec::meshes);
  add_list(c, "heightfields", &ModelSpec::heightfields);
  add_list(c, "loops", &ModelSpec::loops);
  add_list(c, "couplings", &ModelSpec::couplings);
  add_list(c, "tendons", &ModelSpec::tendons);
  add_list(c, "tendon_couplings", &ModelSpec::tendon_couplings);
  add_list(c, "actuators", &ModelSpec::actuators);
  add_list(c, "exclusions", &ModelSpec::exclusions);
  add_list(c, "pairs", &ModelSpec::pairs);
  add_list(c, "keyframes", &ModelSpec::keyframes);
  add_list(c, "sensors", &ModelSpec::sensors);
}

}  // namespace sinew::py
