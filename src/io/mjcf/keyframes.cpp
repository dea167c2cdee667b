// src/io/mjcf/keyframes.cpp - stored states, from MuJoCo's coordinates to ours
// Free joint: MuJoCo has position then quaternion, and the velocity of the origin in the world before the angular
// velocity in the body; ours are quaternion then position, angular then linear, both in the body.
#include <algorithm>

#include "io/mjcf/work.hpp"
#include "sinew/joint/mocap.hpp"

namespace sinew::mjcf {
namespace {

Sizes sizes(const Work& w) {
  Sizes n;
  for (const Body& b : w.bodies) n += sizes_of(b);
  return n;
}

std::vector<double> reference(const Work& w) {
  std::vector<double> q;
  for (const Body& b : w.bodies)
    for (const Joint& j : b.joints) {
      const auto& [p, t] = b.frame;
      if (j.type == JointType::free)
        q.insert(q.end(), {p.x, p.y, p.z, t.w, t.x, t.y, t.z});
      else if (j.type == JointType::ball)
        q.insert(q.end(), {1, 0, 0, 0});
      else
        q.push_back(j.ref);
    }
  return q;
}

Quaternion<double> unit(const double* q) {
  const Quaternion<double> x{q[0], q[1], q[2], q[3]};
  return x.w * x.w + x.x * x.x + x.y * x.y + x.z * x.z > 1e-28 ? normalized(x) : Quaternion<double>{};
}

// A number of a key, as a frame with a scale changes it.
struct Change {
  double factor = 1, shift = 0;
  double operator()(double x) const { return factor * x + shift; }
};
using Changes = std::vector<Change>;

struct KeyChanges {
  Changes q, v, mpos, control, activation;
};

KeyChanges find_changes(const Work& w) {
  KeyChanges out;
  const auto add_place = [&](Changes& to, const Body& b) {
    const double length = w.scales[b.scale].length;
    const Vec3<double> shift = w.scales.moved(b.scale, {});
    to.insert(to.end(), {{length, shift.x}, {length, shift.y}, {length, shift.z}});
  };
  for (const Body& b : w.bodies) {
    if (b.mocap) add_place(out.mpos, b);
    for (const Joint& j : b.joints) {
      const Change own{unit_of(j, w.scales).position(), 0};
      if (j.type == JointType::free) {
        add_place(out.q, b);
        out.q.resize(out.q.size() + 4);
        out.v.insert(out.v.end(), 3, Change{w.scales[b.scale].length, 0});
        out.v.resize(out.v.size() + 3);
      } else {
        out.q.insert(out.q.end(), j.type == JointType::ball ? 4 : 1, own);
        out.v.insert(out.v.end(), j.dofs.size(), own);
      }
    }
  }
  for (std::size_t i = 0; i < w.spec.actuators.size(); ++i) {
    const ActuatorSpec& a = w.spec.actuators[i];
    out.control.push_back({control_factor(a, w.actuator_units[i]), 0});
    if (a.activation != Activation::none) out.activation.push_back(out.control.back());
  }
  return out;
}

// Nothing where the sizes differ: that is an error elsewhere.
void apply_changes(const Changes& changes, std::vector<double>& to) {
  if (to.size() != changes.size()) return;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = changes[i](to[i]);
}

// mpos, mquat: of all mocap bodies, or empty.
void convert(const Work& w, const std::vector<double>& qpos, const std::vector<double>& qvel,
             const std::vector<double>& mpos, const std::vector<double>& mquat, KeyframeSpec& k) {
  const double *q = qpos.data(), *v = qvel.data();
  std::size_t mocap = 0;
  for (const Body& b : w.bodies) {
    if (b.mocap) {
      const Quaternion<double> t = mquat.empty() ? b.frame.quat : unit(mquat.data() + 4 * mocap);
      const double* p = mpos.data() + 3 * mocap++;
      const Vec3<double> at = mpos.empty() ? b.frame.pos : Vec3<double>{p[0], p[1], p[2]};
      k.q.insert(k.q.end(), {t.w, t.x, t.y, t.z, at.x, at.y, at.z});
      k.q.resize(k.q.size() + MocapJoint::kNq - MocapJoint::kVelocity);
    }
    for (const Joint& j : b.joints) {
      if (j.type == JointType::free) {
        const Quaternion<double> t = unit(q + 3);
        const Vec3<double> lin = turn(conjugate(t), {v[0], v[1], v[2]});
        k.q.insert(k.q.end(), {t.w, t.x, t.y, t.z, q[0], q[1], q[2]});
        k.v.insert(k.v.end(), {v[3], v[4], v[5], lin.x, lin.y, lin.z});
        q += 7, v += 6;
      } else if (j.type == JointType::ball) {
        const Quaternion<double> t = unit(q);
        k.q.insert(k.q.end(), {t.w, t.x, t.y, t.z});
        k.v.insert(k.v.end(), v, v + 3);
        q += 4, v += 3;
      } else {
        k.q.push_back(*q++);
        k.v.push_back(*v++);
      }
    }
  }
}

// Puts the coordinates of an attached part, of a key of its own file, among those of the model.
bool place_attached(const Work& w, const Attachment& a, const KeyChanges& changes, std::vector<double>& q,
                    std::vector<double>& v, std::vector<double>& control) {
  if ((!q.empty() && q.size() != a.whole.q) || (!v.empty() && v.size() != a.whole.v)) return false;
  if (!control.empty() && control.size() != a.actuators.size()) return false;
  Sizes before, own;
  for (int i = 0; i < a.end_body; ++i) (i < a.first_body ? before : own) += sizes_of(w.bodies[i]);
  own.q = std::min(own.q, a.whole.q - a.first.q), own.v = std::min(own.v, a.whole.v - a.first.v);
  const auto copy = [](const std::vector<double>& from, std::size_t first, std::size_t count, const Changes& change,
                       std::vector<double>& to, std::size_t at) {
    for (std::size_t i = 0; i < count && !from.empty(); ++i) to[at + i] = change[at + i](from[first + i]);
  };
  std::vector<double> all_q = reference(w), all_v(sizes(w).v), all_control(w.spec.actuators.size());
  copy(q, a.first.q, own.q, changes.q, all_q, before.q);
  copy(v, a.first.v, own.v, changes.v, all_v, before.v);
  std::size_t to = a.first_actuator;
  for (std::size_t i = 0; i < control.size(); ++i)
    if (a.actuators[i] && to < all_control.size()) all_control[to] = changes.control[to](control[i]), ++to;
  q = std::move(all_q), v = std::move(all_v);
  if (!control.empty()) control = std::move(all_control);
  return true;
}

}  // namespace

void read_keyframes(Work& w) {
  if (w.at.attachment && w.at.attachment->self) return;  // they are keys of this model
  const Sizes n = sizes(w);
  const KeyChanges changes = find_changes(w);
  for (const Node& section : w.root().children) {
    if (section.tag() != "keyframe") continue;
    for (const Node& node : section.children) {
      if (w.full()) return;
      if (node.tag() != "key") {
        w.warn(node, Code::unknown_element, "MJCF has no such element in <keyframe>", "remove it");
        continue;
      }
      check_attributes(node, "key", w.remarks, w.out);
      const Reader r(node, w.out);
      KeyframeSpec k;
      k.where = node.where();
      if (const auto name = r.text("name")) k.name = w.at.prefix + std::string(*name);
      k.time = r.number("time").value_or(0);
      std::vector<double> q = r.list("qpos"), v = r.list("qvel");
      k.control = r.list("ctrl");
      k.activation = r.list("act");
      if (const Attachment* a = w.at.attachment) {
        if (!place_attached(w, *a, changes, q, v, k.control)) {
          w.error(node, Code::wrong_coordinate_count, "its numbers do not fit the model that it belongs to",
                  "write one per coordinate of that model");
          continue;
        }
        if (!k.activation.empty())
          w.remarks.count(Code::unsupported_element, "key act", "is not taken over from an attached model", node);
        k.activation.clear();
      } else {
        apply_changes(changes.q, q);
        apply_changes(changes.v, v);
        apply_changes(changes.control, k.control);
        apply_changes(changes.activation, k.activation);
      }
      const auto wrong = [&](const char* name, std::size_t got, std::size_t need) {
        w.error(node, Code::wrong_coordinate_count,
                std::string(name) + " has " + std::to_string(got) + " numbers, the model needs " + std::to_string(need),
                "write one per coordinate");
      };
      const std::vector<ActuatorSpec>& all = w.spec.actuators;
      const auto activations = static_cast<std::size_t>(std::count_if(
          all.begin(), all.end(), [](const ActuatorSpec& a) { return a.activation != Activation::none; }));
      if (!k.activation.empty() && k.activation.size() != activations) wrong("act", k.activation.size(), activations);
      std::vector<double> mpos = w.at.attachment ? std::vector<double>{} : r.list("mpos");
      const std::vector<double> mquat = w.at.attachment ? std::vector<double>{} : r.list("mquat");
      apply_changes(changes.mpos, mpos);
      const auto mocap = static_cast<std::size_t>(
          std::count_if(w.bodies.begin(), w.bodies.end(), [](const Body& b) { return b.mocap; }));
      if (!mpos.empty() && mpos.size() != 3 * mocap) {
        wrong("mpos", mpos.size(), 3 * mocap);
        continue;
      }
      if (!mquat.empty() && mquat.size() != 4 * mocap) {
        wrong("mquat", mquat.size(), 4 * mocap);
        continue;
      }
      if (q.empty()) q = reference(w);
      if (v.empty()) v.resize(n.v);
      if (q.size() != n.q)
        wrong("qpos", q.size(), n.q);
      else if (v.size() != n.v)
        wrong("qvel", v.size(), n.v);
      else
        convert(w, q, v, mpos, mquat, k);
      w.spec.keyframes.push_back(std::move(k));
    }
  }
}

}  // namespace sinew::mjcf
