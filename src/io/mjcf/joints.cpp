// src/io/mjcf/joints.cpp - joints as MJCF has them, in the frame of their body
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

int dof_count(JointType t) { return t == JointType::free ? 6 : t == JointType::ball ? 3 : 1; }

// A range, if `flag` and autolimits put it into force.
std::optional<std::array<double, 2>> read_range(Work& w, const Reader& r, const char* range, const char* flag) {
  std::array<double, 2> v{};
  const bool given = r.numbers(range, v, 2) == 2;
  const int limited = r.choice(flag, {"false", "true", "auto"}, 2);
  if (limited == 2 && given && !w.settings().autolimits)
    r.error(Code::missing_limit, std::string(range) + " is given without " + flag + ", and autolimits is off",
            "write " + std::string(flag) + "=\"true\"");
  if (limited == 0 || (limited == 2 && !given)) return std::nullopt;
  return v;
}

void read_dofs(Work& w, const Reader& r, Joint& j) {
  DofSpec d;
  const double unit = j.type == JointType::hinge || j.type == JointType::ball ? w.settings().angle_unit : 1;
  d.friction = r.number("frictionloss").value_or(0);
  d.armature = r.number("armature").value_or(0);
  const bool scalar = j.type == JointType::hinge || j.type == JointType::slide;
  const auto polynomial = [&](const char* name, std::array<double, 2>& terms) {
    std::array<double, 3> c{};
    r.numbers(name, c, 1);
    if (scalar)
      terms = {c[1], c[2]};
    else if (c[1] != 0 || c[2] != 0)
      w.remarks.count(Code::unsupported_element, "joint " + std::string(name),
                      "terms above the linear one are left out on ball and free joints", r.node());
    return c[0];
  };
  d.damping = polynomial("damping", d.damping_terms);
  d.stiffness = polynomial("stiffness", d.stiffness_terms);
  std::array<double, 2> spring{};
  if (r.numbers("springdamper", spring, 2) == 2 && spring[0] > 0 && spring[1] > 0) {
    j.springdamper = spring;
    d.stiffness_terms = d.damping_terms = {};
  }
  if (scalar) d.rest = r.number("springref").value_or(0) * unit;
  if (j.type != JointType::free) {
    if (const auto range = read_range(w, r, "range", "limited")) {
      if (scalar ? (*range)[0] >= (*range)[1] : (*range)[1] <= 0)
        r.error(Code::empty_limit_range, "range is empty", "write the lower limit first");
      if (scalar) d.lower = (*range)[0] * unit;
      d.upper = (*range)[1] * unit;
    }
  }
  if (scalar)
    if (const auto f = read_range(w, r, "actuatorfrcrange", "actuatorfrclimited")) {
      if ((*f)[0] >= (*f)[1])
        r.error(Code::empty_limit_range, "actuatorfrcrange is empty", "write the lower limit first");
      d.max_effort = std::max(std::abs((*f)[0]), std::abs((*f)[1]));
      if ((*f)[0] != -(*f)[1])
        w.warn(r.node(), Code::value_adjusted, "actuatorfrcrange is not symmetric: its larger side is kept for both");
    }
  if (std::min({d.friction, d.armature, d.damping, d.stiffness}) < 0)
    r.error(Code::negative_coefficient, "damping, stiffness, frictionloss or armature is negative",
            "write a number >= 0");
  j.dofs.assign(static_cast<std::size_t>(dof_count(j.type)), d);
  if (j.type == JointType::ball)
    for (std::size_t i = 1; i < 3; ++i) j.dofs[i].upper = kUnlimited;
}

}  // namespace

const Joint* find_joint(Work& w, std::string_view name, const Node& n, const std::string& suffix) {
  const int b = find(w, w.joint_names, name, "joint", n, suffix);
  if (b < 0) return nullptr;
  const std::string plain = w.at.prefix + std::string(name), full = plain + suffix;
  for (const Joint& j : w.bodies[b].joints)
    if (j.name == full || j.name == plain) return &j;
  return nullptr;
}

const Joint* find_scalar_joint(Work& w, std::string_view name, const Node& n, const std::string& suffix) {
  const Joint* j = find_joint(w, name, n, suffix);
  if (!j || j->type == JointType::hinge || j->type == JointType::slide) return j;
  w.error(n, Code::bad_joint_parameter, "joint " + xml::quote(name) + " is neither hinge nor slide", "name another");
  return nullptr;
}

void read_joint(Work& w, const Node& n, const Class* from, int body, const Surroundings& around,
                const std::string& suffix) {
  Body& b = w.bodies[body];
  const bool freejoint = n.tag() == "freejoint";
  check_attributes(n, n.tag(), w.remarks, w.out);
  const Reader r(n, from, "joint", w.out);
  Joint j;
  j.name = full_name(w, n, suffix);
  j.where = n.where();
  j.type = freejoint
               ? JointType::free
               : static_cast<JointType>(r.choice("type", {"free", "ball", "slide", "hinge"}, static_cast<int>(j.type)));
  if (freejoint) {
    j.dofs.resize(6);
    const int align = r.choice("align", {"false", "true", "auto"}, 2);
    j.align = align == 1 || (align == 2 && w.settings().alignfree);
  } else {
    j.align = j.type == JointType::free && w.settings().alignfree;
    j.pos = r.vec3("pos").value_or(Vec3<double>{});
    j.axis = r.vec3("axis").value_or(j.axis);
    const bool scalar = j.type == JointType::hinge || j.type == JointType::slide;
    if (scalar && !(norm(j.axis) > 1e-14))
      return r.error(Code::bad_joint_parameter, "axis has no length", "write a direction");
    if (scalar) j.axis = (1 / norm(j.axis)) * j.axis;
    if (scalar) j.ref = r.number("ref").value_or(0) * (j.type == JointType::hinge ? w.settings().angle_unit : 1);
    read_dofs(w, r, j);
  }
  j.scale = around.scale;
  scale_joint(j, unit_of(j, w.scales));
  j.pos = place(around, w.scales, {j.pos, {}}).pos;
  j.axis = turn(around.frame.quat, j.axis);

  const auto turns = [](const Joint& x) { return x.type == JointType::ball || x.type == JointType::hinge; };
  const auto is_ball = [](const Joint& x) { return x.type == JointType::ball; };
  const bool had_free = !b.joints.empty() && b.joints.front().type == JointType::free;
  if (b.mocap) return r.error(Code::bad_joint_parameter, "a mocap body has a joint", "remove one of the two");
  if (had_free || (j.type == JointType::free && !b.joints.empty()))
    return r.error(Code::bad_joint_parameter, "a body has a free joint and another joint", "keep one of them");
  if (j.type == JointType::free && b.parent != 0)
    return r.error(Code::bad_joint_parameter, "a free joint is below another body", "move the body to the world");
  if ((j.type == JointType::ball && std::any_of(b.joints.begin(), b.joints.end(), turns)) ||
      (j.type == JointType::hinge && std::any_of(b.joints.begin(), b.joints.end(), is_ball)))
    return r.error(Code::bad_joint_parameter, "a body has a ball joint and another turning joint",
                   "use one body for each");
  enter(w, w.joint_names, j.name, body, n);
  b.joints.push_back(std::move(j));
}

}  // namespace sinew::mjcf
