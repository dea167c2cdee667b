// src/model/builder.cpp
#include "sinew/model/builder.hpp"

#include <utility>

#include "canonical.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {

Pose make_placement(const Vec3<double>& origin, const Vec3<double>& rpy) { return {rotation_from_rpy(rpy), origin}; }

// Bodies ----------------------------------------------------------------------------------------------------------
BodyBuilder& BodyBuilder::mass(double mass, const Vec3<double>& com, const Sym3<double>& inertia) {
  BodySpec& b = spec_.bodies[index_];
  b.mass = mass;
  b.com = com;
  b.inertia = inertia;
  return *this;
}
BodyBuilder& BodyBuilder::mass(const MassProperties& solid, const Pose& pose) {
  const MassProperties p = placed(solid, pose);
  return mass(p.mass, p.com, p.inertia);
}
BodyBuilder& BodyBuilder::plus(const MassProperties& solid, const Pose& pose) {
  const BodySpec& b = spec_.bodies[index_];
  return mass(MassProperties{b.mass, b.com, b.inertia} + placed(solid, pose));
}
BodyBuilder& BodyBuilder::shape(ShapeKind kind, const std::array<double, 3>& size, const Pose& pose) {
  ShapeSpec s;
  s.body = spec_.bodies[index_].name;
  s.kind = kind;
  s.size = size;
  s.pose = pose;
  spec_.shapes.push_back(std::move(s));
  return *this;
}
BodyBuilder& BodyBuilder::sphere(double r, const Pose& pose) { return shape(ShapeKind::sphere, {r, 0, 0}, pose); }
BodyBuilder& BodyBuilder::box(const Vec3<double>& h, const Pose& pose) {
  return shape(ShapeKind::box, {h.x, h.y, h.z}, pose);
}
BodyBuilder& BodyBuilder::capsule(double r, double h, const Pose& pose) {
  return shape(ShapeKind::capsule, {r, h, 0}, pose);
}
BodyBuilder& BodyBuilder::cylinder(double r, double h, const Pose& pose) {
  return shape(ShapeKind::cylinder, {r, h, 0}, pose);
}
BodyBuilder& BodyBuilder::frame(const std::string& name, const Pose& pose) {
  spec_.frames.push_back({name, spec_.bodies[index_].name, pose, {}});
  return *this;
}

// Joints ----------------------------------------------------------------------------------------------------------
template <class F>
JointBuilder& JointBuilder::each_dof(F&& f) {
  JointSpec& j = joint();
  if (j.dofs.empty()) {
    Diagnostics ignored;  // compile() reports the same errors
    j.dofs.resize(static_cast<std::size_t>(make_canonical(j, ignored).joint.nv()));
  }
  for (DofSpec& d : j.dofs) f(d);
  return *this;
}
JointBuilder& JointBuilder::at(const Vec3<double>& origin, const Vec3<double>& rpy) {
  joint().placement = make_placement(origin, rpy);
  return *this;
}
JointBuilder& JointBuilder::on_child(const Vec3<double>& origin, const Vec3<double>& rpy) {
  joint().child_placement = make_placement(origin, rpy);
  return *this;
}
JointBuilder& JointBuilder::axis(const Vec3<double>& a) {
  joint().axis = a;
  return *this;
}
JointBuilder& JointBuilder::axes(const Vec3<double>& first, const Vec3<double>& second) {
  joint().axis = first;
  joint().axis2 = second;
  return *this;
}
JointBuilder& JointBuilder::reversed() {
  joint().reversed = true;
  return *this;
}
JointBuilder& JointBuilder::neutral(std::vector<double> q) {
  joint().neutral = std::move(q);
  return *this;
}
JointBuilder& JointBuilder::limits(double lower, double upper) {
  return each_dof([&](DofSpec& d) { d.lower = lower, d.upper = upper; });
}
JointBuilder& JointBuilder::max_effort(double x) {
  return each_dof([x](DofSpec& d) { d.max_effort = x; });
}
JointBuilder& JointBuilder::max_velocity(double x) {
  return each_dof([x](DofSpec& d) { d.max_velocity = x; });
}
JointBuilder& JointBuilder::damping(double x) {
  return each_dof([x](DofSpec& d) { d.damping = x; });
}
JointBuilder& JointBuilder::friction(double x) {
  return each_dof([x](DofSpec& d) { d.friction = x; });
}
JointBuilder& JointBuilder::armature(double x) {
  return each_dof([x](DofSpec& d) { d.armature = x; });
}
JointBuilder& JointBuilder::spring(double stiffness, double rest) {
  return each_dof([&](DofSpec& d) { d.stiffness = stiffness, d.rest = rest; });
}

