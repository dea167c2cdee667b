// src/model/builder.cpp
#include "sinew/model/builder.hpp"

#include <stdexcept>
#include <utility>

#include "canonical.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {

Pose make_placement(const Vec3<double>& origin, const Vec3<double>& rpy) { return {rotation_from_rpy(rpy), origin}; }

// Bodies ----------------------------------------------------------------------------------------------------------
BodyBuilder& BodyBuilder::mass(double mass, const Vec3<double>& com, const Sym3<double>& inertia) {
  BodySpec& b = body("mass");
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
  const BodySpec& b = body("plus");
  return mass(MassProperties{b.mass, b.com, b.inertia} + placed(solid, pose));
}
BodySpec& BodyBuilder::body(const char* call) {
  if (index_ == kWorld) throw std::invalid_argument(std::string("ModelBuilder: ") + call + ": the world has no mass");
  return spec_.bodies[index_];
}
ShapeSpec& BodyBuilder::last(const char* call) {
  if (last_shape_ == kWorld)
    throw std::invalid_argument(std::string("ModelBuilder: ") + call + ": no shape of '" + name() +
                                "' was added before; add one first");
  return spec_.shapes[last_shape_];
}
BodyBuilder& BodyBuilder::shape(ShapeKind kind, const std::array<double, 3>& size, const Pose& pose,
                                const std::string& asset) {
  ShapeSpec s;
  s.body = name();
  s.kind = kind;
  s.size = size;
  s.pose = pose;
  s.asset = asset;
  last_shape_ = spec_.shapes.size();
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
BodyBuilder& BodyBuilder::ellipsoid(const Vec3<double>& r, const Pose& pose) {
  return shape(ShapeKind::ellipsoid, {r.x, r.y, r.z}, pose);
}
BodyBuilder& BodyBuilder::plane(const Pose& pose) { return shape(ShapeKind::plane, {0, 0, 0}, pose); }
BodyBuilder& BodyBuilder::mesh(const std::string& mesh, const Pose& pose) {
  return shape(ShapeKind::mesh, {0, 0, 0}, pose, mesh);
}
BodyBuilder& BodyBuilder::heightfield(const std::string& name, const Pose& pose) {
  return shape(ShapeKind::heightfield, {0, 0, 0}, pose, name);
}
BodyBuilder& BodyBuilder::named(const std::string& shape_name) {
  last("named").name = shape_name;
  return *this;
}
BodyBuilder& BodyBuilder::friction(double mu) {
  last("friction").friction = mu;
  return *this;
}
BodyBuilder& BodyBuilder::torsional_friction(double metres) {
  ShapeSpec& s = last("torsional_friction");
  s.torsional_friction = metres, s.friction_law = std::max(s.friction_law, FrictionLaw::torsional);
  return *this;
}
BodyBuilder& BodyBuilder::rolling_friction(double metres) {
  ShapeSpec& s = last("rolling_friction");
  if (s.friction_law < FrictionLaw::torsional) s.torsional_friction = 0;
  s.rolling_friction = metres, s.friction_law = FrictionLaw::rolling;
  return *this;
}
BodyBuilder& BodyBuilder::restitution(double e) {
  last("restitution").restitution = e;
  return *this;
}
BodyBuilder& BodyBuilder::margin(double metres) {
  last("margin").margin = metres;
  return *this;
}
BodyBuilder& BodyBuilder::touches(int type, int affinity) {
  ShapeSpec& s = last("touches");
  s.contact_type = type, s.contact_affinity = affinity;
  return *this;
}
BodyBuilder& BodyBuilder::no_contact() {
  last("no_contact").collides = false;
  return *this;
}
BodyBuilder& BodyBuilder::hull() {
  last("hull").hull = true;
  return *this;
}
BodyBuilder& BodyBuilder::frame(const std::string& frame_name, const Pose& pose) {
  spec_.frames.push_back({frame_name, name(), pose, {}});
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

// Tendons ---------------------------------------------------------------------------------------------------------
TendonBuilder& TendonBuilder::through(std::string frame) {
  tendon().parts.push_back({TendonPartKind::site, std::move(frame), {}, 1});
  return *this;
}
TendonBuilder& TendonBuilder::around(std::string shape, std::string side) {
  tendon().parts.push_back({TendonPartKind::wrap, std::move(shape), std::move(side), 1});
  return *this;
}
TendonBuilder& TendonBuilder::pulley(double divisor) {
  tendon().parts.push_back({TendonPartKind::pulley, {}, {}, divisor});
  return *this;
}
TendonBuilder& TendonBuilder::joint(std::string joint, double coefficient) {
  tendon().parts.push_back({TendonPartKind::joint, std::move(joint), {}, coefficient});
  return *this;
}
TendonBuilder& TendonBuilder::limits(double lower, double upper) {
  tendon().lower = lower, tendon().upper = upper;
  return *this;
}
TendonBuilder& TendonBuilder::spring(double stiffness) {
  tendon().stiffness = stiffness, tendon().rest.reset();
  return *this;
}
TendonBuilder& TendonBuilder::spring(double stiffness, double rest_lower, double rest_upper) {
  tendon().stiffness = stiffness, tendon().rest = std::array{rest_lower, rest_upper};
  return *this;
}
TendonBuilder& TendonBuilder::damping(double x) {
  tendon().damping = x;
  return *this;
}
TendonBuilder& TendonBuilder::friction(double x) {
  tendon().friction = x;
  return *this;
}
TendonBuilder& TendonBuilder::armature(double x) {
  tendon().armature = x;
  return *this;
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
BodyBuilder ModelBuilder::world() & { return {spec_, BodyBuilder::kWorld}; }
ModelBuilder& ModelBuilder::timestep(double seconds) {
  spec_.timestep = seconds;
  return *this;
}
ModelBuilder& ModelBuilder::add_mesh(MeshSpec m) {
  spec_.meshes.push_back(std::move(m));
  return *this;
}
ModelBuilder& ModelBuilder::add_heightfield(HeightfieldSpec h) {
  spec_.heightfields.push_back(std::move(h));
  return *this;
}
ModelBuilder& ModelBuilder::exclude(std::string body_a, std::string body_b) {
  spec_.exclusions.push_back({std::move(body_a), std::move(body_b), {}});
  return *this;
}
ModelBuilder& ModelBuilder::pair(PairSpec p) {
  spec_.pairs.push_back(std::move(p));
  return *this;
}
ModelBuilder& ModelBuilder::motor(std::string name, std::string joint, double gear) {
  ActuatorSpec a;
  a.name = std::move(name), a.kind = "motor", a.target = std::move(joint), a.gear[0] = gear;
  return actuator(std::move(a));
}
ModelBuilder& ModelBuilder::position_servo(std::string name, std::string joint, double stiffness, double damping) {
  ActuatorSpec a;
  a.name = std::move(name), a.kind = "position", a.target = std::move(joint);
  a.gain = {stiffness, 0, 0}, a.bias = {0, -stiffness, -damping};
  return actuator(std::move(a));
}
ModelBuilder& ModelBuilder::velocity_servo(std::string name, std::string joint, double damping) {
  ActuatorSpec a;
  a.name = std::move(name), a.kind = "velocity", a.target = std::move(joint);
  a.gain = {damping, 0, 0}, a.bias = {0, 0, -damping};
  return actuator(std::move(a));
}
ModelBuilder& ModelBuilder::actuator(ActuatorSpec a) {
  spec_.actuators.push_back(std::move(a));
  return *this;
}
ModelBuilder& ModelBuilder::sensor(SensorSpec s) {
  spec_.sensors.push_back(std::move(s));
  return *this;
}
ModelBuilder& ModelBuilder::keyframe(KeyframeSpec k) {
  spec_.keyframes.push_back(std::move(k));
  return *this;
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
TendonBuilder ModelBuilder::tendon(std::string name) & {
  spec_.tendons.emplace_back().name = std::move(name);
  return {spec_, spec_.tendons.size() - 1};
}
ModelBuilder& ModelBuilder::couple_tendons(TendonCouplingSpec coupling) {
  spec_.tendon_couplings.push_back(std::move(coupling));
  return *this;
}
Result<Model> ModelBuilder::build(const CompileOptions& options) const { return compile(spec_, options); }

}  // namespace sinew
