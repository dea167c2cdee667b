// src/derivative/momentum_derivatives.cpp
#include "sinew/derivative/momentum_derivatives.hpp"

#include "base/scalar_pass.hpp"
#include "first_nodes.hpp"
#include "slope_driver.hpp"
#include "tree/checks.hpp"
#include "tree/mass_centre.hpp"

namespace sinew {
namespace {

// S and psi, and the sums over subtrees; f of a sum is its momentum P.
template <class T>
SlopeScratch<T> sum_momenta(const Model& m, MomentumDerivativesWorkspace<T>& ws, const T* q, const T* v, double time) {
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.slopes, static_cast<Force<T>*>(nullptr));
  place_nodes(m, ws.slopes, scratch, q, v, time);
  const auto links = links_of<T>(m);
  for (std::size_t i = 1; i < links.size(); ++i) {
    SlopeNode<T>& node = scratch.nodes[i];
    node.sum.f = detail::to_inertia(lit<T>(links[i].m), node.sum) * node.v;
  }
  for (std::size_t i = links.size() - 1; i > 0; --i)
    if (const int parent = links[i].parent; parent != 0) scratch.nodes[parent].sum += scratch.nodes[i].sum;
  return scratch;
}

template <class T>
void set_force_column(const MatrixView<T>& to, int k, const Force<T>& x) {
  const T numbers[] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
  for (std::size_t i = 0; i < 6; ++i) to(i, at(k)) = numbers[i];
}

// What the angular parts about the centre of mass are shifted by: a force or momentum of the whole, and 1 / mass.
template <class T>
struct Whole {
  Vec3<T> centre, lin;
  T per_mass;
};
// After the sums over subtrees, whose f it is.
template <class T>
Whole<T> sum_trees(const Model& m, const MomentumDerivativesWorkspace<T>& ws, const SlopeScratch<T>& scratch) {
  double mass = 0;
  Whole<T> out{mass_centre(m, ws.kinematics.X), {}, {}};
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    mass += m.nodes()[i].inertia.m;
    if (m.nodes()[i].parent == 0) out.lin += apply_inverse(ws.kinematics.X[i].E, scratch.nodes[i].sum.f.lin);
  }
  out.per_mass = lit<T>(1 / mass);
  return out;
}
// The frame of the tree that a node is in, from the world's axes at the centre of mass.
template <class T>
Transform<T> tree_frame(const MomentumDerivativesWorkspace<T>& ws, std::size_t node, const Vec3<T>& centre) {
  const Transform<T>& X = ws.kinematics.X[at(ws.first[node])];
  return {X.E, X.r - centre};
}

}  // namespace

template <class T>
MomentumDerivativesWorkspace<T>::MomentumDerivativesWorkspace(const Model& m)
    : slopes(m), kinematics(m), first(find_first_nodes(m)) {}

template <class T>
void calc_centroidal_momentum_derivatives(const Model& m, MomentumDerivativesWorkspace<T>& ws, In<T> q, In<T> v,
                                          OutMatrix<T> dh_dq, OutMatrix<T> dh_dv, double time) {
  const char* call = "calc_centroidal_momentum_derivatives";
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_shape(call, "dh_dq", dh_dq, 6, at(m.nv()));
  check_shape(call, "dh_dv", dh_dv, 6, at(m.nv()));
  calc_kinematics(m, ws.kinematics, q, time);
  const SlopeScratch<T> scratch = sum_momenta(m, ws, q.data(), v.data(), time);
  const auto links = links_of<T>(m);

  const Whole<T> all = sum_trees(m, ws, scratch);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    const SlopeNode<T>& node = scratch.nodes[i];
    const RigidInertia<T> I = detail::to_inertia(lit<T>(l.mc), node.sum);
    const Transform<T> Y = tree_frame(ws, i, all.centre);
    for (int k = 0; k < l.nv; ++k) {
      const Motion<T> s = detail::get_motion(scratch.S, l.dof + k), psi = detail::get_motion(scratch.psi, l.dof + k);
      const Force<T> by_v = apply_inverse(Y, I * s);
      Force<T> by_q = apply_inverse(Y, cross(s, node.sum.f) + I * psi);  // (1)
      by_q.ang -= cross(all.per_mass * by_v.lin, all.lin);               // (2)
      set_force_column(dh_dq, l.v + k, by_q);
      set_force_column(dh_dv, l.v + k, by_v);
    }
  }
}

