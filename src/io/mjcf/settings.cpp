// src/io/mjcf/settings.cpp
#include "io/mjcf/settings.hpp"

#include <cmath>

#include "sinew/spatial/orientation.hpp"

namespace sinew::mjcf {
namespace {

constexpr double kTiny = 1e-14;  // MuJoCo's least length of a vector that is to be normalised

void read_compiler(const Reader& r, Settings& s, std::optional<std::string>& meshdir) {
  if (r.has("angle")) s.angle_unit = r.choice("angle", {"degree", "radian"}, 0) == 0 ? std::numbers::pi / 180 : 1;
  if (r.choice("coordinate", {"local", "global"}, 0) == 1)
    r.error(Code::bad_value, "coordinate=\"global\" is no longer part of MJCF",
            "save the model with local coordinates");
  if (const auto t = r.text("eulerseq")) {
    const bool good = t->size() == 3 && t->find_first_not_of("xyzXYZ") == std::string_view::npos;
    if (good)
      s.eulerseq = *t;
    else
      r.error(Code::bad_value, "eulerseq is " + xml::quote(*t), "write three letters of xyzXYZ");
  }
  const auto flag = [&](const char* name, bool& value) { value = r.boolean(name).value_or(value); };
  flag("autolimits", s.autolimits), flag("strippath", s.strippath), flag("fitaabb", s.fitaabb);
  flag("balanceinertia", s.balanceinertia), flag("alignfree", s.alignfree);
  s.boundmass = r.number("boundmass").value_or(s.boundmass);
  s.boundinertia = r.number("boundinertia").value_or(s.boundinertia);
  s.settotalmass = r.number("settotalmass").value_or(s.settotalmass);
  if (s.boundmass < 0 || s.boundinertia < 0)
    r.error(Code::bad_value, "boundmass or boundinertia is negative", "write a number >= 0");
  s.inertia_from = static_cast<InertiaFrom>(
      r.choice("inertiafromgeom", {"false", "true", "auto"}, static_cast<int>(s.inertia_from)));
  std::array<double, 2> groups{};
  if (r.numbers("inertiagrouprange", groups, 2) == 2)
    for (std::size_t i = 0; i < 2; ++i) s.inertia_groups[i] = static_cast<int>(std::clamp(groups[i], -1e9, 1e9));
  if (const auto t = r.text("assetdir")) s.meshdir = *t;
  if (const auto t = r.text("meshdir")) meshdir = *t;
}

}  // namespace

Frame operator*(const Frame& parent, const Frame& child) {
  return {parent.pos + turn(parent.quat, child.pos), normalized(parent.quat * child.quat)};
}
Frame inverse(const Frame& f) {
  const Quaternion<double> q = conjugate(f.quat);
  return {-turn(q, f.pos), q};
}
Vec3<double> turn(const Quaternion<double>& q, const Vec3<double>& v) { return apply_inverse(to_rotation(q), v); }

Settings read_settings(const Node& root, Remarks& remarks, Diagnostics& out) {
  Settings s;
  std::optional<std::string> meshdir;
  for (const Node& n : root.children) {
    const Reader r(n, out);
    if (n.tag() == "compiler") {
      check_attributes(n, "compiler", remarks, out);
      read_compiler(r, s, meshdir);
    } else if (n.tag() == "option") {
      check_attributes(n, "option", remarks, out);
      if (const auto g = r.vec3("gravity")) s.gravity = *g;
      s.timestep = r.number("timestep").value_or(s.timestep);
      s.medium.density = r.number("density").value_or(s.medium.density);
      s.medium.viscosity = r.number("viscosity").value_or(s.medium.viscosity);
      s.magnetic = r.vec3("magnetic").value_or(s.magnetic);
      s.medium.wind = r.vec3("wind").value_or(s.medium.wind);
      if (s.medium.density < 0 || s.medium.viscosity < 0)
        r.error(Code::negative_coefficient, "density or viscosity is negative", "write a number >= 0");
      for (const Node& f : n.children)
        if (f.tag() == "flag") {
          if (f.xml->Attribute("gravity", "disable")) s.gravity = {};
          if (f.xml->Attribute("contact", "disable")) s.contact = false;
          remarks.count(Code::ignored_element, "option <flag>", "choices of MuJoCo's solver are not kept", f);
        }
    }
  }
  if (meshdir) s.meshdir = *meshdir;
  if (!(s.timestep > 0))
    out.add(Code::bad_value, "option", "timestep must be > 0", "write a step in seconds", root.where());
  return s;
}

Quaternion<double> turn_z_to(const Vec3<double>& direction) {
  const Vec3<double> z = (1 / norm(direction)) * direction, axis = cross(Vec3<double>{0, 0, 1}, z);
  const double s = norm(axis), angle = std::atan2(s, z.z);
  return quaternion_from_axis_angle(s < kTiny ? Vec3<double>{1, 0, 0} : (1 / s) * axis, angle);
}

Quaternion<double> from_euler(const std::array<double, 3>& angles, const Settings& s) {
  Quaternion<double> q;
  for (std::size_t i = 0; i < 3; ++i) {
    const char c = s.eulerseq[i];
    const Vec3<double> axis{c == 'x' || c == 'X' ? 1.0 : 0, c == 'y' || c == 'Y' ? 1.0 : 0,
                            c == 'z' || c == 'Z' ? 1.0 : 0};
    const auto turned = quaternion_from_axis_angle(axis, angles[i] * s.angle_unit);
    q = c >= 'a' ? q * turned : turned * q;  // small letters: axes that move with the body
  }
  return q;
}

Quaternion<double> read_orientation(const Reader& r, const Settings& s) {
  int count = 0;
  const Node* source = r.nearest({"quat", "axisangle", "xyaxes", "zaxis", "euler"}, count);
  if (!source) return {};
  if (count > 1)
    r.error(Code::bad_value, "has several orientations", "keep one of quat, axisangle, xyaxes, zaxis, euler");
  const auto degenerate = [&](const char* name) {
    r.error(Code::bad_value, std::string(name) + " has no direction", "write a vector of some length");
    return Quaternion<double>{};
  };
  const auto has = [&](const char* name) { return source->xml->FindAttribute(name) != nullptr; };
  const auto good = [](double length) { return length >= kTiny && std::isfinite(length); };
  if (has("quat")) {
    std::array<double, 4> q{1, 0, 0, 0};
    if (r.numbers("quat", q, 4) == 0) return {};
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!good(length)) return degenerate("quat");
    return {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
  }
  if (has("euler")) {
    std::array<double, 3> e{};
    return r.numbers("euler", e, 3) ? from_euler(e, s) : Quaternion<double>{};
  }
  if (has("axisangle")) {
    std::array<double, 4> a{};
    if (r.numbers("axisangle", a, 4) == 0) return {};
    const Vec3<double> axis{a[0], a[1], a[2]};
    return good(norm(axis)) ? quaternion_from_axis_angle((1 / norm(axis)) * axis, a[3] * s.angle_unit)
                            : degenerate("axisangle");
  }
  if (has("zaxis")) {
    const auto z = r.vec3("zaxis");
    if (!z) return {};
    return good(norm(*z)) ? turn_z_to(*z) : degenerate("zaxis");
  }
  std::array<double, 6> a{};
  if (r.numbers("xyaxes", a, 6) == 0) return {};
  Vec3<double> x{a[0], a[1], a[2]}, y{a[3], a[4], a[5]};
  if (!good(norm(x))) return degenerate("xyaxes");
  x = (1 / norm(x)) * x;
  y = y - dot(x, y) * x;
  if (!good(norm(y))) return degenerate("xyaxes");
  y = (1 / norm(y)) * y;
  const Vec3<double> z = cross(x, y);
  return to_quaternion(Rotation<double>{{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}});
}

std::optional<Frame> read_fromto(const Reader& r, double& length) {
  std::array<double, 6> e{};
  if (r.numbers("fromto", e, 6) != 6) return std::nullopt;
  const Vec3<double> a{e[0], e[1], e[2]}, b{e[3], e[4], e[5]};
  length = norm(a - b);
  if (r.has("pos")) r.error(Code::bad_value, "has pos and fromto", "keep one");
  if (!(length >= kTiny) || !std::isfinite(length)) {
    r.error(Code::bad_shape_size, "fromto has no length", "move one end");
    return std::nullopt;
  }
  return Frame{0.5 * (a + b), turn_z_to(a - b)};
}

Frame read_frame(const Reader& r, const Settings& s) {
  return {r.vec3("pos").value_or(Vec3<double>{}), read_orientation(r, s)};
}

}  // namespace sinew::mjcf
