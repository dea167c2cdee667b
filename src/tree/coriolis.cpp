// src/tree/coriolis.cpp
#include "sinew/tree/coriolis.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

// B m and B^T m by (3) of the header.
template <class T>
Force<T> times_factor(const Mat3<T>& N, const Vec3<T>& l, const Motion<T>& m) {
  return {-(N * m.ang), cross(m.ang, l)};
}
template <class T>
Vec3<T> times_factor_transpose(const Mat3<T>& N, const Vec3<T>& l, const Motion<T>& m) {
  return cross(l, m.lin) - transpose_times(N, m.ang);  // the linear part is zero
}

// Base to tips: velocities, joint motions, the inertia and B of each node; then sums over subtrees.
template <class T>
void calc_subtrees(const Model& m, CoriolisWorkspace<T>& ws, const T* q, const T* v, double time) {
  const auto& X = ws.kinematics.X;
  const Vec3<T> o = X.size() > 1 ? X[1].r : Vec3<T>{};
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Node& n = m.nodes()[i];
    const Transform<T> Y{X[i].E, X[i].r - o};
    Motion<T>*J = ws.J.data() + n.v, *dJ = ws.dJ.data() + n.v;
    calc_columns(n, Y, q + n.q, time, J);
    const JointRates<T> joint = calc_joint_rates(n, Y, q + n.q, v + n.v, time, J);
    ws.v[i] = ws.v[n.parent] + joint.v;
    calc_column_rates(n, ws.rules[i], Y, q + n.q, v + n.v, time, ws.v[i], joint.v, J, dJ);

    const RigidInertia<T> I = apply_inverse(Y, cast<T>(n.inertia));
    const T half_trace = lit<T>(0.5) * (I.I.xx + I.I.yy + I.I.zz);
    const Sym3<T> P = Sym3<T>::diagonal(half_trace, half_trace, half_trace) - I.I;
    ws.Ic[i] = I;
    ws.N[i] = cross(ws.v[i].ang, P) + skew(I.h) * skew(ws.v[i].lin);
    ws.l[i] = (I * ws.v[i]).lin;
  }
  for (std::size_t i = X.size(); i-- > 1;) {
    const std::size_t p = at(m.nodes()[i].parent);
    if (p == 0) continue;
    ws.Ic[p] = ws.Ic[p] + ws.Ic[i];
    ws.N[p] = ws.N[p] + ws.N[i];
    ws.l[p] = ws.l[p] + ws.l[i];
  }
}

}  // namespace

template <class T>
CoriolisWorkspace<T>::CoriolisWorkspace(const Model& m)
    : kinematics(m),
      J(at(m.nv())),
      dJ(at(m.nv())),
      v(m.nodes().size()),
      Ic(m.nodes().size()),
      N(m.nodes().size()),
      l(m.nodes().size()),
      rules(find_subspace_rules(m, "CoriolisWorkspace")),
      above(find_coordinates_above(m)) {}

template <class T>
void calc_coriolis_matrix(const Model& m, CoriolisWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> C, double time) {
  check_state("calc_coriolis_matrix", m, ws.v.size(), q.size(), v.size());
  check_shape("calc_coriolis_matrix", "C", C, at(m.nv()), at(m.nv()));
  calc_kinematics(m, ws.kinematics, q, time);
  calc_subtrees(m, ws, q.data(), v.data(), time);
  for (std::size_t i = 0; i < C.rows(); ++i)
    for (std::size_t j = 0; j < C.cols(); ++j) C(i, j) = lit<T>(0);

  // Coordinate k of node i with every coordinate j above it: only the subtree of i feels both.
  for (std::size_t i = 1; i < ws.v.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const Motion<T>& s = ws.J[k];
      const Force<T> f = ws.Ic[i] * ws.dJ[k] + times_factor(ws.N[i], ws.l[i], s);
      const Force<T> g = ws.Ic[i] * s;
      const Vec3<T> b = times_factor_transpose(ws.N[i], ws.l[i], s);
      C(at(k), at(k)) = dot(s, f);
      for (int j = ws.above[k]; j >= 0; j = ws.above[j]) {
        C(at(j), at(k)) = dot(ws.J[j], f);
        C(at(k), at(j)) = dot(ws.dJ[j], g) + dot(ws.J[j].ang, b);
      }
    }
  }
}

template <class T>
void calc_mass_matrix_rate(const Model& m, CoriolisWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> dM, double time) {
  check_shape("calc_mass_matrix_rate", "dM", dM, at(m.nv()), at(m.nv()));
  calc_coriolis_matrix(m, ws, q, v, dM, time);
  for (std::size_t i = 0; i < dM.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) dM(i, j) = dM(j, i) = dM(i, j) + dM(j, i);
}

#define SINEW_INSTANTIATE(T)                                                                                   \
  template struct CoriolisWorkspace<T>;                                                                        \
  template void calc_coriolis_matrix(const Model&, CoriolisWorkspace<T>&, In<T>, In<T>, OutMatrix<T>, double); \
  template void calc_mass_matrix_rate(const Model&, CoriolisWorkspace<T>&, In<T>, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