template <class T>
void calc_centroidal_momentum_rate_derivatives(const Model& m, MomentumDerivativesWorkspace<T>& ws, In<T> q, In<T> v,
                                               In<T> a, OutMatrix<T> by_q, OutMatrix<T> by_v, OutMatrix<T> by_a,
                                               double time) {
  const char* call = "calc_centroidal_momentum_rate_derivatives";
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  check_shape(call, "by_q", by_q, 6, at(m.nv()));
  check_shape(call, "by_v", by_v, 6, at(m.nv()));
  check_shape(call, "by_a", by_a, 6, at(m.nv()));
  calc_kinematics(m, ws.kinematics, q, time);
  // Of inverse dynamics, with the weight: it has no moment about the centre of mass, and does not change.
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.slopes, static_cast<Force<T>*>(nullptr));
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const auto acc = [x = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return x[k]; };
  place_nodes(m, ws.slopes, scratch, q.data(), v.data(), time);
  sum_slope_nodes(links.data(), n, scratch, v.data(), acc);
  calc_slope_momenta(links.data(), n, scratch);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);
  const Whole<T> all = sum_trees(m, ws, scratch);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    const Transform<T> Y = tree_frame(ws, i, all.centre);
    for (int k = 0; k < l.nv; ++k) {
      const auto column = [&](const SpatialColumns<T>& x) { return apply_inverse(Y, detail::get_force(x, l.dof + k)); };
      const Force<T> along_a = column(scratch.u);
      Force<T> along_q = column(scratch.z);  // (4)
      along_q.ang -= cross(all.per_mass * along_a.lin, all.lin);
      set_force_column(by_q, l.v + k, along_q);
      set_force_column(by_v, l.v + k, column(scratch.y));
      set_force_column(by_a, l.v + k, along_a);
    }
  }
}

template <class T>
void calc_energy_derivatives(const Model& m, MomentumDerivativesWorkspace<T>& ws, In<T> q, In<T> v, Out<T> dT_dq,
                             Out<T> dT_dv, Out<T> dV_dq, double time) {
  const char* call = "calc_energy_derivatives";
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_coordinates(call, "dT_dq", m, dT_dq.size());
  check_coordinates(call, "dT_dv", m, dT_dv.size());
  check_coordinates(call, "dV_dq", m, dV_dq.size());
  const SlopeScratch<T> scratch = sum_momenta(m, ws, q.data(), v.data(), time);
  const auto links = links_of<T>(m);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    const SubtreeSum<T>& sum = scratch.nodes[i].sum;
    const Vec3<T>& up = scratch.nodes[at(ws.first[i])].up;
    const Force<T> weight{cross(sum.h, up), lit<T>(l.mc) * up};  // that holds the subtree
    for (int k = 0; k < l.nv; ++k) {
      const std::size_t to = at(l.v + k);
      const Motion<T> s = detail::get_motion(scratch.S, l.dof + k), psi = detail::get_motion(scratch.psi, l.dof + k);
      dT_dq[to] = dot(psi, sum.f);  // (3)
      dT_dv[to] = dot(s, sum.f) + lit<T>(m.armature()[to]) * v[to];
      dV_dq[to] = dot(s, weight);
    }
  }
}

#define SINEW_INSTANTIATE(T)                                                                                          \
  template struct MomentumDerivativesWorkspace<T>;                                                                    \
  template void calc_centroidal_momentum_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T>, In<T>,    \
                                                     OutMatrix<T>, OutMatrix<T>, double);                             \
  template void calc_centroidal_momentum_rate_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T>,      \
                                                          In<T>, In<T>, OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,     \
                                                          double);                                                    \
  template void calc_energy_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T>, In<T>, Out<T>, Out<T>, \
                                        Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
