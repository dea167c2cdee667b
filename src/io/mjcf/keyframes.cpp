// src/io/mjcf/keyframes.cpp - stored states, from MuJoCo's coordinates to ours
// Free joint: MuJoCo has position then quaternion, and the velocity of the origin in the world before the angular
// velocity in the body; ours are quaternion then position, angular then linear, both in the body.
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

struct Sizes {
  std::size_t q = 0, v = 0;
};

Sizes sizes(const Work& w) {
  Sizes n;
  for (const Body& b : w.bodies)
    for (const Joint& j : b.joints) {
      n.q += j.type == JointType::free ? 7 : j.type == JointType::ball ? 4 : 1;
      n.v += j.dofs.size();
    }
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

void convert(const Work& w, const std::vector<double>& qpos, const std::vector<double>& qvel, KeyframeSpec& k) {
  const double *q = qpos.data(), *v = qvel.data();
  for (const Body& b : w.bodies)
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

}  // namespace

void read_keyframes(Work& w) {
  const Sizes n = sizes(w);
  for (const Node& section : w.tree.root.children) {
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
      k.name = r.text("name").value_or("");
      k.time = r.number("time").value_or(0);
      std::vector<double> q = r.list("qpos"), v = r.list("qvel");
      k.control = r.list("ctrl");
      k.activation = r.list("act");
      const auto wrong = [&](const char* name, std::size_t got, std::size_t need) {
        w.error(node, Code::wrong_coordinate_count,
                std::string(name) + " has " + std::to_string(got) + " numbers, the model needs " + std::to_string(need),
                "write one per coordinate");
      };
      const std::vector<ActuatorSpec>& all = w.spec.actuators;
      const auto activations = static_cast<std::size_t>(std::count_if(
          all.begin(), all.end(), [](const ActuatorSpec& a) { return a.activation != Activation::none; }));
      if (!k.activation.empty() && k.activation.size() != activations) wrong("act", k.activation.size(), activations);
      if (q.empty()) q = reference(w);
      if (v.empty()) v.resize(n.v);
      if (q.size() != n.q)
        wrong("qpos", q.size(), n.q);
      else if (v.size() != n.v)
        wrong("qvel", v.size(), n.v);
      else
        convert(w, q, v, k);
      w.spec.keyframes.push_back(std::move(k));
    }
  }
}

}  // namespace sinew::mjcf
