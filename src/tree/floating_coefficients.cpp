// src/tree/floating_coefficients.cpp - the equation of motion with the base in it
#include "base/scalar_pass.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "tree/floating_base_access.hpp"

namespace sinew {
template <class T>
void calc_floating_coefficients(const Model& m, FloatingBaseWorkspace<T>& ws, In<T> q, In<T> v,
                                FloatingCoefficients<T>& out, const std::type_identity_t<Surroundings<T>>& around) {
  check_size("calc_floating_coefficients", "out.C", out.C.size(), ws.base.joints.size());
  calc_node_motions("calc_floating_coefficients", m, ws.motions, q, v, around);
  const NodeMotions<T>& k = ws.motions;
  const std::size_t first = at(ws.base.node), size = out.C.size();
  // C and pc0: Newton and Euler without joint accelerations
  ws.a[first] = apply(k.X[first], Motion<T>{{}, -cast<T>(m.gravity())});
  for (std::size_t i = first; i < ws.a.size(); ++i) {
    const RigidInertia<T> I = cast<T>(m.nodes()[i].inertia);
    if (i > first) ws.a[i] = apply(k.X[i], ws.a[m.nodes()[i].parent]) + k.c[i];
    ws.p[i] = I * ws.a[i] + cross(k.v[i], I * k.v[i]) - k.external[i];
  }
  for (std::size_t i = ws.p.size() - 1; i > first; --i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j) out.C[joint_of(ws.base, j)] = dot(k.S[j], ws.p[i]);
    ws.p[n.parent] += apply_inverse(k.X[i], ws.p[i]);
  }
  out.pc0 = ws.p[first];
  // H, F and Ic0: composite bodies
  calc_composite_inertias(m, ws);
  out.Ic0 = ws.Ic[first];
  for (T& h : out.H) h = lit<T>(0);
  for (std::size_t i = first + 1; i < ws.Ic.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j) {
      const std::size_t row = at(joint_of(ws.base, j));
      Force<T>& F = out.F[row] = ws.Ic[i] * k.S[j];  // [F08 9.12]
      for (std::size_t up = i; up != first; up = at(m.nodes()[up].parent)) {
        const Node& u = m.nodes()[up];
        for (int l = u.v; l < u.v + u.nv; ++l) {
          const std::size_t col = at(joint_of(ws.base, l));
          out.H[row * size + col] = out.H[col * size + row] = dot(k.S[l], F);
        }
        F = apply_inverse(k.X[up], F);
      }
      out.H[row * size + row] += lit<T>(m.dofs()[j].armature);
    }
  }
}

template <class T>
void floating_crba(const Model& m, FloatingBaseWorkspace<T>& ws, const FloatingCoefficients<T>& c, In<T> tau,
                   Out<T> a) {
  check_size("floating_crba", "tau", tau.size(), at(m.nv()));
  check_size("floating_crba", "a", a.size(), at(m.nv()));
  check_size("floating_crba", "the coefficients", c.C.size(), ws.base.joints.size());
  // the base comes first in the tree of freedoms: positions 0..5 of every row are its coordinates [F08 9.13]
  const DofTree& tree = m.dof_tree();
  const Mat6<T> I0 = to_dense(c.Ic0);
  const std::array<T, 6> p0 = to_array(c.pc0);
  for (int r = 0; r < 6; ++r) {
    for (int p = 0; p <= r; ++p) ws.packed[tree.row(r) + at(p)] = I0(r, p);
    ws.x[r] = tau[ws.base.v + r] - p0[r];
  }
  for (int r = 6; r < tree.size(); ++r) {
    T* row = ws.packed.data() + tree.row(r);
    const std::size_t j = at(joint_of(ws.base, tree.velocity(r)));
    const std::array<T, 6> F = to_array(c.F[j]);
    for (int p = 0; p < 6; ++p) row[p] = F[p];
    for (int l = r, p = tree.depth(r); p >= 6; l = tree.parent(l), --p)
      row[p] = c.H[j * c.C.size() + at(joint_of(ws.base, tree.velocity(l)))];
    ws.x[r] = tau[tree.velocity(r)] - c.C[j];
  }
  kernel::factor_ltdl(tree, ws.packed.data());
  kernel::solve_l_transpose<true>(tree, ws.packed.data(), ws.x.data());
  for (int r = 0; r < tree.size(); ++r) ws.x[r] /= ws.packed[tree.row(r) + at(tree.depth(r))];
  kernel::solve_l<true>(tree, ws.packed.data(), ws.x.data());
  for (int r = 0; r < tree.size(); ++r) a[tree.velocity(r)] = ws.x[r];
}

#define SINEW_INSTANTIATE(T)                                                                                        \
  template void calc_floating_coefficients(const Model&, FloatingBaseWorkspace<T>&, In<T>, In<T>,                   \
                                           FloatingCoefficients<T>&, const std::type_identity_t<Surroundings<T>>&); \
  template void floating_crba(const Model&, FloatingBaseWorkspace<T>&, const FloatingCoefficients<T>&, In<T>, Out<T>);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
