// src/tree/floating_aba.cpp
#include "tree/floating_base_access.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {
template <class T>
void floating_aba(const Model& m, FloatingBaseWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
                  const std::type_identity_t<Surroundings<T>>& around) {
  ws.motions.made_for.check("floating_aba", m);
  check_size("floating_aba", "tau", tau.size(), at(m.nv()));
  check_size("floating_aba", "a", a.size(), at(m.nv()));
  calc_node_motions("floating_aba", m, ws.motions, q, v, around);
  const NodeMotions<T>& k = ws.motions;
  const std::size_t first = at(ws.base.node);
  for (std::size_t i = first; i < ws.IA.size(); ++i) {
    const RigidInertia<T> I = cast<T>(m.nodes()[i].inertia);
    ws.IA[i] = to_articulated(I);
    ws.p[i] = cross(k.v[i], I * k.v[i]) - k.external[i];
  }
  ws.p[first] -= force_of_base<T>(ws.base, tau);
  for (std::size_t i = ws.IA.size() - 1; i > first; --i) {
    const Node& n = m.nodes()[i];
    ArticulatedInertia<T> Ia = ws.IA[i];
    Force<T> pa = ws.p[i];
    for (int j = n.v + n.nv - 1; j >= n.v; --j)
      ws.steps[j] = let_move(Ia, pa, k.S[j], tau[j], lit<T>(m.dofs()[j].armature));
    pa += Ia * k.c[i];
    ws.IA[n.parent] = ws.IA[n.parent] + apply_inverse(k.X[i], Ia);
    ws.p[n.parent] += apply_inverse(k.X[i], pa);
  }
  ws.a[first] = solve_by_coordinates(ws.IA[first], -ws.p[first]);  // [F08 9.17]
  for (std::size_t i = first + 1; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    ws.a[i] = apply(k.X[i], ws.a[n.parent]) + k.c[i];
    for (int j = n.v; j < n.v + n.nv; ++j) a[j] = accelerate(ws.steps[j], k.S[j], ws.a[i]);
  }
  // gravity adds the same acceleration to all bodies
  set_base<T>(ws.base, ws.a[first] + apply(k.X[first], Motion<T>{{}, cast<T>(m.gravity())}), a);
}

#define SINEW_INSTANTIATE(T)                                                                       \
  template void floating_aba(const Model&, FloatingBaseWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                             const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
