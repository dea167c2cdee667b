// src/io/mjcf/writer_tree.cpp - bodies with their joints, frames and shapes
// Our joint: parent * placement * motion(q) = child * child_placement. MJCF wants every joint's anchor and axis in the
// child's frame at the reference position, where each coordinate has its `ref`.
#include <cmath>

#include "io/mjcf/writer.hpp"
#include "sinew/joint/mocap.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::mjcf {
namespace {

constexpr int kDeepest = 350;  // the XML reader stops at kMaxDepth = 400

std::string element(const JointSpec& j) { return "joint '" + j.name + "'"; }
bool is_identity(const Frame& f) {
  const Quaternion<double>& q = f.quat;
  return f.pos == Vec3<double>{} && std::abs(q.x) + std::abs(q.y) + std::abs(q.z) < 1e-15;
}
double neutral_of(const JointSpec& j, std::size_t i) { return i < j.neutral.size() ? j.neutral[i] : 0; }

}  // namespace

Frame to_frame(const Pose& p) { return {p.r, to_quaternion(p.E)}; }

// Appends the parts of the joint, with the frame after each at the reference position.
bool Writer::chain(const JointSpec& j, std::vector<WrittenJoint>& joints, std::vector<Frame>& frames, Frame& at) {
  at = at * to_frame(j.placement);
  const auto axial = [&](JointKind kind, const std::string& name, const Vec3<double>& axis, std::size_t dof) {
    const double ref = neutral_of(j, dof);
    const Vec3<double> a = (1 / norm(axis)) * axis;
    if (kind == JointKind::revolute)
      at = at * Frame{{}, quaternion_from_axis_angle(a, ref)};
    else
      at = at * Frame{ref * a, {}};
    joints.push_back({&j, name, kind, {}, a, ref, dof, 1});
    frames.push_back(at);
    return true;
  };
  if (j.reversed) return impossible(element(j), "MJCF has no reversed joints", j.where), false;
  switch (j.kind) {
    case JointKind::fixed: return true;
    case JointKind::revolute:
    case JointKind::prismatic: return axial(j.kind, j.name, j.axis, 0);
    case JointKind::cylindrical:
      return axial(JointKind::revolute, j.name + "_angle", j.axis, 0) &&
             axial(JointKind::prismatic, j.name + "_travel", j.axis, 1);
    case JointKind::universal:
      return axial(JointKind::revolute, j.name + "_1", j.axis, 0) &&
             axial(JointKind::revolute, j.name + "_2", j.axis2, 1);
    case JointKind::spherical:
      if (!j.neutral.empty() && (j.neutral[1] != 0 || j.neutral[2] != 0 || j.neutral[3] != 0))
        lost(element(j), "a ball joint of MJCF starts at the identity, not at its neutral position", j.where);
      joints.push_back({&j, j.name, j.kind, {}, {0, 0, 1}, 0, 0, 3});
      frames.push_back(at);
      return true;
    case JointKind::free:
      if (!is_identity(to_frame(j.placement)) || !is_identity(to_frame(j.child_placement)) || j.parent != spec_.world)
        return impossible(element(j), "a free joint of MJCF goes from the world's frame to the body's", j.where), false;
      if (j.neutral.size() == 7)
        at = {{j.neutral[4], j.neutral[5], j.neutral[6]},
              normalized(Quaternion<double>{j.neutral[0], j.neutral[1], j.neutral[2], j.neutral[3]})};
      joints.push_back({&j, j.name, j.kind, {}, {0, 0, 1}, 0, 0, 6});
      frames.push_back(at);
      return true;
    case JointKind::user:
      if (j.user != get_mocap_joint())
        return impossible(element(j), "MJCF has no joints of a user's own", j.where), false;
      if (!is_identity(to_frame(j.placement)) || !is_identity(to_frame(j.child_placement)) || j.parent != spec_.world)
        return impossible(element(j), "a mocap joint of MJCF goes from the world's frame to the body's", j.where),
               false;
      if (j.neutral.size() >= 7)
        at = {{j.neutral[4], j.neutral[5], j.neutral[6]},
              normalized(Quaternion<double>{j.neutral[0], j.neutral[1], j.neutral[2], j.neutral[3]})};
      return true;
    case JointKind::composite:
      for (const JointSpec& p : j.parts) {
        if (!chain(p, joints, frames, at)) return false;
        at = at * inverse(to_frame(p.child_placement));
      }
      return true;
    default: return impossible(element(j), "MJCF has no " + std::string(to_string(j.kind)) + " joints", j.where), false;
  }
}

