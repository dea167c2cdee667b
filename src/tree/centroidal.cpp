// src/tree/centroidal.cpp
#include "sinew/tree/centroidal.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/spatial/moving_frame.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"
#include "tree/mass_centre.hpp"

namespace sinew {
namespace {

template <class T>
void set_column(const OutMatrix<T>& A, int k, const Force<T>& f) {
  const T numbers[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
  for (std::size_t row = 0; row < 6; ++row) A(row, at(k)) = numbers[row];
}
// Node <- world axes at the centre of mass.
template <class T>
Transform<T> from_centre(const CentroidalWorkspace<T>& ws, std::size_t i) {
  return {ws.kinematics.X[i].E, ws.kinematics.X[i].r - ws.centre_of_mass};
}

// Positions, the centre of mass, and the inertia of each node seen from there.
template <class T>
void calc_inertias(const Model& m, CentroidalWorkspace<T>& ws, In<T> q, double time) {
  calc_kinematics(m, ws.kinematics, q, time);
  ws.centre_of_mass = mass_centre(m, ws.kinematics.X);
  ws.Ic[0] = {};
  for (std::size_t i = 1; i < ws.Ic.size(); ++i)
    ws.Ic[i] = apply_inverse(from_centre(ws, i), cast<T>(m.nodes()[i].inertia));
}
// In common coordinates a subtree's inertia is a plain sum.
template <class T>
void add_to_parents(const Model& m, std::vector<RigidInertia<T>>& I) {
  for (std::size_t i = I.size(); i-- > 1;) {
    RigidInertia<T>& parent = I[m.nodes()[i].parent];
    parent = parent + I[i];
  }
}

}  // namespace

template <class T>
CentroidalWorkspace<T>::CentroidalWorkspace(const Model& m)
    : kinematics(m),
      J(at(m.nv())),
      dJ(at(m.nv())),
      v(m.nodes().size()),
      Ic(m.nodes().size()),
      dIc(m.nodes().size()),
      rules(find_subspace_rules(m, "CentroidalWorkspace")) {}

template <class T>
const RigidInertia<T>& calc_composite_inertia(const Model& m, CentroidalWorkspace<T>& ws, In<T> q, double time) {
  check_position("calc_composite_inertia", m, ws.v.size(), q.size());
  calc_inertias<T>(m, ws, q, time);
  add_to_parents(m, ws.Ic);
  return ws.Ic[0];
}

template <class T>
void calc_centroidal_map(const Model& m, CentroidalWorkspace<T>& ws, In<T> q, OutMatrix<T> A, double time) {
  check_position("calc_centroidal_map", m, ws.v.size(), q.size());
  check_shape("calc_centroidal_map", "A", A, 6, at(m.nv()));
  calc_inertias<T>(m, ws, q, time);
  add_to_parents(m, ws.Ic);
  for (std::size_t i = 1; i < ws.Ic.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_columns(n, from_centre(ws, i), q.data() + n.q, time, ws.J.data() + n.v);
    for (int k = n.v; k < n.v + n.nv; ++k) set_column<T>(A, k, ws.Ic[i] * ws.J[k]);
  }
}

template <class T>
void calc_centroidal_map_rate(const Model& m, CentroidalWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> A,
                              OutMatrix<T> dA, double time) {
  check_state("calc_centroidal_map_rate", m, ws.v.size(), q.size(), v.size());
  check_shape("calc_centroidal_map_rate", "A", A, 6, at(m.nv()));
  check_shape("calc_centroidal_map_rate", "dA", dA, 6, at(m.nv()));
  calc_inertias<T>(m, ws, q, time);

  // Base to tips: velocities, joint motions, and how the inertias change.
  Force<T> momentum{};
  ws.dIc[0] = {};
  for (std::size_t i = 1; i < ws.Ic.size(); ++i) {
    const Node& n = m.nodes()[i];
    const Transform<T> Y = from_centre(ws, i);
    const T *qi = q.data() + n.q, *vi = v.data() + n.v;
    Motion<T>*J = ws.J.data() + n.v, *dJ = ws.dJ.data() + n.v;
    calc_columns(n, Y, qi, time, J);
    const JointRates<T> joint = calc_joint_rates(n, Y, qi, vi, time, J);
    ws.v[i] = ws.v[n.parent] + joint.v;
    calc_column_rates(n, ws.rules[i], Y, qi, vi, time, ws.v[i], joint.v, J, dJ);
    ws.dIc[i] = inertia_rate(ws.v[i], ws.Ic[i]);  // [F08 2.65]
    momentum += ws.Ic[i] * ws.v[i];
  }
  add_to_parents(m, ws.Ic);
  add_to_parents(m, ws.dIc);

  ws.velocity = (lit<T>(1) / ws.Ic[0].m) * momentum.lin;
  for (std::size_t i = 1; i < ws.Ic.size(); ++i) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const Force<T> column = ws.Ic[i] * ws.J[k];
      Force<T> rate = ws.Ic[i] * ws.dJ[k] + ws.dIc[i] * ws.J[k];
      rate.ang -= cross(ws.velocity, column.lin);
      set_column<T>(A, k, column);
      set_column<T>(dA, k, rate);
    }
  }
}

#define SINEW_INSTANTIATE(T)                                                                                    \
  template struct CentroidalWorkspace<T>;                                                                       \
  template const RigidInertia<T>& calc_composite_inertia(const Model&, CentroidalWorkspace<T>&, In<T>, double); \
  template void calc_centroidal_map(const Model&, CentroidalWorkspace<T>&, In<T>, OutMatrix<T>, double);        \
  template void calc_centroidal_map_rate(const Model&, CentroidalWorkspace<T>&, In<T>, In<T>, OutMatrix<T>,     \
                                         OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
