// src/derivative/force_derivatives.cpp
#include "sinew/derivative/force_derivatives.hpp"

#include "base/scalar_pass.hpp"
#include "mass_columns.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

// Positions and joint motions; the point that these are about.
template <class T>
Vec3<T> place_columns(const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, double time) {
  calc_kinematics(m, ws.kinematics, q, time);
  const auto& X = ws.kinematics.X;
  const Vec3<T> o = X.size() > 1 ? X[1].r : Vec3<T>{};
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_columns(n, Transform<T>{X[i].E, X[i].r - o}, q.data() + n.q, time, ws.J.data() + n.v);
  }
  return o;
}
std::vector<double> sum_subtree_masses(const Model& m) {
  std::vector<double> out(m.nodes().size());
  for (std::size_t i = out.size(); i-- > 1;) {
    out[i] += m.nodes()[i].inertia.m;
    if (const int p = m.nodes()[i].parent; p > 0) out[at(p)] += out[i];
  }
  return out;
}

// (3): what `calc` does to tau, times -M^-1.
template <class T, class Calc>
void calc_by_mass(const char* call, const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, OutMatrix<T> da,
                  std::size_t columns, double time, Calc calc) {
  check_position(call, m, ws.kinematics.made_for, q.size());
  check_shape(call, "da", da, at(m.nv()), columns);
  calc(m, ws, q, da, time);
  solve_minus_mass<T>(m, ws.crba, ws.factor, ws.column, q, time, da);
}

}  // namespace

template <class T>
ForceDerivativesWorkspace<T>::ForceDerivativesWorkspace(const Model& m)
    : kinematics(m),
      J(at(m.nv())),
      h(m.nodes().size()),
      mass(sum_subtree_masses(m)),
      crba(m),
      factor(m.dof_tree()),
      column(at(m.nv())) {}

template <class T>
void calc_rnea_gravity_derivatives(const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, OutMatrix<T> dtau,
                                   double time) {
  const char* call = "calc_rnea_gravity_derivatives";
  check_position(call, m, ws.kinematics.made_for, q.size());
  check_shape(call, "dtau", dtau, at(m.nv()), 3);
  const Vec3<T> o = place_columns(m, ws, q, time);
  const auto& X = ws.kinematics.X;
  for (std::size_t i = 1; i < X.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    ws.h[i] = lit<T>(I.m) * (X[i].r - o) + apply_inverse(X[i].E, cast<T>(I.h));
  }
  for (std::size_t i = X.size(); i-- > 1;) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const Vec3<T> p = lit<T>(ws.mass[i]) * ws.J[at(k)].lin + cross(ws.J[at(k)].ang, ws.h[i]);  // (1)
      dtau(at(k), 0) = -p.x, dtau(at(k), 1) = -p.y, dtau(at(k), 2) = -p.z;
    }
    if (n.parent > 0) ws.h[at(n.parent)] += ws.h[i];
  }
}

template <class T>
void calc_aba_gravity_derivatives(const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, OutMatrix<T> da,
                                  double time) {
  calc_by_mass<T>("calc_aba_gravity_derivatives", m, ws, q, da, 3, time, calc_rnea_gravity_derivatives<T>);
}

template <class T>
void calc_rnea_force_derivatives(const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, OutMatrix<T> dtau,
                                 double time) {
  const char* call = "calc_rnea_force_derivatives";
  check_position(call, m, ws.kinematics.made_for, q.size());
  check_shape(call, "dtau", dtau, at(m.nv()), 6 * m.bodies().size());
  const Vec3<T> o = place_columns(m, ws, q, time);
  for (std::size_t i = 0; i < dtau.rows(); ++i)
    for (std::size_t j = 0; j < dtau.cols(); ++j) dtau(i, j) = lit<T>(0);
  for (std::size_t b = 1; b < m.bodies().size(); ++b) {
    const BodyEntry& body = m.bodies()[b];
    const Transform<T>& X = ws.kinematics.X[at(body.node)];
    const Transform<T> Y = cast<T>(body.in_node) * Transform<T>{X.E, X.r - o};
    for (int i = body.node; i > 0; i = m.nodes()[i].parent)
      for (int k = m.nodes()[i].v; k < m.nodes()[i].v + m.nodes()[i].nv; ++k) {
        const Motion<T> s = apply(Y, ws.J[at(k)]);
        const T numbers[] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
        for (std::size_t c = 0; c < 6; ++c) dtau(at(k), 6 * b + c) = -numbers[c];  // (2)
      }
  }
}

template <class T>
void calc_aba_force_derivatives(const Model& m, ForceDerivativesWorkspace<T>& ws, In<T> q, OutMatrix<T> da,
                                double time) {
  calc_by_mass<T>("calc_aba_force_derivatives", m, ws, q, da, 6 * m.bodies().size(), time,
                  calc_rnea_force_derivatives<T>);
}

#define SINEW_INSTANTIATE(T)                                                                                           \
  template struct ForceDerivativesWorkspace<T>;                                                                        \
  template void calc_rnea_gravity_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T>, OutMatrix<T>,        \
                                              double);                                                                 \
  template void calc_aba_gravity_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T>, OutMatrix<T>,         \
                                             double);                                                                  \
  template void calc_rnea_force_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T>, OutMatrix<T>, double); \
  template void calc_aba_force_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
