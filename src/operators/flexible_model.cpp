// src/operators/flexible_model.cpp
#include "sinew/operators/flexible_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "sinew/base/view.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew::sko {
namespace {

constexpr int kNotYet = -2;

std::string to_text(const Vec3<double>& a) {
  return "(" + std::to_string(a.x) + ", " + std::to_string(a.y) + ", " + std::to_string(a.z) + ")";
}
[[noreturn]] void refuse_model(const std::string& why) { throw std::invalid_argument("FlexibleModel: " + why); }

double size_of(const FlexibleBody& b) {
  double out = b.rigid.m > 0 ? norm(b.rigid.h) / b.rigid.m : 0;
  for (const FlexibleNode& n : b.nodes) out = std::max(out, norm(n.position));
  return out;
}

}  // namespace

FlexibleModel::FlexibleModel(const Model& m, std::vector<FlexibleBody> bodies, const Attachments& attach)
    : model_(&m), bodies_(std::move(bodies)), attach_(attach), flexible_of_(m.bodies().size(), -1) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    check_flexible_body(bodies_[i]);
    const auto body = m.find_body(bodies_[i].body);
    if (!body || *body == 0) refuse_model("the model has no moving body '" + bodies_[i].body + "'");
    if (flexible_of_[at(*body)] >= 0) refuse_model("body '" + bodies_[i].body + "' is listed twice");
    flexible_of_[at(*body)] = static_cast<int>(i);
    check_rigid_inertia(bodies_[i]);
    first_mode_.push_back(m.nv() + modes_);
    modes_ += bodies_[i].modes;
  }
  for (const auto& [joint, node] : attach_) {
    const JointEntry* j = m.find_joint(joint);
    if (!j) refuse_model("attach: the model has no joint '" + joint + "'");
    const int f = flexible_of_[at(j->parent)];
    if (f < 0) refuse_model("attach: joint '" + joint + "' does not hang on a flexible body");
    const auto& nodes = bodies_[at(f)].nodes;
    if (std::none_of(nodes.begin(), nodes.end(), [&, &name = node](const auto& n) { return n.name == name; }))
      refuse_model("attach: flexible body '" + bodies_[at(f)].body + "' has no node '" + node + "'");
  }
  if (!m.loops().empty())
    refuse_model("loop '" + m.loops()[0].name + "': loops are not supported beside flexible bodies");
  if (!m.couplings().empty())
    refuse_model("coupling '" + m.couplings()[0].name + "': couplings are not supported beside flexible bodies");
  add_parts();
}

int FlexibleModel::first_mode(int flexible) const {
  check_index("FlexibleModel", "flexible body", flexible, bodies_.size());
  return first_mode_[at(flexible)];
}
int FlexibleModel::part_of(int body) const {
  check_index("FlexibleModel", "body", body, part_of_.size());
  return part_of_[at(body)];
}

void FlexibleModel::check_rigid_inertia(const FlexibleBody& b) const {
  if (b.replaces_inertia) return;
  constexpr double kAgree = 1e-3;
  const RigidInertia<double>& a = model_->bodies()[at(*model_->find_body(b.body))].inertia;
  const auto complain = [&](const char* what, const std::string& model, const std::string& data) {
    refuse_model("body '" + b.body + "' has the " + what + " " + model + " in the model and " + data +
                 " in the flexible data; correct one of them, or set replaces_inertia");
  };
  if (std::abs(a.m - b.rigid.m) > kAgree * b.rigid.m) complain("mass", std::to_string(a.m), std::to_string(b.rigid.m));
  const double scale = std::max({b.rigid.I.xx, b.rigid.I.yy, b.rigid.I.zz});
  if (norm(a.h - b.rigid.h) > kAgree * std::sqrt(b.rigid.m * scale))
    complain("centre of mass", to_text(centre_of_mass(a)), to_text(centre_of_mass(b.rigid)));
  const Sym3<double> d = a.I - b.rigid.I;
  const double off =
      std::max({std::abs(d.xx), std::abs(d.xy), std::abs(d.xz), std::abs(d.yy), std::abs(d.yz), std::abs(d.zz)});
  if (off > kAgree * scale)
    complain("moments of inertia about the origin", to_text({a.I.xx, a.I.yy, a.I.zz}),
             to_text({b.rigid.I.xx, b.rigid.I.yy, b.rigid.I.zz}));
}

// What the modes move at the root must be something that the joint leaves free.
void FlexibleModel::check_root(const FlexiblePart& p) const {
  const FlexibleBody& b = bodies_[at(p.flexible)];
  if (b.root.shift.empty()) return;
  std::vector<std::array<double, 6>> span;  // orthonormal
  const auto without_span = [&](std::array<double, 6> x) {
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& s : span) {
        double d = 0;
        for (std::size_t k = 0; k < 6; ++k) d += x[k] * s[k];
        for (std::size_t k = 0; k < 6; ++k) x[k] -= d * s[k];
      }
    return x;
  };
  const auto length = [](const std::array<double, 6>& x) {
    double d = 0;
    for (const double k : x) d += k * k;
    return std::sqrt(d);
  };
  if (p.jointed) {
    const Node& n = model_->nodes()[at(p.node)];
    JointMotion<double> joint;
    const std::vector<double> rest(at(model_->nv()), 0.0);
    calc_joint(n.joint, model_->neutral().data() + n.q, rest.data() + n.v, 0.0, joint);
    for (int d = 0; d < n.nv; ++d) {
      auto s = without_span(to_array(apply(p.frame, joint.S[d])));
      const double l = length(s);
      for (double& k : s) k /= l;
      if (l > 1e-9) span.push_back(s);
    }
  }
  for (int i = 0; i < b.modes; ++i) {
    const Motion<double> moved{b.root.turn[at(i)], b.root.shift[at(i)]};
    const auto x = to_array(apply_inverse(shift_frame(b.root.position), moved));  // about the frame's origin
    constexpr double kLeftFree = 1e-9;
    if (length(without_span(x)) > kLeftFree * std::max(1.0, length(x)))
      refuse_model("mode " + std::to_string(i) + " of flexible body '" + b.body +
                   "' moves the place where its joint stands in a way that the joint does not allow; use modes that "
                   "are clamped there (cantilever), or a joint that is free in that direction");
  }
}

