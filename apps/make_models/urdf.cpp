// apps/make_models/urdf.cpp
#include <fmt/format.h>
#include <tinyxml2.h>

#include <cmath>
#include <stdexcept>

#include "adapt.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::make_models {
namespace {

class Writer {
 public:
  explicit Writer(const ModelSpec& spec) : spec_(spec) {}

  std::string run(const std::string& comment) {
    xml_.PushHeader(false, true);
    xml_.PushComment((" " + comment + " ").c_str());
    open("robot");
    text("name", spec_.name);
    open("link");
    text("name", spec_.world);
    close();
    for (const BodySpec& b : spec_.bodies) write_link(b);
    for (const JointSpec& j : spec_.joints) write_joint(j);
    for (const FrameSpec& f : spec_.frames) write_frame(f);
    close();
    return xml_.CStr();
  }

 private:
  void open(const char* tag) { xml_.OpenElement(tag); }
  void close() { xml_.CloseElement(); }
  void text(const char* name, const std::string& value) { xml_.PushAttribute(name, value.c_str()); }
  void number(const char* name, double x) { text(name, fmt::format("{}", x)); }  // shortest that reads back the same
  void vector(const char* name, const Vec3<double>& v) { text(name, fmt::format("{} {} {}", v.x, v.y, v.z)); }
  void element(const char* tag, const char* name, const std::string& value) {
    open(tag);
    text(name, value);
    close();
  }
  void origin(const Pose& pose) {
    open("origin");
    vector("xyz", pose.r);
    vector("rpy", rpy_from_rotation(pose.E));
    close();
  }

  void write_link(const BodySpec& b) {
    open("link");
    text("name", b.name);
    open("inertial");
    origin(shift_frame(b.com));
    element("mass", "value", fmt::format("{}", b.mass));
    open("inertia");
    number("ixx", b.inertia.xx), number("ixy", b.inertia.xy), number("ixz", b.inertia.xz);
    number("iyy", b.inertia.yy), number("iyz", b.inertia.yz), number("izz", b.inertia.zz);
    close();
    close();
    for (const ShapeSpec& s : spec_.shapes)
      if (s.body == b.name)
        for (const char* tag : {"visual", "collision"})
          if (tag[0] == 'v' ? s.visible : s.collides) write_shape(tag, s);
    close();
  }

  template <class F>
  void geometry(const char* tag, const Pose& pose, F&& fill) {
    open(tag);
    origin(pose);
    open("geometry");
    fill();
    close();
    close();
  }
  void sphere(const char* tag, const Pose& pose, double radius) {
    geometry(tag, pose, [&] { element("sphere", "radius", fmt::format("{}", radius)); });
  }
  void cylinder(const char* tag, const Pose& pose, double radius, double half) {
    geometry(tag, pose, [&] {
      open("cylinder");
      number("radius", radius);
      number("length", 2 * half);
      close();
    });
  }
  void write_shape(const char* tag, const ShapeSpec& s) {
    const double half = s.size[1];
    switch (s.kind) {
      case ShapeKind::sphere: return sphere(tag, s.pose, s.size[0]);
      case ShapeKind::cylinder: return cylinder(tag, s.pose, s.size[0], half);
      case ShapeKind::capsule:
        cylinder(tag, s.pose, s.size[0], half);
        for (const double z : {-half, half}) sphere(tag, shift_frame(Vec3<double>{0, 0, z}) * s.pose, s.size[0]);
        return;
      case ShapeKind::box:
        return geometry(tag, s.pose, [&] {
          open("box");
          vector("size", {2 * s.size[0], 2 * s.size[1], 2 * s.size[2]});
          close();
        });
      default: throw std::invalid_argument("a shape of link '" + s.body + "' cannot be written as URDF");
    }
  }

  void write_joint(const JointSpec& j) {
    const bool moves = j.kind == JointKind::revolute || j.kind == JointKind::prismatic;
    if (!moves && j.kind != JointKind::fixed)
      throw std::invalid_argument("joint '" + j.name + "' cannot be written as URDF");
    if (!j.neutral.empty() && j.neutral[0] != 0)
      throw std::invalid_argument("joint '" + j.name + "' is not neutral at 0");
    const DofSpec d = j.dofs.empty() ? DofSpec{} : j.dofs[0];
    const bool limited = std::isfinite(d.lower) && std::isfinite(d.upper);
    open("joint");
    text("name", j.name);
    text("type", j.kind == JointKind::revolute && !limited ? "continuous" : std::string(to_string(j.kind)));
    element("parent", "link", j.parent);
    element("child", "link", j.child);
    origin(j.placement);
    if (moves) {
      open("axis");
      vector("xyz", j.axis);
      close();
      if (std::isfinite(d.max_effort) && std::isfinite(d.max_velocity)) {
        open("limit");
        if (limited) number("lower", d.lower), number("upper", d.upper);
        number("effort", d.max_effort), number("velocity", d.max_velocity);
        close();
      }
      if (d.damping != 0 || d.friction != 0) {
        open("dynamics");
        number("damping", d.damping), number("friction", d.friction);
        close();
      }
    }
    for (const CouplingSpec& c : spec_.couplings)
      if (c.dependent == j.name) write_mimic(c);
    close();
  }

  void write_mimic(const CouplingSpec& c) {
    if (c.terms.size() != 1 || c.terms[0].coefficients.size() != 1 || c.terms[0].reference != 0)
      throw std::invalid_argument("coupling '" + c.name + "' cannot be written as URDF");
    open("mimic");
    text("joint", c.terms[0].joint);
    number("multiplier", c.terms[0].coefficients[0]), number("offset", c.offset);
    close();
  }

  void write_frame(const FrameSpec& f) {
    open("link");
    text("name", f.name);
    close();
    open("joint");
    text("name", f.name + "_frame");
    text("type", "fixed");
    element("parent", "link", f.body);
    element("child", "link", f.name);
    origin(f.pose);
    close();
  }

  const ModelSpec& spec_;
  tinyxml2::XMLPrinter xml_;
};

}  // namespace

std::string to_urdf(const ModelSpec& spec, const std::string& comment) { return Writer(spec).run(comment); }

}  // namespace sinew::make_models