// Models ----------------------------------------------------------------------------------------------------------
ModelBuilder::ModelBuilder(std::string name) { spec_.name = std::move(name); }

ModelBuilder& ModelBuilder::gravity(const Vec3<double>& g) {
  spec_.gravity = g;
  return *this;
}
BodyBuilder ModelBuilder::body(std::string name) & {
  spec_.bodies.push_back({std::move(name), 0, {}, {}, {}});
  return {spec_, spec_.bodies.size() - 1};
}
JointBuilder ModelBuilder::add(JointKind kind, std::string name, std::string parent, std::string child) {
  JointSpec j;
  j.kind = kind;
  j.name = std::move(name);
  j.parent = std::move(parent);
  j.child = std::move(child);
  // Default axes of the two-axis kinds: the canonical ones.
  if (kind == JointKind::universal) j.axis = {1, 0, 0};
  if (kind == JointKind::rack_and_pinion) j.axis2 = {1, 0, 0};
  spec_.joints.push_back(std::move(j));
  return {spec_, spec_.joints.size() - 1};
}

#define SINEW_JOINT(kind)                                                                     \
  JointBuilder ModelBuilder::kind(std::string name, std::string parent, std::string child)& { \
    return add(JointKind::kind, std::move(name), std::move(parent), std::move(child));        \
  }
SINEW_JOINT(fixed)
SINEW_JOINT(revolute)
SINEW_JOINT(prismatic)
SINEW_JOINT(cylindrical)
SINEW_JOINT(planar)
SINEW_JOINT(spherical)
SINEW_JOINT(spherical_ypr)
SINEW_JOINT(universal)
SINEW_JOINT(free)
#undef SINEW_JOINT

JointBuilder ModelBuilder::helical(std::string name, std::string parent, std::string child, double pitch) & {
  JointBuilder j = add(JointKind::helical, std::move(name), std::move(parent), std::move(child));
  j.joint().pitch = pitch;
  return j;
}
JointBuilder ModelBuilder::rack_and_pinion(std::string name, std::string parent, std::string child, double radius) & {
  JointBuilder j = add(JointKind::rack_and_pinion, std::move(name), std::move(parent), std::move(child));
  j.joint().radius = radius;
  return j;
}
JointBuilder ModelBuilder::prescribed(std::string name, std::string parent, std::string child, JointKind kind,
                                      MotionLaw law) & {
  JointBuilder j = add(JointKind::prescribed, std::move(name), std::move(parent), std::move(child));
  j.joint().prescribed_kind = kind;
  j.joint().law = std::move(law);
  return j;
}
JointBuilder ModelBuilder::composite(std::string name, std::string parent, std::string child,
                                     std::vector<JointSpec> parts) & {
  JointBuilder j = add(JointKind::composite, std::move(name), std::move(parent), std::move(child));
  j.joint().parts = std::move(parts);
  return j;
}
JointBuilder ModelBuilder::user(std::string name, std::string parent, std::string child,
                                std::shared_ptr<const UserJoint> text) & {
  JointBuilder j = add(JointKind::user, std::move(name), std::move(parent), std::move(child));
  j.joint().user = std::move(text);
  return j;
}
ModelBuilder& ModelBuilder::loop(LoopSpec loop) {
  spec_.loops.push_back(std::move(loop));
  return *this;
}
ModelBuilder& ModelBuilder::gear(std::string name, std::string dependent, std::string driver, double ratio,
                                 double offset) {
  return couple({std::move(name), std::move(dependent), {{std::move(driver), {ratio}, 0}}, offset, true, {}});
}
ModelBuilder& ModelBuilder::couple(CouplingSpec coupling) {
  spec_.couplings.push_back(std::move(coupling));
  return *this;
}
Result<Model> ModelBuilder::build(const CompileOptions& options) const { return compile(spec_, options); }

}  // namespace sinew