int FlexibleModel::find_interface(int flexible, const std::string& joint, const Vec3<double>& place) const {
  const FlexibleBody& b = bodies_[at(flexible)];
  const auto named = std::find_if(attach_.begin(), attach_.end(), [&](const auto& a) { return a.first == joint; });
  int nearest = -1;
  for (int i = 0; i < static_cast<int>(b.nodes.size()); ++i) {
    if (named != attach_.end() && b.nodes[at(i)].name == named->second) return i;
    if (nearest < 0 || norm(b.nodes[at(i)].position - place) < norm(b.nodes[at(nearest)].position - place)) nearest = i;
  }
  const std::string who = "joint '" + joint + "' hangs on flexible body '" + b.body + "' at " + to_text(place);
  if (nearest < 0) refuse_model(who + ", which has no interface nodes; add one there");
  constexpr double kSamePlace = 1e-6;
  if (const FlexibleNode& n = b.nodes[at(nearest)]; norm(n.position - place) > kSamePlace * size_of(b))
    refuse_model(who + ", where it has no interface node; the nearest is '" + n.name + "' at " + to_text(n.position) +
                 ". Add a node there, or attach the joint to one by name");
  return nearest;
}

bool FlexibleModel::has_armature(const FlexiblePart& p) const {
  if (!p.jointed) return false;
  const Node& n = model_->nodes()[at(p.node)];
  const double* A = model_->armature().data() + n.v;
  return std::any_of(A, A + n.nv, [](double a) { return a != 0; });
}

// Adds p, whose placement is that of the Model (F_p <- the parent node's frame), below the part of a body or, where
// there is no such body, below p.parent.
int FlexibleModel::add_part(FlexiblePart p, int parent_body, int joint) {
  if (parent_body >= 0) p.parent = find_part(parent_body);
  if (p.parent != kInertial) {
    const FlexiblePart& above = parts_[at(p.parent)];
    p.placement = p.placement * inverse(above.frame);
    if (above.flexible >= 0) {
      const Vec3<double>& place = model_->spec().joints[at(joint)].placement.r;
      p.at_node = find_interface(above.flexible, model_->joints()[at(joint)].name, place);
      p.placement = p.placement * inverse(shift_frame(bodies_[at(above.flexible)].nodes[at(p.at_node)].position));
    }
  }
  if (p.flexible >= 0) {
    p.first_mode = first_mode_[at(p.flexible)] - model_->nv();
    check_root(p);
  }
  parts_.push_back(p);
  return static_cast<int>(parts_.size()) - 1;
}

// The part of a body; made, with those that it hangs on, where it is not there yet.
int FlexibleModel::find_part(int body) {
  if (part_of_[at(body)] != kNotYet) return part_of_[at(body)];
  const Model& m = *model_;
  const BodyEntry& b = m.bodies()[at(body)];
  const std::vector<int>& nodes = m.joints()[at(b.joint)].nodes;
  const int flexible = flexible_of_[at(body)];
  FlexiblePart last;  // the part that carries the body
  last.name = b.name, last.node = b.node, last.flexible = flexible;
  if (flexible >= 0) last.frame = b.in_node;
  int part = kInertial;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool ends = i + 1 == nodes.size();
    FlexiblePart p = ends ? last : FlexiblePart{};
    if (!ends) p.name = m.joints()[at(b.joint)].name + " " + std::to_string(i), p.node = nodes[i];
    p.jointed = true, p.placement = m.nodes()[at(p.node)].placement, p.parent = part;
    part = add_part(p, i == 0 ? b.parent : -1, b.joint);
  }
  if (nodes.empty())
    part = flexible >= 0 || flexible_of_[at(b.parent)] >= 0 ? add_part(last, b.parent, b.joint) : find_part(b.parent);
  part_of_[at(body)] = part;
  if (part != kInertial && flexible < 0) {
    FlexiblePart& p = parts_[at(part)];
    p.inertia = p.inertia + apply_inverse(b.in_node, b.inertia);
  }
  return part;
}

void FlexibleModel::add_parts() {
  part_of_.assign(model_->bodies().size(), kNotYet);
  part_of_[0] = kInertial;
  for (std::size_t b = 1; b < part_of_.size(); ++b) find_part(static_cast<int>(b));
}

Shape FlexibleModel::make_shape() const {
  std::vector<NodeSize> nodes;
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const FlexiblePart& p = parts_[i];
    const int nv = p.jointed ? model_->nodes()[at(p.node)].nv : 0;
    const int modes = p.flexible >= 0 ? bodies_[at(p.flexible)].modes : 0;
    nodes.push_back({p.name, 6 + modes + (has_armature(p) ? nv : 0), nv + modes});
    edges.push_back({p.parent, static_cast<int>(i)});
  }
  return Shape(std::move(nodes), edges);
}

}  // namespace sinew::sko