bool Writer::place(WrittenBody& b, const Frame& parent_world) {
  std::vector<Frame> frames;
  Frame at;
  if (!chain(*b.joint, b.joints, frames, at)) return false;
  b.frame = at * inverse(to_frame(b.joint->child_placement));
  b.world = parent_world * b.frame;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame local = inverse(b.frame) * frames[i];
    b.joints[i].pos = local.pos;
    b.joints[i].axis = turn(local.quat, b.joints[i].axis);
    if (b.joints[i].kind == JointKind::spherical && !is_identity({{}, local.quat}))
      return impossible(element(*b.joint), "a ball joint of MJCF turns along its body's axes", b.joint->where), false;
  }
  return true;
}

bool Writer::place_bodies() {
  std::map<std::string_view, const BodySpec*> named;
  for (const BodySpec& b : spec_.bodies) named.emplace(b.name, &b);
  for (const JointSpec& j : spec_.joints) {
    const auto body = named.find(j.child);
    if (body == named.end() || !body_index_.emplace(j.child, static_cast<int>(bodies_.size())).second)
      return impossible(element(j), "its child is not a body, or is the child of another joint", j.where), false;
    bodies_.push_back({body->second, &j, {}, {}, {}, {}});
  }
  if (bodies_.size() != spec_.bodies.size())
    return impossible("model", "a body has no joint towards its parent", {}), false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const JointSpec& j = *bodies_[i].joint;
    const auto parent = body_index_.find(j.parent);
    if (j.parent == spec_.world)
      roots_.push_back(static_cast<int>(i));
    else if (parent == body_index_.end())
      return impossible(element(j), "its parent is not a body", j.where), false;
    else
      bodies_[parent->second].children.push_back(static_cast<int>(i));
  }
  // Parents before children, whatever the order of the spec.
  std::vector<int> ready = roots_;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    WrittenBody& b = bodies_[ready[k]];
    if (!place(b, world_frame(b.joint->parent))) return false;
    ready.insert(ready.end(), b.children.begin(), b.children.end());
  }
  if (ready.size() != bodies_.size()) return impossible("model", "joints form a cycle", {}), false;
  // MuJoCo's coordinates run depth first; ours in the order of the joints.
  std::vector<int> stack(roots_.rbegin(), roots_.rend());
  for (int expected = 0; !stack.empty(); ++expected) {
    const int i = stack.back();
    stack.pop_back();
    if (i != expected)
      return impossible("model", "joints are not in depth-first order, which is that of MJCF's coordinates", {}), false;
    const auto& c = bodies_[i].children;
    stack.insert(stack.end(), c.rbegin(), c.rend());
  }
  return true;
}

void Writer::write_joint(const WrittenBody& b, const WrittenJoint& j) {
  open("joint");
  name(j.name);
  const bool scalar_kind = j.dof_count == 1;
  text("type", j.kind == JointKind::free        ? "free"
               : j.kind == JointKind::spherical ? "ball"
               : j.kind == JointKind::prismatic ? "slide"
                                                : "hinge");
  if (j.kind != JointKind::free) vec("pos", j.pos);
  if (scalar_kind) vec("axis", j.axis);
  if (j.ref != 0) numbers("ref", {j.ref});
  const auto& dofs = j.spec->dofs;
  if (!dofs.empty() && j.first_dof < dofs.size()) {
    const DofSpec& d = dofs[j.first_dof];
    for (std::size_t i = 1; i < j.dof_count && j.first_dof + i < dofs.size(); ++i) {
      const DofSpec& e = dofs[j.first_dof + i];
      if (e.damping != d.damping || e.friction != d.friction || e.armature != d.armature || e.stiffness != d.stiffness)
        lost(element(*b.joint), "MJCF has one damping, friction, armature and stiffness for all coordinates of a joint",
             b.joint->where);
    }
    const bool low = std::isfinite(d.lower), high = std::isfinite(d.upper);
    if (scalar_kind && low && high)
      numbers("range", {d.lower, d.upper});
    else if (j.kind == JointKind::spherical && high)
      numbers("range", {0, d.upper});
    else if (low || high)
      lost(element(*b.joint), "MJCF limits a joint on both sides or not at all", b.joint->where);
    if (std::isfinite(d.max_velocity)) lost(element(*b.joint), "MJCF has no limit of velocity", b.joint->where);
    if (scalar_kind && std::isfinite(d.max_effort))
      numbers("actuatorfrcrange", {-d.max_effort, d.max_effort});
    else if (std::isfinite(d.max_effort))
      lost(element(*b.joint), "MJCF limits the effort of one-axis joints only", b.joint->where);
    const auto polynomial = [&](const char* name, double linear, const std::array<double, 2>& terms) {
      if (terms != std::array<double, 2>{})
        numbers(name, {linear, terms[0], terms[1]});
      else if (linear != 0)
        numbers(name, {linear});
    };
    polynomial("damping", d.damping, d.damping_terms);
    if (d.friction != 0) numbers("frictionloss", {d.friction});
    if (d.armature != 0) numbers("armature", {d.armature});
    polynomial("stiffness", d.stiffness, d.stiffness_terms);
    if (scalar_kind && d.rest != 0) numbers("springref", {d.rest});
  }
  close();
}

