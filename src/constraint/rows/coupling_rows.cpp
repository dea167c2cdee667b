// src/constraint/rows/coupling_rows.cpp - gears: q = offset + sum of polynomials in other coordinates [F08 9.26]
// The torque g on a coordinate is the couple (or force) Ta g on its node and the reaction on the node's parent.
#include "constraint/rows/constraint_entry.hpp"

namespace sinew {
namespace {

Force<double>* put_torque(const ConstraintState& state, int node, double g, Force<double>* K) {
  const Node& n = state.model.nodes()[node];
  JointComplements<double> force;
  const double* q = state.q.data() + n.q;
  if (n.joint.reversed)
    calc_complements(n.joint, q, state.time, force);
  else
    visit_primitive(n.joint.kind, [&](auto kind) { kind.complements(n.joint.parameter, q, force); });
  const Force<double> f = g * force.active[0];
  *K++ = f;
  if (n.parent > 0) {
    const auto& X = state.motion.kinematics.X;
    const Transform<double>&X_i = X[node], &X_p = X[n.parent];
    *K++ = -apply_inverse(Transform<double>{X_i.E * inverse(X_p.E), apply(X_p.E, X_i.r - X_p.r)}, f);
  }
  return K;
}

}  // namespace

Polynomial evaluate(const std::vector<double>& c, double x) {
  Polynomial p;
  for (std::size_t k = c.size(); k-- > 0;) {
    p.curvature = p.curvature * x + 2 * p.slope;
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + c[k];
  }
  // One more factor x: there is no constant.
  return {p.value * x, p.slope * x + p.value, p.curvature * x + 2 * p.slope};
}

void calc_rows(const CouplingRows& gear, const ConstraintState& state, RowWriter out) {
  const auto q = [&](int node) { return state.q[state.model.nodes()[node].q]; };
  const auto qd = [&](int node) { return state.v[state.model.nodes()[node].v]; };
  out.K = put_torque(state, gear.node, 1, out.K);
  double position = q(gear.node) - gear.offset, velocity = qd(gear.node), k = 0;
  for (const CouplingRows::Term& t : gear.terms) {
    const Polynomial p = evaluate(t.coefficients, q(t.node) - t.reference);
    out.K = put_torque(state, t.node, -p.slope, out.K);
    position -= p.value;
    velocity -= p.slope * qd(t.node);
    k += p.curvature * qd(t.node) * qd(t.node);
  }
  *out.position = position;
  *out.velocity = velocity;
  *out.k = k;
}

}  // namespace sinew
