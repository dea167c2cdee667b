// sinew/tree/centre_of_mass.hpp - centre of mass, its velocity, acceleration and Jacobian
//   c = (sum of m_i c_i) / m,   dc/dt = J v,   column k of J = linear part of (I^c_k s_k) / m.   O(n).
// What is welded to the world does not count; a model in which nothing moves has no centre of mass (NaN).
// Coordinates: axes and origin of the world. Each call fills what it names in the workspace and returns it.
#pragma once
#include <vector>

#include "sinew/tree/velocity.hpp"

namespace sinew {

template <class T>
struct CentreOfMassWorkspace {
  explicit CentreOfMassWorkspace(const Model&);
  Vec3<T> position;             // [m]
  Vec3<T> velocity;             // [m/s]
  Vec3<T> acceleration;         // [m/s^2] the true one, without -g
  VelocityWorkspace<T> motion;  // positions, velocities, accelerations as far as the call needs them
  std::vector<Vec3<T>> moment;  // (nodes) [kg m] of the subtree, about the centre of mass      by .._jacobian
  std::vector<double> mass;     // (nodes) [kg] of the subtree                                  constant
};

// For every scalar of the closed set. `time` matters to prescribed joints only.
template <class T>
const Vec3<T>& calc_centre_of_mass(const Model&, CentreOfMassWorkspace<T>& ws, In<T> q, double time = 0);
template <class T>
const Vec3<T>& calc_centre_of_mass_velocity(const Model&, CentreOfMassWorkspace<T>& ws, In<T> q, In<T> v,
                                            double time = 0);
template <class T>
const Vec3<T>& calc_centre_of_mass_acceleration(const Model&, CentreOfMassWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                                double time = 0);
// 3 x nv. Fills ws.position too.
template <class T>
void calc_centre_of_mass_jacobian(const Model&, CentreOfMassWorkspace<T>& ws, In<T> q, OutMatrix<T> J, double time = 0);

}  // namespace sinew
