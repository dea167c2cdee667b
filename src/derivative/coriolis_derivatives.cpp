// src/derivative/coriolis_derivatives.cpp
#include "sinew/derivative/coriolis_derivatives.hpp"

#include <string>

#include "sinew/joint/armature.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

void check_coriolis_joints(const Model& m) {
  for (const JointEntry& j : m.joints())
    for (const int node : j.nodes)
      if (const JointKind kind = m.nodes()[at(node)].joint.kind;
          kind == JointKind::prescribed || kind == JointKind::user)
        throw std::invalid_argument("CoriolisDerivativesWorkspace: joint '" + j.name + "' is " +
                                    std::string(to_string(kind)) + ", and the derivatives of C leave such joints out");
}

// c = v x w of one joint, whose coordinates these are.
void calc_bracket(JointKind kind, int nv, const double* v, const double* w, double* c) {
  for (int k = 0; k < nv; ++k) c[k] = 0;
  if (kind == JointKind::planar) {
    c[1] = w[0] * v[2] - v[0] * w[2];
    c[2] = v[0] * w[1] - w[0] * v[1];
  } else if (kind == JointKind::spherical || kind == JointKind::free) {
    for (int x = 0; x < 3; ++x) {
      const int y = (x + 1) % 3, z = (x + 2) % 3;
      c[x] = v[y] * w[z] - v[z] * w[y];
      if (kind == JointKind::free) c[3 + x] = v[y] * w[3 + z] - v[z] * w[3 + y] - (w[y] * v[3 + z] - w[z] * v[3 + y]);
    }
  }
}

}  // namespace

CoriolisDerivativesWorkspace::CoriolisDerivativesWorkspace(const Model& m)
    : inverse((check_coriolis_joints(m), m)),
      matrix(m),
      q(at(m.nq())),
      v(at(m.nv())),
      a(v),
      tau(v),
      dq(at(m.nv()) * at(m.nv())),
      dv(dq),
      M(dq) {}

void calc_coriolis_derivatives(const Model& m, CoriolisDerivativesWorkspace& ws, In<double> q, In<double> v,
                               In<double> w, Out<double> Cw, OutMatrix<double> dCw_dq, OutMatrix<double> dCw_dv) {
  const char* call = "calc_coriolis_derivatives";
  const std::size_t n = at(m.nv());
  check_state(call, m, ws.inverse.made_for, q.size(), v.size());
  check_size(call, "w", w.size(), n);
  check_size(call, "Cw", Cw.size(), n);
  check_shape(call, "dCw_dq", dCw_dq, n, n);
  check_shape(call, "dCw_dv", dCw_dv, n, n);

  // (3)
  for (std::size_t k = 0; k < ws.q.size(); ++k) ws.q[k] = Dual(q[k]);
  for (const Node& node : m.nodes()) {
    double c[kMaxJointDofs];
    calc_bracket(node.joint.kind, node.nv, v.data() + node.v, w.data() + node.v, c);
    for (int k = 0; k < node.nv; ++k) {
      const std::size_t i = at(node.v + k);
      ws.v[i] = Dual(v[i], w[i]), ws.a[i] = Dual(0, c[k]);
    }
  }
  const auto square = [n](std::vector<Dual>& x) { return MatrixView<Dual>(x.data(), n, n); };
  calc_rnea_derivatives<Dual>(m, ws.inverse, ws.q, ws.v, ws.a, ws.tau, square(ws.dq), square(ws.dv), square(ws.M));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) dCw_dq(i, k) = 0.5 * ws.dq[i * n + k].slope;

  // (4)
  calc_coriolis_matrix<double>(m, ws.matrix, q, w, dCw_dv);
  for (const Node& node : m.nodes()) {
    const double* A = m.armature().data() + node.v;
    const bool armature = has_armature_bias(node.joint.kind, A);
    if (armature)
      calc_armature_coriolis(node.joint.kind, A, w.data() + node.v,
                             [&](int r, int c, double x) { dCw_dv(at(node.v + r), at(node.v + c)) -= x; });
    for (int h = 0; h < node.nv; ++h) {
      double unit[kMaxJointDofs] = {}, c[kMaxJointDofs];
      unit[h] = 1;
      const std::size_t column = at(node.v + h);
      if (armature)
        calc_armature_coriolis(node.joint.kind, A, unit, [&](int r, int k, double x) {
          dCw_dv(at(node.v + r), column) += x * w[at(node.v + k)];
        });
      calc_bracket(node.joint.kind, node.nv, unit, w.data() + node.v, c);
      for (int k = 0; k < node.nv; ++k) {
        if (c[k] == 0) continue;
        for (std::size_t i = 0; i < n; ++i) dCw_dv(i, column) += ws.M[i * n + at(node.v + k)].value * c[k];
        dCw_dv(at(node.v + k), column) -= m.armature()[at(node.v + k)] * c[k];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Cw[i] = 0;
    for (std::size_t k = 0; k < n; ++k) Cw[i] += dCw_dv(i, k) * v[k];
  }
}

}  // namespace sinew
