// src/model/compile.cpp - from a spec to the model that algorithms sweep over
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "align_frames.hpp"
#include "canonical.hpp"
#include "make_links.hpp"
#include "resolve.hpp"
#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/model/moved_inertia.hpp"
#include "validate.hpp"

namespace sinew {
class Compiler {
 public:
  explicit Compiler(ModelSpec spec) { model_.spec_ = std::move(spec); }

  Result<Model> run(const CompileOptions& options) {
    validate(model_.spec_, out_);
    if (!out_.has_errors()) check_tree();
    if (!out_.has_errors()) make_canonical_joints();
    if (!out_.has_errors()) {
      place_bodies();
      align_frames(model_.nodes_, model_.bodies_);
      make_sweeps();
      resolve_references();
      check_inertia_at_neutral();
    }
    if (options.strict) out_.make_strict();
    if (out_.has_errors()) return std::move(out_);
    model_.identity_ = Identity::make_new();
    return {std::move(model_), std::move(out_)};
  }

 private:
  const ModelSpec& spec() const { return model_.spec_; }

  // Each body is the child of one joint, and following the parents leads to the world.
  void check_tree() {
    index_.emplace(spec().world, 0);
    for (const BodySpec& b : spec().bodies) index_.emplace(b.name, static_cast<int>(index_.size()));
    joint_of_.assign(index_.size(), -1);
    children_.assign(index_.size(), {});
    for (std::size_t k = 0; k < spec().joints.size(); ++k) {
      const JointSpec& j = spec().joints[k];
      const int child = index_.at(j.child);
      if (child == 0)
        out_.add(Code::cycle, "joint '" + j.name + "'", "has the world as its child",
                 "swap parent and child and set `reversed`, or make it a loop", j.where);
      else if (joint_of_[child] >= 0)
        out_.add(Code::several_parents, "body '" + j.child + "'",
                 fmt::format("is the child of joints '{}' and '{}'", spec().joints[joint_of_[child]].name, j.name),
                 "move one of them to `loops`, or call cut_loops", j.where);
      else
        joint_of_[child] = static_cast<int>(k);
      children_[index_.at(j.parent)].push_back(static_cast<int>(k));
    }
    if (out_.has_errors()) return;

    // Bodies that no chain of joints connects to the world: part of a cycle, or without a parent.
    std::vector<bool> reached(index_.size(), false);
    std::vector<int> stack{0};
    while (!stack.empty()) {
      const int b = stack.back();
      stack.pop_back();
      reached[b] = true;
      for (const int k : children_[b]) stack.push_back(index_.at(spec().joints[k].child));
    }
    for (std::size_t b = 1; b < reached.size(); ++b)
      if (!reached[b]) report_unreached(static_cast<int>(b), reached);
  }

  void report_unreached(int body, std::vector<bool>& reached) {
    std::vector<int> path;
    std::vector<bool> on_path(reached.size(), false);
    int b = body;
    while (!reached[b] && !on_path[b] && joint_of_[b] >= 0) {
      on_path[b] = true;
      path.push_back(b);
      b = index_.at(spec().joints[joint_of_[b]].parent);
    }
    const auto name = [this](int i) { return spec().bodies[i - 1].name; };
    if (joint_of_[b] < 0) {
      if (!reached[b])
        out_.add(Code::several_roots, "body '" + name(b) + "'", "no joint connects it to the world",
                 "add a joint from '" + spec().world + "' or from another body", spec().bodies[b - 1].where);
    } else if (on_path[b]) {
      std::string cycle = "'" + name(b) + "'";
      for (int c = b;;) {
        c = index_.at(spec().joints[joint_of_[c]].parent);
        cycle += " <- '" + name(c) + "'";
        if (c == b) break;
      }
      out_.add(Code::cycle, "body '" + name(b) + "'", "its chain of parents comes back to it: " + cycle,
               "move one of these joints to `loops` and join a body to '" + spec().world + "'",
               spec().joints[joint_of_[b]].where);
    }
    // The bodies below it are not reported again.
    std::vector<int> stack{b};
    for (const int p : path) reached[p] = true;
    while (!stack.empty()) {
      const int c = stack.back();
      stack.pop_back();
      reached[c] = true;
      for (const int k : children_[c]) {
        const int child = index_.at(spec().joints[k].child);
        if (!reached[child]) stack.push_back(child);
      }
    }
  }

  // Canonical axes, coordinates in the order of the spec, limits and neutral positions.
  void make_canonical_joints() {
    for (const JointSpec& j : spec().joints) {
      canonical_.push_back(make_canonical(j, out_));
      JointEntry e = make_entry(j, canonical_.back().joint);
      e.parent = index_.at(j.parent);
      e.child = index_.at(j.child);
      model_.joints_.push_back(std::move(e));
    }
  }

