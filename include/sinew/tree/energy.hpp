// sinew/tree/energy.hpp - kinetic and potential energy
//   T = 1/2 sum of v_i . I_i v_i + 1/2 sum of armature v^2 = 1/2 v^T M v,   V = - sum of m_i g . c_i.   O(n).
// Reference: [F08 2.67].
// V is zero for a body at the world's origin; bodies welded to the world and springs of joints do not count.
// Each call fills what it names in the workspace and returns it.
#pragma once
#include "sinew/tree/velocity.hpp"

namespace sinew {

template <class T>
struct EnergyWorkspace {
  explicit EnergyWorkspace(const Model&);
  T kinetic{};                  // [J]
  T potential{};                // [J]
  VelocityWorkspace<T> motion;  // by calc_kinetic_energy; its positions also by calc_potential_energy
};

// For every scalar of the closed set. `time` matters to prescribed joints only.
template <class T>
const T& calc_kinetic_energy(const Model&, EnergyWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);
template <class T>
const T& calc_potential_energy(const Model&, EnergyWorkspace<T>& ws, In<T> q, double time = 0);

}  // namespace sinew
