// src/tree/floating_rnea.cpp
#include "tree/floating_base_access.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {
template <class T>
void floating_rnea(const Model& m, FloatingBaseWorkspace<T>& ws, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                   const std::type_identity_t<Surroundings<T>>& around) {
  check_size("floating_rnea", "tau", tau.size(), at(m.nv()));
  check_size("floating_rnea", "a", a.size(), at(m.nv()));
  calc_node_motions("floating_rnea", m, ws.motions, q, v, around);
  const NodeMotions<T>& k = ws.motions;
  const std::size_t first = at(ws.base.node);
  // pass 1: accelerations relative to that of the base
  ws.a[first] = apply(k.X[first], Motion<T>{{}, -cast<T>(m.gravity())});
  for (std::size_t i = first; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    if (i > first) {
      ws.a[i] = apply(k.X[i], ws.a[n.parent]) + k.c[i];
      for (int j = n.v; j < n.v + n.nv; ++j) ws.a[i] += a[j] * k.S[j];
    }
    ws.Ic[i] = cast<T>(n.inertia);
    ws.p[i] = ws.Ic[i] * ws.a[i] + cross(k.v[i], ws.Ic[i] * k.v[i]) - k.external[i];  // [F08 9.23]
  }
  // pass 2
  for (std::size_t i = ws.Ic.size() - 1; i > first; --i) {
    const std::size_t up = at(m.nodes()[i].parent);
    ws.Ic[up] = ws.Ic[up] + apply_inverse(k.X[i], ws.Ic[i]);
    ws.p[up] += apply_inverse(k.X[i], ws.p[i]);  // [F08 9.22]
  }
  // pass 3
  ws.a[first] = solve_by_coordinates(to_articulated(ws.Ic[first]), -ws.p[first]);  // [F08 9.24]
  set_base<T>(ws.base, ws.a[first], a);
  for (int j = 0; j < 6; ++j) tau[ws.base.v + j] = lit<T>(0);
  for (std::size_t i = first + 1; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    ws.a[i] = apply(k.X[i], ws.a[n.parent]);  // a0 in the node's coordinates
    const Force<T> f = ws.Ic[i] * ws.a[i] + ws.p[i];
    for (int j = n.v; j < n.v + n.nv; ++j) tau[j] = dot(k.S[j], f) + lit<T>(m.dofs()[j].armature) * a[j];  // [F08 9.25]
  }
}

#define SINEW_INSTANTIATE(T)                                                                         \
  template void floating_rnea(const Model&, FloatingBaseWorkspace<T>&, In<T>, In<T>, Out<T>, Out<T>, \
                              const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
