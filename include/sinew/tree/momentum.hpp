// sinew/tree/momentum.hpp - momentum of the whole mechanism and its rate
//   h = sum of I_i v_i,   dh/dt = sum of (I_i a_i + v_i x* I_i v_i).   O(n).
// Reference: [F08 2.61] for one body, [F08 2.68] for its rate.
// dh/dt is the sum of all forces from outside: gravity, external forces, and what the world exerts through the joints.
// Rotors that a model knows only by their armature carry no momentum here.
// Coordinates: axes of the world; about the world's origin, or (centroidal) about the centre of mass. Each call fills
// what it names in the workspace and returns it.
#pragma once
#include <vector>

#include "sinew/tree/velocity.hpp"

namespace sinew {

template <class T>
struct MomentumWorkspace {
  explicit MomentumWorkspace(const Model&);
  Force<T> momentum;            // [kg m^2/s, kg m/s]
  Force<T> rate;                // [N m, N]
  VelocityWorkspace<T> motion;  // by every call
  std::vector<T> rest;          // (nv) zeros
};

// For every scalar of the closed set. `time` matters to prescribed joints only.
template <class T>
const Force<T>& calc_momentum(const Model&, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);
template <class T>
const Force<T>& calc_momentum_rate(const Model&, MomentumWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, double time = 0);

// The same about the centre of mass.
template <class T>
const Force<T>& calc_centroidal_momentum(const Model&, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);
template <class T>
const Force<T>& calc_centroidal_momentum_rate(const Model&, MomentumWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                              double time = 0);
// The rate where dv/dt = 0: dA/dt v of the centroidal map A (tree/centroidal.hpp), without the matrix.
template <class T>
const Force<T>& calc_centroidal_bias(const Model&, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);

}  // namespace sinew
