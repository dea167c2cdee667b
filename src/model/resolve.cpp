// src/model/resolve.cpp
#include "resolve.hpp"

#include <algorithm>

#include "canonical.hpp"

namespace sinew {
namespace {
const BodyEntry& body_of(const Model& m, const std::string& name) { return m.bodies()[m.find_body(name).value()]; }
// "loop 3: ", or "loop: "
std::string count_as(const std::string& kind, int number) {
  return kind + (number > 0 ? " " + std::to_string(number) : "") + ": ";
}
}  // namespace

std::string name_pair(const std::string& kind, const std::string& name, int number, const std::string& body_a,
                      const std::string& body_b) {
  if (!name.empty()) return kind + " '" + name + "'";
  const auto side = [](const std::string& body) { return body.empty() ? "world" : body; };
  return count_as(kind, number) + side(body_a) + " -- " + side(body_b);
}
std::string name_element(const LoopSpec& l, int number) {
  return name_pair("loop", l.name, number, l.body_a, l.body_b);
}
std::string name_element(const CouplingSpec& c, int number) {
  return c.name.empty() ? count_as("coupling", number) + "joint '" + c.dependent + "'" : "coupling '" + c.name + "'";
}

void name_bodies_of_frames(const ModelSpec& spec, LoopSpec& l) {
  const auto resolve = [&](std::string& name, Pose& pose) {
    const auto has_name = [&](const auto& x) { return x.name == name; };
    if (name == spec.world || std::any_of(spec.bodies.begin(), spec.bodies.end(), has_name)) return;
    const auto f = std::find_if(spec.frames.begin(), spec.frames.end(), has_name);
    if (f != spec.frames.end()) pose = pose * f->pose, name = f->body;
  };
  resolve(l.body_a, l.pose_a), resolve(l.body_b, l.pose_b);
}

LoopEntry make_loop_entry(const Model& m, const LoopSpec& l, Diagnostics& out) {
  const BodyEntry &a = body_of(m, l.body_a), &b = body_of(m, l.body_b);
  LoopEntry e;
  e.name = l.name;
  Transform<double> turn;
  e.joint = make_canonical_loop(l, turn, out);
  e.node_a = a.node;
  e.node_b = b.node;
  e.in_a = turn * (l.pose_a * a.in_node);
  e.in_b = turn * (l.pose_b * b.in_node);
  e.active = l.active;
  return e;
}

CouplingEntry make_coupling_entry(const Model& m, const CouplingSpec& c) {
  CouplingEntry e;
  const JointEntry* d = m.find_joint(c.dependent);
  e.name = c.name;
  e.q = d->q;
  e.v = d->v;
  e.offset = c.offset;
  e.active = c.active;
  for (const CouplingTerm& t : c.terms) {
    const JointEntry* j = m.find_joint(t.joint);
    e.terms.push_back({j->q, j->v, t.coefficients, t.reference});
  }
  return e;
}

TendonEntry make_tendon_entry(const Model& m, const TendonSpec& t) {
  TendonEntry e;
  e.name = t.name;
  for (const TendonPart& p : t.parts) {
    TendonEntry::Part& part = e.parts.emplace_back();
    part.kind = p.kind, part.factor = p.factor;
    if (p.kind == TendonPartKind::site) {
      const FrameEntry f = m.find_frame(p.target).value();
      part.node = f.node, part.in_node = f.in_node;
    } else if (p.kind == TendonPartKind::wrap) {
      const auto is_it = [&](const ShapeSpec& s) { return s.name == p.target; };
      const ShapeSpec& s = *std::find_if(m.spec().shapes.begin(), m.spec().shapes.end(), is_it);
      const BodyEntry& b = body_of(m, s.body);
      part.node = b.node, part.in_node = s.pose * b.in_node;
      part.radius = s.size[0], part.cylinder = s.kind == ShapeKind::cylinder;
      if (!p.side.empty()) {
        const FrameEntry f = m.find_frame(p.side).value();
        part.side_node = f.node, part.side = f.in_node.r;
      }
    } else if (p.kind == TendonPartKind::joint) {
      const JointEntry* j = m.find_joint(p.target);
      part.node = j->nodes.empty() ? 0 : j->nodes.front(), part.q = j->q, part.v = j->v;
      e.nodes.push_back(m.nodes()[part.node].parent);
    }
    e.nodes.push_back(part.node);
  }
  std::sort(e.nodes.begin(), e.nodes.end());
  e.nodes.erase(std::unique(e.nodes.begin(), e.nodes.end()), e.nodes.end());
  std::erase_if(e.nodes, [](int node) { return node <= 0; });
  return e;
}

TendonCouplingEntry make_tendon_coupling_entry(const Model& m, const TendonCouplingSpec& c) {
  return {c.name,
          m.find_tendon(c.dependent).value(),
          c.driver.empty() ? -1 : m.find_tendon(c.driver).value(),
          c.coefficients,
          c.offset,
          c.active};
}

}  // namespace sinew