void Writer::write_shape(const ShapeSpec& s) {
  constexpr const char* kTypes[] = {"plane", "sphere", "box", "capsule", "cylinder", "ellipsoid", "mesh", "hfield"};
  open("geom");
  name(s.name);
  text("type", kTypes[static_cast<std::size_t>(s.kind)]);
  frame(to_frame(s.pose));
  if (s.kind == ShapeKind::mesh)
    text("mesh", s.asset);
  else if (s.kind == ShapeKind::heightfield)
    text("hfield", s.asset);
  else if (s.kind == ShapeKind::plane)
    numbers("size", {s.size[0], s.size[1], 1});
  else
    numbers("size", s.size);
  numbers("friction", {s.friction, s.torsional_friction, s.rolling_friction});
  if (s.friction_law != FrictionLaw::sliding) text("condim", std::to_string(static_cast<int>(s.friction_law)));
  if (s.priority != 0) text("priority", std::to_string(s.priority));
  text("contype", std::to_string(s.collides ? s.contact_type : 0));
  text("conaffinity", std::to_string(s.collides ? s.contact_affinity : 0));
  if (s.margin != 0) numbers("margin", {s.margin});
  text("group", std::to_string(s.group));
  if (s.fluid_ellipsoid) {
    text("fluidshape", "ellipsoid");
    numbers("fluidcoef", s.fluid_coefficients);
  }
  numbers("rgba", s.rgba);
  if (s.restitution != 0) lost("shape '" + s.name + "'", "MJCF has no restitution", s.where);
  close();
}

void Writer::write_contents(const std::string& body) {
  for (auto [i, end] = shapes_.equal_range(body); i != end; ++i) write_shape(*i->second);
  for (auto [i, end] = frames_.equal_range(body); i != end; ++i) {
    open("site");
    name(i->second->name);
    if (i->second->zone != ShapeKind::sphere && i->second->zone != ShapeKind::mesh)
      text("type", std::string(to_string(i->second->zone)));
    numbers("size", i->second->zone_size);
    frame(to_frame(i->second->pose));
    close();
  }
  for (const LoopSpec* l : open_loops_)
    for (const bool first : {true, false})
      if ((first ? l->body_a : l->body_b) == body) {
        open("site");
        name(l->name + (first ? "_a" : "_b"));
        frame(to_frame(first ? l->pose_a : l->pose_b));
        close();
      }
}

void Writer::write_body(int index, int depth) {
  const WrittenBody& b = bodies_[index];
  if (depth > kDeepest)
    return impossible("body '" + b.spec->name + "'", "bodies are nested too deep for an XML file", b.spec->where);
  open("body");
  name(b.spec->name);
  if (b.joint->user == get_mocap_joint()) text("mocap", "true");
  frame(b.frame);
  if (b.spec->gravity_compensation != 0) numbers("gravcomp", {b.spec->gravity_compensation});
  open("inertial");
  vec("pos", b.spec->com);
  numbers("mass", {b.spec->mass});
  const Sym3<double>& I = b.spec->inertia;
  if (I.xy == 0 && I.xz == 0 && I.yz == 0)
    numbers("diaginertia", {I.xx, I.yy, I.zz});
  else
    numbers("fullinertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz});
  close();
  for (const WrittenJoint& j : b.joints) write_joint(b, j);
  write_contents(b.spec->name);
  for (const int c : b.children) write_body(c, depth + 1);
  close();
}

}  // namespace sinew::mjcf
