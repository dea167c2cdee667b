// src/model/resolve.cpp
#include "resolve.hpp"

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

}  // namespace sinew
