// src/model/resolve.cpp
#include "resolve.hpp"

#include "canonical.hpp"

namespace sinew {
namespace {
const BodyEntry& body_of(const Model& m, const std::string& name) { return m.bodies()[m.find_body(name).value()]; }
}  // namespace

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
