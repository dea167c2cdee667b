// src/tree/energy.cpp
#include "sinew/tree/energy.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {

template <class T>
EnergyWorkspace<T>::EnergyWorkspace(const Model& m) : motion(m) {}

template <class T>
const T& calc_kinetic_energy(const Model& m, EnergyWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  check_state("calc_kinetic_energy", m, ws.motion.v.size(), q.size(), v.size());
  calc_velocities(m, ws.motion, q, v, time);
  T twice{};
  for (std::size_t i = 1; i < ws.motion.v.size(); ++i) {
    const Motion<T> u = in_node_axes(ws.motion.v[i], ws.motion.kinematics.X[i]);
    twice += dot(u, cast<T>(m.nodes()[i].inertia) * u);  // [F08 2.67]
  }
  for (std::size_t k = 0; k < v.size(); ++k) twice += lit<T>(m.dofs()[k].armature) * (v[k] * v[k]);
  return ws.kinetic = lit<T>(0.5) * twice;
}

template <class T>
const T& calc_potential_energy(const Model& m, EnergyWorkspace<T>& ws, In<T> q, double time) {
  check_position("calc_potential_energy", m, ws.motion.v.size(), q.size());
  calc_kinematics(m, ws.motion.kinematics, q, time);
  Vec3<T> moment{};
  for (std::size_t i = 1; i < ws.motion.v.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    const Transform<T>& X = ws.motion.kinematics.X[i];
    moment += lit<T>(I.m) * X.r + apply_inverse(X.E, cast<T>(I.h));
  }
  return ws.potential = -dot(cast<T>(m.gravity()), moment);
}

#define SINEW_INSTANTIATE(T)                                                                      \
  template struct EnergyWorkspace<T>;                                                             \
  template const T& calc_kinetic_energy(const Model&, EnergyWorkspace<T>&, In<T>, In<T>, double); \
  template const T& calc_potential_energy(const Model&, EnergyWorkspace<T>&, In<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
