// src/io/urdf_joint.cpp - joints: kind, frames, axis, limits, friction, mimic
#include <cmath>

#include "io/urdf_reader.hpp"

namespace sinew::urdf {
namespace {

struct JointType {
  std::string_view name;
  JointKind kind;
};
constexpr JointType kTypes[] = {
    {"revolute", JointKind::revolute}, {"continuous", JointKind::revolute}, {"prismatic", JointKind::prismatic},
    {"fixed", JointKind::fixed},       {"floating", JointKind::free},       {"planar", JointKind::planar},
};

// Joint axes are often written with few digits; beyond this the length is a mistake.
constexpr double kAxisTolerance = 1e-3;

void read_kind(Reader& r, const Element& e, JointSpec& joint) {
  const auto type = r.attributes(e).required_text("type");
  joint.kind = JointKind::fixed;
  if (!type) return;
  for (const JointType& t : kTypes)
    if (*type == t.name) {
      joint.kind = t.kind;
      joint.continuous = *type == "continuous";
      return;
    }
  r.say(Code::unsupported_joint, e, "type " + xml::quote(*type) + " does not exist",
        "use revolute, continuous, prismatic, fixed, floating or planar");
}

Vec3<double> read_axis(Reader& r, const Element* e) {
  if (!e) return {1, 0, 0};
  const auto a = r.attributes(*e);
  a.allow_only({"xyz"});
  std::array<double, 3> v{};
  if (!a.required_text("xyz") || !a.numbers("xyz", v, 3)) return {1, 0, 0};
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 1e-9) || !std::isfinite(length)) {
    r.say(Code::bad_joint_parameter, *e, "the axis " + xml::quote(e->Attribute("xyz")) + " has no direction",
          "give a vector of length 1");
    return {1, 0, 0};
  }
  if (std::abs(length - 1) > kAxisTolerance)
    r.say(
        Code::axis_not_unit, *e,
        "the axis " + xml::quote(e->Attribute("xyz")) + " has length " + std::to_string(length) + ", it is scaled to 1",
        "give a vector of length 1");
  return {v[0] / length, v[1] / length, v[2] / length};
}

void read_limit(Reader& r, const Element& joint, const Element* e, bool continuous, DofSpec& dof) {
  if (!e) {
    if (!continuous)
      r.say(Code::missing_limit, joint, "has no <limit>, which the format requires for its type",
            "add <limit lower= upper= effort= velocity=>, or make the type continuous");
    return;
  }
  const auto a = r.attributes(*e);
  a.allow_only({"lower", "upper", "effort", "velocity"});
  dof.max_effort = a.required_number("effort").value_or(kUnlimited);
  dof.max_velocity = a.required_number("velocity").value_or(kUnlimited);
  const auto lower = a.number("lower"), upper = a.number("upper");
  if (continuous) {
    if (lower || upper) r.ignore(*e, "range of a continuous joint");
    return;
  }
  if (!a.text("lower") && !a.text("upper"))
    r.say(Severity::warning, Code::missing_limit, *e, "gives no range; the format then holds the joint at 0",
          "add lower and upper, or make the type fixed");
  dof.lower = lower.value_or(0);
  dof.upper = upper.value_or(0);
}

void read_dynamics(Reader& r, const Element* e, DofSpec& dof) {
  if (!e) return;
  const auto a = r.attributes(*e);
  a.allow_only({"damping", "friction"});
  dof.damping = a.number("damping").value_or(0);
  dof.friction = a.number("friction").value_or(0);
}

void read_mimic(Reader& r, const Element* e, const std::string& joint) {
  if (!e) return;
  const auto a = r.attributes(*e);
  a.allow_only({"joint", "multiplier", "offset"});
  CouplingSpec c;
  c.name = c.dependent = joint;
  const double multiplier = a.number("multiplier").value_or(1);
  c.offset = a.number("offset").value_or(0);
  c.where = xml::where(*e, r.file);
  const auto source = a.required_text("joint");
  if (!source) return;
  c.terms.push_back({std::string(*source), {multiplier}, 0});
  r.spec.couplings.push_back(std::move(c));
}

std::string read_end(Reader& r, const Element& joint, const Slot& end) {
  if (!end.found) {
    r.say(Code::missing_element, joint, std::string("has no ") + end.name,
          std::string("add <") + end.name + " link=\"...\"/>");
    return {};
  }
  const auto a = r.attributes(*end.found);
  a.allow_only({"link"});
  return std::string(a.required_text("link").value_or(""));
}

}  // namespace

void read_joint(Reader& r, const Element& e) {
  const auto a = r.attributes(e);
  a.allow_only({"name", "type"});
  Slot slots[] = {{"parent"}, {"child"}, {"origin"}, {"axis"}, {"limit"}, {"dynamics"}, {"mimic"}};
  r.take_children(e, slots, {}, {"safety_controller", "calibration"});
  const auto& [parent, child, origin, axis, limit, dynamics, mimic] = slots;

  JointSpec joint;
  joint.name = a.required_text("name").value_or("");
  joint.where = xml::where(e, r.file);
  joint.parent = read_end(r, e, parent);
  joint.child = read_end(r, e, child);
  joint.placement = r.origin(origin.found);
  read_kind(r, e, joint);

  const bool one_axis = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
  if (one_axis) {
    DofSpec dof;
    read_limit(r, e, limit.found, joint.continuous, dof);
    read_dynamics(r, dynamics.found, dof);
    read_mimic(r, mimic.found, joint.name);
    joint.dofs.push_back(dof);
  } else {
    // On a fixed joint these have no effect. For joints of several coordinates the format does not define them.
    for (const Slot* s : {&limit, &dynamics, &mimic}) {
      if (!s->found) continue;
      if (joint.kind == JointKind::fixed)
        r.ignore(*s->found, std::string(s->name) + " of a fixed joint");
      else
        r.say(Code::unsupported_element, *s->found, "is not applied to a joint with several coordinates", "remove it");
    }
  }
  if (one_axis || joint.kind == JointKind::planar)
    joint.axis = read_axis(r, axis.found);
  else if (axis.found)
    r.ignore(*axis.found, joint.kind == JointKind::fixed ? "axis of a fixed joint" : "axis of a floating joint");
  r.spec.joints.push_back(std::move(joint));
}

}  // namespace sinew::urdf
