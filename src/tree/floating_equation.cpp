// src/tree/floating_equation.cpp - the equation of motion without the base, momentum, Jacobian
#include "base/scalar_pass.hpp"
#include "sinew/spatial/dense.hpp"
#include "tree/checks.hpp"
#include "tree/floating_base_access.hpp"

namespace sinew {
template <class T>
void calc_floating_equation(const FloatingCoefficients<T>& c, OutMatrix<T> H_fl, Out<T> C_fl) {
  const std::size_t n = c.C.size();
  check_shape("calc_floating_equation", "H_fl", H_fl, n, n);
  check_size("calc_floating_equation", "C_fl", C_fl.size(), n);
  const ArticulatedInertia<T> I0 = to_articulated(c.Ic0);
  for (std::size_t i = 0; i < n; ++i) {
    const Motion<T> reaction = solve_by_coordinates(I0, c.F[i]);
    for (std::size_t j = 0; j <= i; ++j)
      H_fl(i, j) = H_fl(j, i) = c.H[i * n + j] - dot(reaction, c.F[j]);  // [F08 9.15]
    C_fl[i] = c.C[i] - dot(reaction, c.pc0);                             // [F08 9.16]
  }
}

template <class T>
Force<T> calc_floating_momentum(const FloatingBase& base, const FloatingCoefficients<T>& c, In<T> v) {
  check_size("calc_floating_momentum", "v", v.size(), c.C.size() + 6);
  check_size("calc_floating_momentum", "the base", base.joints.size(), c.C.size());
  const T* v0 = v.data() + base.v;
  Force<T> sum = c.Ic0 * Motion<T>{{v0[0], v0[1], v0[2]}, {v0[3], v0[4], v0[5]}};
  for (std::size_t j = 0; j < c.F.size(); ++j) sum += v[base.joints[j]] * c.F[j];
  return sum;
}

template <class T>
void calc_floating_jacobian(const Model& m, FloatingBaseWorkspace<T>& ws, In<T> q, const Place& place, OutMatrix<T> J,
                            double time) {
  check_shape("calc_floating_jacobian", "J", J, 6, ws.base.joints.size());
  for (T& x : ws.x) x = lit<T>(0);
  calc_node_motions("calc_floating_jacobian", m, ws.motions, q, ws.x, {{}, time});
  calc_composite_inertias(m, ws);
  const NodeMotions<T>& k = ws.motions;
  const std::size_t first = at(ws.base.node);
  const ArticulatedInertia<T> I0 = to_articulated(ws.Ic[first]);
  // place <- base
  Transform<T> X = cast<T>(place.in_node);
  for (std::size_t i = at(place.node); i != first && i != 0; i = at(m.nodes()[i].parent)) X = X * k.X[i];
  const auto set_column = [&](int v, const Motion<T>& s) {
    const std::array<T, 6> e = to_array(s);
    for (std::size_t r = 0; r < 6; ++r) J(r, at(joint_of(ws.base, v))) = e[r];
  };
  // - Ic0^-1 F
  for (std::size_t i = first + 1; i < ws.Ic.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j) {
      Force<T> F = ws.Ic[i] * k.S[j];
      for (std::size_t up = i; up != first; up = at(m.nodes()[up].parent)) F = apply_inverse(k.X[up], F);
      set_column(j, place.node == 0 ? Motion<T>{} : -apply(X, solve_by_coordinates(I0, F)));
    }
  }
  // + J
  Transform<T> to_place = cast<T>(place.in_node);
  for (std::size_t i = at(place.node); i != first && i != 0; i = at(m.nodes()[i].parent)) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j) {
      const std::array<T, 6> e = to_array(apply(to_place, k.S[j]));
      for (std::size_t r = 0; r < 6; ++r) J(r, at(joint_of(ws.base, j))) += e[r];
    }
    to_place = to_place * k.X[i];
  }
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template void calc_floating_equation(const FloatingCoefficients<T>&, OutMatrix<T>, Out<T>);                      \
  template Force<T> calc_floating_momentum(const FloatingBase&, const FloatingCoefficients<T>&, In<T>);            \
  template void calc_floating_jacobian(const Model&, FloatingBaseWorkspace<T>&, In<T>, const Place&, OutMatrix<T>, \
                                       double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