  JointEntry make_entry(const JointSpec& spec, const Joint& joint) {
    JointEntry e;
    e.name = spec.name;
    e.kind = spec.kind;
    e.q = model_.nq_;
    e.v = model_.nv_;
    e.nq = joint.nq();
    e.nv = joint.nv();
    const std::string element = "joint '" + spec.name + "'";
    const auto wrong_count = [&](const char* what, std::size_t got, int need) {
      out_.add(Code::wrong_coordinate_count, element,
               fmt::format("has {} {}, {} has {}", got, what, to_string(spec.kind), need),
               "give one per coordinate or none", spec.where);
    };
    if (spec.kind == JointKind::composite) {
      if (!spec.dofs.empty() || !spec.neutral.empty())
        wrong_count("dofs or neutral coordinates of its own", spec.dofs.size(), 0);
      for (std::size_t k = 0; k < spec.parts.size(); ++k)
        e.parts.push_back(make_entry(spec.parts[k], joint.parts[k].joint));
      return e;
    }
    model_.nq_ += e.nq;
    model_.nv_ += e.nv;
    if (!spec.dofs.empty() && spec.dofs.size() != at(e.nv)) wrong_count("dofs", spec.dofs.size(), e.nv);
    if (!spec.neutral.empty() && spec.neutral.size() != at(e.nq))
      wrong_count("neutral coordinates", spec.neutral.size(), e.nq);
    model_.dofs_.resize(at(model_.nv_));
    model_.neutral_.resize(at(model_.nq_));
    if (spec.dofs.size() == at(e.nv)) std::copy(spec.dofs.begin(), spec.dofs.end(), model_.dofs_.begin() + e.v);
    neutral(joint, model_.neutral_.data() + e.q);
    if (!spec.neutral.empty() && spec.neutral.size() == at(e.nq)) {
      std::copy(spec.neutral.begin(), spec.neutral.end(), model_.neutral_.begin() + e.q);
      normalize(joint, model_.neutral_.data() + e.q);
    }
    return e;
  }

  // Depth first from the world, children in the order of their joints.
  void place_bodies() {
    model_.bodies_.resize(index_.size());
    model_.bodies_[0].name = spec().world;
    model_.nodes_.push_back({});
    std::vector<int> parents{-1};
    std::vector<int> stack(children_[0].rbegin(), children_[0].rend());
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      place_child(k);
      const auto& next = children_[model_.joints_[k].child];
      stack.insert(stack.end(), next.rbegin(), next.rend());
    }
    for (std::size_t i = 1; i < model_.nodes_.size(); ++i) parents.push_back(model_.nodes_[i].parent);
    model_.topology_ = Topology(std::move(parents));
  }

  void place_child(int k) {
    JointEntry& joint = model_.joints_[k];
    const BodyEntry& parent = model_.bodies_[joint.parent];
    BodyEntry& body = model_.bodies_[joint.child];
    const BodySpec& b = spec().bodies[joint.child - 1];
    body.name = b.name;
    body.parent = joint.parent;
    body.joint = k;
    body.inertia = make_inertia(b.mass, b.com, b.inertia);
    model_.mass_ += b.mass;

    // Each primitive joint that can move starts a node; the others only shift the frame.
    int node = parent.node;
    Transform<double> carried = parent.in_node;
    for (PrimitivePart& p : make_chain(canonical_[k])) {
      if (p.part.joint.kind == JointKind::fixed) {
        carried = p.part.after * (p.part.before * carried);
        continue;
      }
      Node n;
      n.parent = node;
      n.placement = p.part.before * carried;
      n.nq = p.part.joint.nq();
      n.nv = p.part.joint.nv();
      n.q = joint.q + p.q;
      n.v = joint.v + p.v;
      n.joint = std::move(p.part.joint);
      node = static_cast<int>(model_.nodes_.size());
      model_.nodes_.push_back(std::move(n));
      joint.nodes.push_back(node);
      if (!joint.parts.empty()) joint.parts[p.top_part].nodes.push_back(node);
      carried = p.part.after;
    }
    body.node = node;
    body.in_node = carried;
    Node& n = model_.nodes_[node];
    n.inertia = n.inertia + apply_inverse(carried, body.inertia);
  }

  void make_sweeps() {
    model_.dof_tree_ = make_dof_tree(model_.nodes_);
    model_.links_ = make_links(model_.nodes_, model_.topology_, model_.dofs_, spec().gravity);
    model_.float_links_ = to_float(model_.links_);
    for (const DofSpec& d : model_.dofs_) model_.armature_.push_back(d.armature);
    for (const Link<double>& l : model_.links_) {
      model_.branch_slots_ += l.keep >= 0;
      model_.general_joints_ += l.extra >= 0;
    }
  }

