// src/tree/hybrid_crba.cpp
#include "base/scalar_pass.hpp"
#include "sinew/tree/hybrid.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"

namespace sinew {
namespace {

template <class T>
void pass_to_parents(const Model& m, const NodeMotions<T>& k, std::vector<Force<T>>& f) {
  for (std::size_t i = f.size() - 1; i > 0; --i)
    if (const int p = m.nodes()[i].parent; p != 0) f[p] += apply_inverse(k.X[i], f[i]);
}

// Composite inertias of what moves, and H11 row by row from each coordinate to the root. [F08 Table 9.1]
template <class T>
void calc_forward_inertia(const Model& m, HybridCrbaWorkspace<T>& ws) {
  const DofTree& tree = ws.split.forward_tree();
  const NodeMotions<T>& k = ws.motions;
  for (std::size_t i = 1; i < ws.Ic.size(); ++i) ws.Ic[i] = cast<T>(m.nodes()[i].inertia);
  for (std::size_t i = ws.Ic.size() - 1; i > 0; --i)
    if (const std::size_t p = at(m.nodes()[i].parent); ws.split.is_moved(int(p)))
      ws.Ic[p] = ws.Ic[p] + apply_inverse(k.X[i], ws.Ic[i]);
  for (int r = 0; r < tree.size(); ++r) {
    T* row = ws.H.data() + tree.row(r);
    int node = ws.split.node_of(tree.velocity(r));
    Force<T> F = ws.Ic[node] * k.S[tree.velocity(r)];
    for (int j = r, p = tree.depth(r); p >= 0; j = tree.parent(j), --p) {
      const int v = tree.velocity(j);
      for (; node != ws.split.node_of(v); node = m.nodes()[node].parent) F = apply_inverse(k.X[node], F);
      row[p] = dot(k.S[v], F);
    }
    row[tree.depth(r)] += lit<T>(m.dofs()[tree.velocity(r)].armature);
  }
}

}  // namespace

template <class T>
HybridCrbaWorkspace<T>::HybridCrbaWorkspace(const Model& m, HybridSplit s)
    : split(std::move(s)),
      motions(m),
      a(m.nodes().size()),
      f(m.nodes().size()),
      df(m.nodes().size()),
      Ic(m.nodes().size()),
      H(split.forward_tree().packed_size()),
      x(at(split.forward_tree().size())) {
  split.made_for().check("HybridCrbaWorkspace", m, "the split");
}

template <class T>
void hybrid_crba(const Model& m, HybridCrbaWorkspace<T>& ws, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                 const std::type_identity_t<Surroundings<T>>& around) {
  ws.motions.made_for.check("hybrid_crba", m);
  check_size("hybrid_crba", "a", a.size(), at(m.nv()));
  check_size("hybrid_crba", "tau", tau.size(), at(m.nv()));
  calc_node_motions("hybrid_crba", m, ws.motions, q, v, around);
  const NodeMotions<T>& k = ws.motions;
  const DofTree& tree = ws.split.forward_tree();

  // step 1: C', the forces when the coordinates of given force do not accelerate [F08 9.3]
  ws.a[0] = {{}, -cast<T>(m.gravity())};
  for (std::size_t i = 1; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    const RigidInertia<T> I = cast<T>(n.inertia);
    ws.a[i] = apply(k.X[i], ws.a[n.parent]) + k.c[i];
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (ws.split.is_given(j)) ws.a[i] += a[j] * k.S[j];
    ws.f[i] = I * ws.a[i] + cross(k.v[i], I * k.v[i]) - k.external[i];
  }
  pass_to_parents(m, k, ws.f);
  // step 2
  calc_forward_inertia(m, ws);
  // step 3: H11 a1 = tau1 - C1' [F08 9.2]
  for (int r = 0; r < tree.size(); ++r) {
    const int j = tree.velocity(r);
    ws.x[r] = tau[j] - dot(k.S[j], ws.f[ws.split.node_of(j)]);
  }
  kernel::factor_ltdl_reciprocal(tree, ws.H.data());
  kernel::solve_l_transpose<true>(tree, ws.H.data(), ws.x.data());
  for (int r = 0; r < tree.size(); ++r) ws.x[r] *= ws.H[tree.row(r) + at(tree.depth(r))];
  kernel::solve_l<true>(tree, ws.H.data(), ws.x.data());
  for (int r = 0; r < tree.size(); ++r) a[tree.velocity(r)] = ws.x[r];
  // step 4: tau2 = C2' + H21 a1, by ID_delta of [F08 Table 6.1]
  ws.a[0] = {};
  for (std::size_t i = 1; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    ws.a[i] = apply(k.X[i], ws.a[n.parent]);
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (!ws.split.is_given(j)) ws.a[i] += a[j] * k.S[j];
    ws.df[i] = cast<T>(n.inertia) * ws.a[i];
  }
  pass_to_parents(m, k, ws.df);
  for (std::size_t i = 1; i < ws.f.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j)
      if (ws.split.is_given(j)) tau[j] = dot(k.S[j], ws.f[i] + ws.df[i]) + lit<T>(m.dofs()[j].armature) * a[j];
  }
}

#define SINEW_INSTANTIATE(T)                                                                     \
  template struct HybridCrbaWorkspace<T>;                                                        \
  template void hybrid_crba(const Model&, HybridCrbaWorkspace<T>&, In<T>, In<T>, Out<T>, Out<T>, \
                            const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
