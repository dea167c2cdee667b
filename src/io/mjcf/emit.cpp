// src/io/mjcf/emit.cpp - bodies, joints, frames and shapes of the spec
// MuJoCo: body = parent * (pos, quat) * product over joints of [at(pos_j) motion_j(q_j - ref_j) at(-pos_j)].
#include <algorithm>

#include "io/mjcf/inertia.hpp"
#include "sinew/joint/mocap.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::mjcf {
namespace {

constexpr std::string_view word(JointType t) {
  return t == JointType::free ? "free" : t == JointType::ball ? "ball" : t == JointType::slide ? "slide" : "hinge";
}
constexpr JointKind kind(JointType t) {
  return t == JointType::free    ? JointKind::free
         : t == JointType::ball  ? JointKind::spherical
         : t == JointType::slide ? JointKind::prismatic
                                 : JointKind::revolute;
}

// An unused name: the one given, with underscores appended while it is taken.
std::string unique(Names& names, std::string name, int index) {
  while (!names.emplace(name, index).second) name += '_';
  return name;
}

// MuJoCo numbers geoms and sites by body; here they come in the order of the file.
template <class T>
void sort_by_body(std::vector<T>& items, Names& names, Work& w, std::vector<int> Body::*list) {
  std::vector<int> order(items.size()), place(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return items[a].body < items[b].body; });
  std::vector<T> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<int>(i);
    sorted.push_back(std::move(items[order[i]]));
  }
  items = std::move(sorted);
  for (auto& [name, index] : names) index = place[index];
  for (Body& b : w.bodies)
    for (int& index : b.*list) index = place[index];
}

void name_the_nameless(Work& w) {
  int joint = 0;
  for (int i = 1; i < static_cast<int>(w.bodies.size()); ++i) {
    Body& b = w.bodies[i];
    if (b.name.empty()) b.name = unique(w.body_names, "body_" + std::to_string(i), i);
    for (Joint& j : b.joints) {
      if (j.name.empty()) j.name = unique(w.joint_names, std::string(word(j.type)) + '_' + std::to_string(joint), i);
      ++joint;
    }
  }
  for (int i = 0; i < static_cast<int>(w.geoms.size()); ++i)
    if (auto& name = w.geoms[i].shape.name; name.empty()) name = unique(w.geom_names, "geom_" + std::to_string(i), i);
  for (int i = 0; i < static_cast<int>(w.sites.size()); ++i) {
    Site& s = w.sites[i];
    if (s.name.empty()) s.name = unique(w.site_names, "site_" + std::to_string(i), i);
  }
}

// Moves the frame of a free body without children to its centre of mass, along its principal axes.
void align(Work& w, Body& b) {
  const Principal p = principal(*b.inertial);
  const Frame back = inverse(p.frame);
  b.frame = b.frame * p.frame;
  b.world = b.world * p.frame;
  for (const int g : b.geoms) {
    Geom& geom = w.geoms[g];
    geom.frame = back * geom.frame;
  }
  for (const int i : b.sites) {
    Site& site = w.sites[i];
    site.frame = back * site.frame;
  }
  b.inertial = from_principal({p.mass, {}, p.moments});
}

// One joint with its F_p at `at`, in the frame of its axis.
JointSpec one_joint(const Joint& j, const Vec3<double>& at) {
  JointSpec s;
  s.name = j.name;
  s.kind = kind(j.type);
  s.axis = j.axis;
  s.dofs = j.dofs;
  s.where = j.where;
  s.placement.r = at;
  if (j.ref == 0) return s;
  s.neutral = {j.ref};
  if (j.type == JointType::slide)
    s.placement.r = at - j.ref * j.axis;
  else
    s.placement.E = rotation_from_axis_angle(j.axis, -j.ref);
  return s;
}

JointSpec make_joint(Work& w, const Body& b) {
  JointSpec s;
  const Pose place = to_pose(b.frame);
  if (b.mocap) {
    s.kind = JointKind::user;
    s.user = get_mocap_joint();
    s.name = unique(w.joint_names, b.name + "_mocap", -1);
    const auto& [p, q] = b.frame;
    s.neutral = {q.w, q.x, q.y, q.z, p.x, p.y, p.z};
    s.neutral.resize(MocapJoint::kNq);
  } else if (b.joints.empty()) {
    s.kind = JointKind::fixed;
    s.name = unique(w.joint_names, b.name + "_fixed", -1);
    s.placement = place;
  } else if (b.joints.front().type == JointType::free) {
    s = one_joint(b.joints.front(), {});
    const auto& [p, q] = b.frame;
    s.neutral = {q.w, q.x, q.y, q.z, p.x, p.y, p.z};
  } else if (b.joints.size() == 1) {
    s = one_joint(b.joints.front(), b.joints.front().pos);
    s.placement = s.placement * place;
    s.child_placement.r = b.joints.front().pos;
  } else {
    s.kind = JointKind::composite;
    s.name = unique(w.joint_names, b.name + "_joint", -1);
    s.placement = place;
    Vec3<double> last;
    for (const Joint& j : b.joints) {
      s.parts.push_back(one_joint(j, j.pos - last));
      last = j.pos;
    }
    s.child_placement.r = last;
  }
  s.parent = w.bodies[b.parent].name;
  s.child = b.name;
  s.where = b.joints.size() == 1 ? b.joints.front().where : b.node->where();
  return s;
}

}  // namespace

void set_principal_axes(Work& w) {
  for (std::size_t i = 1; i < w.bodies.size(); ++i)
    w.spec.bodies[i - 1].principal_axes = principal(*w.bodies[i].inertial).frame.quat;
}

void write_bodies(Work& w) {
  sort_by_body(w.geoms, w.geom_names, w, &Body::geoms);
  sort_by_body(w.sites, w.site_names, w, &Body::sites);
  name_the_nameless(w);
  for (std::size_t i = 1; i < w.bodies.size(); ++i) {
    Body& b = w.bodies[i];
    if (!b.joints.empty() && b.joints.front().align && b.children == 0) align(w, b);
    w.spec.bodies.push_back({b.name, b.inertial->mass, b.inertial->com, b.inertial->inertia, b.node->where()});
    w.spec.bodies.back().gravity_compensation = b.gravcomp;
    w.spec.joints.push_back(make_joint(w, b));
  }
  if (w.settings().medium.density > 0 || w.settings().medium.viscosity > 0) set_principal_axes(w);
  for (const Site& s : w.sites)
    w.spec.frames.push_back({s.name, w.bodies[s.body].name, to_pose(s.frame), s.where, s.zone, s.size});
  for (Geom& g : w.geoms) {
    g.shape.body = w.bodies[g.body].name;
    g.shape.pose = to_pose(g.frame);
    if (!w.settings().contact) g.shape.collides = false;
    w.spec.shapes.push_back(g.shape);
  }
  for (Mesh& m : w.meshes) w.spec.meshes.push_back(std::move(m.spec));
}

}  // namespace sinew::mjcf
