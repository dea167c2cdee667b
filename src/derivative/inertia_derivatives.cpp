// src/derivative/inertia_derivatives.cpp
#include "sinew/derivative/inertia_derivatives.hpp"

#include "base/scalar_pass.hpp"
#include "mass_columns.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"
#include "tree/mass_centre.hpp"
#include "tree/unit_inertias.hpp"

namespace sinew {

template <class T>
InertiaDerivativesWorkspace<T>::InertiaDerivativesWorkspace(const Model& m)
    : forward(m), regressor(m), crba(m), factor(m.dof_tree()), column(at(m.nv())) {}

template <class T>
void calc_aba_inertia_derivatives(const Model& m, InertiaDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau,
                                  Out<T> a, OutMatrix<T> da, const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_aba_inertia_derivatives";
  check_state(call, m, ws.crba.made_for, q.size(), v.size());
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "a", a.size(), at(m.nv()));
  check_shape(call, "da", da, at(m.nv()), inertial_parameter_count(m));
  aba<T>(m, ws.forward, q, v, tau, a, s);
  calc_regressor<T>(m, ws.regressor, q, v, a, da, s.time);
  solve_minus_mass<T>(m, ws.crba, ws.factor, ws.column, q, s.time, da);  // (1)
}

template <class T>
void calc_centroidal_momentum_inertia_derivatives(const Model& m, InertiaDerivativesWorkspace<T>& ws, In<T> q, In<T> v,
                                                  OutMatrix<T> dh, double time) {
  const char* call = "calc_centroidal_momentum_inertia_derivatives";
  check_state(call, m, ws.crba.made_for, q.size(), v.size());
  check_shape(call, "dh", dh, 6, inertial_parameter_count(m));
  calc_velocities(m, ws.regressor.motion, q, v, time);
  const auto& X = ws.regressor.motion.kinematics.X;
  const auto& velocities = ws.regressor.motion.v;
  const Vec3<T> c = mass_centre(m, X);
  double mass = 0;
  Vec3<T> p{};
  for (std::size_t i = 1; i < X.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    mass += I.m;
    p += apply_inverse(X[i].E, (cast<T>(I) * in_node_axes(velocities[i], X[i])).lin);
  }
  const T per_mass = lit<T>(1 / mass), o = lit<T>(0), one = lit<T>(1);
  const Vec3<T> axes[] = {{one, o, o}, {o, one, o}, {o, o, one}};
  for (std::size_t b = 1; b < m.bodies().size(); ++b) {
    const BodyEntry& body = m.bodies()[b];
    const std::size_t node = at(body.node);
    const bool moves = node != 0;
    const Transform<T> in_node = cast<T>(body.in_node), Y = in_node * Transform<T>{X[node].E, X[node].r - c};
    const Motion<T> u = apply(in_node, in_node_axes(velocities[node], X[node]));
    const auto set = [&](std::size_t k, const Force<T>& of_unit, const Vec3<T>& dc) {
      Force<T> x = apply_inverse(Y, of_unit);
      x.ang -= cross(dc, p);  // (2)
      const T numbers[] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
      for (std::size_t i = 0; i < 6; ++i) dh(i, kInertialParameters * (b - 1) + k) = moves ? numbers[i] : o;
    };
    set(0, {{}, u.lin}, per_mass * Y.r);
    for (std::size_t k = 0; k < 3; ++k)
      set(1 + k, {cross(axes[k], u.lin), cross(u.ang, axes[k])}, per_mass * apply_inverse(Y.E, axes[k]));
    for (int k = 0; k < 6; ++k) set(at(4 + k), {column_of_k(k, u.ang), {}}, {});
  }
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template struct InertiaDerivativesWorkspace<T>;                                                                  \
  template void calc_aba_inertia_derivatives(const Model&, InertiaDerivativesWorkspace<T>&, In<T>, In<T>, In<T>,   \
                                             Out<T>, OutMatrix<T>, const std::type_identity_t<Surroundings<T>>&);  \
  template void calc_centroidal_momentum_inertia_derivatives(const Model&, InertiaDerivativesWorkspace<T>&, In<T>, \
                                                             In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
