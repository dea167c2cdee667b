// src/tree/hybrid_aba.cpp
#include "sinew/tree/hybrid.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {
template <class T>
HybridAbaWorkspace<T>::HybridAbaWorkspace(const Model& m, HybridSplit s)
    : split(std::move(s)),
      motions(m),
      IA(m.nodes().size()),
      pA(m.nodes().size()),
      steps(at(m.nv())),
      a(m.nodes().size()) {}

template <class T>
void hybrid_aba(const Model& m, HybridAbaWorkspace<T>& ws, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                const std::type_identity_t<Surroundings<T>>& around) {
  check_size("hybrid_aba", "a", a.size(), at(m.nv()));
  check_size("hybrid_aba", "tau", tau.size(), at(m.nv()));
  calc_node_motions("hybrid_aba", m, ws.motions, q, v, around);
  NodeMotions<T>& k = ws.motions;

  // pass 1
  for (std::size_t i = 1; i < ws.IA.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (ws.split.is_given(j)) k.c[i] += a[j] * k.S[j];
    const RigidInertia<T> I = cast<T>(n.inertia);
    ws.IA[i] = to_articulated(I);
    ws.pA[i] = cross(k.v[i], I * k.v[i]) - k.external[i];
  }
  // pass 2
  for (std::size_t i = ws.IA.size() - 1; i > 0; --i) {
    const Node& n = m.nodes()[i];
    ArticulatedInertia<T> Ia = ws.IA[i];
    Force<T> pa = ws.pA[i];
    for (int j = n.v + n.nv - 1; j >= n.v; --j)
      if (!ws.split.is_given(j))  // else I^a = I^A [F08 9.9]
        ws.steps[j] = let_move(Ia, pa, k.S[j], tau[j], lit<T>(m.dofs()[j].armature));
    if (n.parent == 0) continue;
    pa += Ia * k.c[i];  // [F08 9.10]
    ws.IA[n.parent] = ws.IA[n.parent] + apply_inverse(k.X[i], Ia);
    ws.pA[n.parent] += apply_inverse(k.X[i], pa);
  }
  // pass 3
  ws.a[0] = {{}, -cast<T>(m.gravity())};
  for (std::size_t i = 1; i < ws.IA.size(); ++i) {
    const Node& n = m.nodes()[i];
    Motion<T>& ai = ws.a[i];
    ai = apply(k.X[i], ws.a[n.parent]) + k.c[i];  // [F08 9.8]
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (!ws.split.is_given(j)) a[j] = accelerate(ws.steps[j], k.S[j], ai);
    const Force<T> f = ws.IA[i] * ai + ws.pA[i];  // [F08 9.6]
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (ws.split.is_given(j)) tau[j] = dot(k.S[j], f) + lit<T>(m.dofs()[j].armature) * a[j];
  }
}

#define SINEW_INSTANTIATE(T)                                                                   \
  template struct HybridAbaWorkspace<T>;                                                       \
  template void hybrid_aba(const Model&, HybridAbaWorkspace<T>&, In<T>, In<T>, Out<T>, Out<T>, \
                           const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