  void resolve_references() {
    for (const FrameSpec& f : spec().frames) {
      const int b = index_.at(f.body);
      const BodyEntry& body = model_.bodies_[b];
      model_.frames_.push_back({f.name, b, body.node, f.pose * body.in_node});
    }
    for (const LoopSpec& l : spec().loops) model_.loops_.push_back(make_loop_entry(model_, l, out_));
    for (const CouplingSpec& c : spec().couplings) model_.couplings_.push_back(make_coupling_entry(model_, c));
    for (const TendonSpec& t : spec().tendons) model_.tendons_.push_back(make_tendon_entry(model_, t));
    for (const TendonCouplingSpec& c : spec().tendon_couplings)
      model_.tendon_couplings_.push_back(make_tendon_coupling_entry(model_, c));
    for (const ActuatorSpec& a : spec().actuators)
      model_.activation_of_.push_back(a.activation == Activation::none ? -1 : model_.activations_++);
    for (const KeyframeSpec& k : spec().keyframes)
      if ((!k.q.empty() && k.q.size() != at(model_.nq_)) || (!k.v.empty() && k.v.size() != at(model_.nv_)))
        out_.add(Code::wrong_coordinate_count, "keyframe '" + k.name + "'",
                 fmt::format("has {} positions and {} velocities, the model has {} and {}", k.q.size(), k.v.size(),
                             model_.nq_, model_.nv_),
                 "give one per coordinate or none", k.where);
    for (const KeyframeSpec& k : spec().keyframes)
      if (!k.activation.empty() && k.activation.size() != at(model_.activations_))
        out_.add(Code::wrong_coordinate_count, "keyframe '" + k.name + "'",
                 fmt::format("has {} activations, the model has {}", k.activation.size(), model_.activations_),
                 "give one per actuator with an activation, or none", k.where);
  }

  void check_inertia_at_neutral() {
    const std::vector<double> moved = calc_moved_inertia(model_);
    for (std::size_t i = model_.nodes_.size() - 1; i > 0; --i)
      for (int v = model_.nodes_[i].v; v < model_.nodes_[i].v + model_.nodes_[i].nv; ++v)
        if (!(moved[at(v)] > 0)) report_inertia(v, moved[at(v)]);
  }
  void report_inertia(int v, double inertia) {
    for (std::size_t k = 0; k < model_.joints_.size(); ++k) {
      const JointEntry& j = model_.joints_[k];
      if (v < j.v || v >= j.v + j.nv) continue;
      const std::string child = model_.bodies_[j.child].name;
      const std::string coordinate = fmt::format("velocity coordinate {} of {}", v - j.v + 1, j.nv);
      if (inertia < 0)
        out_.add(Code::negative_joint_inertia, "joint '" + j.name + "'",
                 fmt::format("{} moves the inertia {:g}", coordinate, inertia),
                 "correct the inertia of body '" + child + "' and of the bodies below it", spec().joints[k].where);
      else
        out_.add(Code::massless_tip, "joint '" + j.name + "'",
                 coordinate + " moves no inertia: forward dynamics is singular",
                 "give body '" + child + "' mass and inertia, or the joint an armature", spec().joints[k].where);
    }
  }

  Model model_;
  Diagnostics out_;
  std::unordered_map<std::string, int> index_;  // body name -> body
  std::vector<int> joint_of_;                   // body -> joint that moves it
  std::vector<std::vector<int>> children_;      // body -> joints that start there
  std::vector<JointPart> canonical_;            // one per joint
};

Result<Model> compile(ModelSpec spec, const CompileOptions& options) {
  for (LoopSpec& l : spec.loops) name_bodies_of_frames(spec, l);
  return Compiler(std::move(spec)).run(options);
}

namespace {
void add_armature(JointSpec& spec, const JointEntry& e, std::span<const double> more) {
  for (std::size_t k = 0; k < spec.parts.size(); ++k) add_armature(spec.parts[k], e.parts[k], more);
  if (!spec.parts.empty() || e.nv == 0) return;
  if (spec.dofs.empty()) spec.dofs.resize(at(e.nv));
  for (int k = 0; k < e.nv; ++k) spec.dofs[k].armature += more[e.v + k];
}
}  // namespace

Model with_armature(const Model& m, std::span<const double> more) {
  check_size("with_armature", "more", more.size(), at(m.nv()));
  ModelSpec spec = m.spec();
  spec.shapes.clear(), spec.meshes.clear(), spec.heightfields.clear(), spec.keyframes.clear(), spec.actuators.clear();
  spec.pairs.clear(), spec.exclusions.clear(), spec.tendons.clear(), spec.tendon_couplings.clear();
  for (std::size_t j = 0; j < spec.joints.size(); ++j) add_armature(spec.joints[j], m.joints()[j], more);
  Model out = compile(std::move(spec)).value();
  out.identity_ = m.identity_;
  return out;
}

void set_armature(Model& m, int v, double armature) {
  check_index("set_armature", "v", v, at(m.nv()));
  if (!(armature >= 0) || !std::isfinite(armature))
    throw std::invalid_argument("set_armature: the armature is " + std::to_string(armature) +
                                ", but must be 0 or positive and finite");
  const auto node =
      std::find_if(m.nodes_.begin(), m.nodes_.end(), [v](const Node& n) { return n.nv == 1 && n.v == v; });
  if (node == m.nodes_.end())
    throw std::invalid_argument("set_armature: coordinate " + std::to_string(v) +
                                " belongs to a joint of several coordinates");
  const auto i = static_cast<std::size_t>(node - m.nodes_.begin());
  m.armature_[at(v)] = m.dofs_[at(v)].armature = armature;
  m.links_[i].armature = armature, m.float_links_[i].armature = static_cast<float>(armature);
}

}  // namespace sinew
