// sinew/tree/regressor.hpp - dynamics as a linear function of the bodies' inertial parameters
//   tau = Y(q, v, a) pi,   T = y_T(q, v) pi,   V = y_V(q) pi.   O(n d), d the depth of the tree.
// pi has ten numbers for each body 1, 2, ... of the model (the world, body 0, has none), one body after the other:
//   m,  h_x h_y h_z,  I_xx I_xy I_xz I_yy I_yz I_zz
// mass [kg], first moments m c [kg m] and rotational inertia about the body's origin [kg m^2], in the body's own frame.
// Pinocchio orders the last six I_xx I_xy I_yy I_xz I_yz I_zz.
// Derivation. The force on a body is linear in its inertia: with w, dw/dt and d = d^2 r/dt^2 - g of its origin,
//   f = m d + dw/dt x h + w x (w x h),   n = h x d + I dw/dt + w x I w   (about the origin),
// and I w = K(w) (I_xx .. I_zz); Y holds their products with the joint motions.
// Armature is not among these parameters: rnea gives Y pi + armature a + its products of velocities
// (joint/armature.hpp), and the kinetic energy is y_T pi + 1/2 armature v^2.
#pragma once
#include <vector>

#include "sinew/tree/velocity.hpp"

namespace sinew {

inline constexpr std::size_t kInertialParameters = 10;  // of one body

template <class T>
struct RegressorWorkspace {
  explicit RegressorWorkspace(const Model&);
  VelocityWorkspace<T> motion;  // positions, velocities, accelerations as far as the call needs them
  std::vector<Motion<T>> J;     // (nv) joint motions: world axes, about the first node   by calc_regressor
};

// How many parameters a model has: 10 (bodies - 1); and their values.
std::size_t inertial_parameter_count(const Model&);
void get_inertial_parameters(const Model&, VectorView<double> pi);

// For every scalar of the closed set. `time` matters to prescribed joints only.
// Y, nv x 10 (bodies - 1). Gravity is that of the model.
template <class T>
void calc_regressor(const Model&, RegressorWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, OutMatrix<T> Y,
                    double time = 0);
// y_T and y_V, one number per parameter.
template <class T>
void calc_kinetic_energy_regressor(const Model&, RegressorWorkspace<T>& ws, In<T> q, In<T> v, Out<T> y,
                                   double time = 0);
template <class T>
void calc_potential_energy_regressor(const Model&, RegressorWorkspace<T>& ws, In<T> q, Out<T> y, double time = 0);

}  // namespace sinew
