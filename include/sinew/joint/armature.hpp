// sinew/joint/armature.hpp - the force of armature in addition to A dv/dt
// Armature adds the kinetic energy 1/2 sum of A_k v_k^2 over the joint's velocity coordinates. By Lagrange's equations
// the force is A dv/dt where v are the rates of positions. Planar, spherical and free joints state v along axes that
// turn with F_s. There, with w the angular and u the linear part of v and p = A v, the force has products of velocities
// too:  A dv/dt + v x* p,  which is  w x p_w + u x p_u  in the angular and  w x p_u  in the linear coordinates.
// These products do no work. Without them a spinning body with armature would not fly straight. Reversed joints have
// the same terms.
#pragma once
#include "sinew/joint/kind.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {
namespace detail {
// A: armature of the joint's coordinates. Three equal ones are the same about all axes.
SINEW_HD bool is_uneven(const double* A) { return A[0] != A[1] || A[1] != A[2]; }
}  // namespace detail

// True where v x* A v is not zero at every v.
SINEW_HD bool has_armature_bias(JointKind kind, const double* A) {
  if (kind == JointKind::planar) return A[1] != 0 || A[2] != 0;
  if (kind == JointKind::spherical) return detail::is_uneven(A);
  if (kind == JointKind::free) return detail::is_uneven(A) || A[3] != 0 || A[4] != 0 || A[5] != 0;
  return false;
}

// b = v x* A v of a joint with has_armature_bias, whose coordinates are v[first], v[first + 1], ... Equal entries of A
// leave exact zeros.
SINEW_HD_CALLER
template <class T, class V>
SINEW_HD void calc_armature_bias(JointKind kind, const double* A, const V& v, int first, T* b) {
  const int w = first, u = first + 3;
  if (kind == JointKind::planar) {
    b[0] = lit<T>(A[2] - A[1]) * (v[w + 1] * v[w + 2]);
    b[1] = -(lit<T>(A[2]) * (v[w] * v[w + 2]));
    b[2] = lit<T>(A[1]) * (v[w] * v[w + 1]);
    return;
  }
  for (int x = 0; x < 3; ++x) {
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    b[x] = lit<T>(A[z] - A[y]) * (v[w + y] * v[w + z]);
    if (kind != JointKind::free) continue;
    b[x] = b[x] + lit<T>(A[3 + z] - A[3 + y]) * (v[u + y] * v[u + z]);
    b[3 + x] = lit<T>(A[3 + z]) * (v[w + y] * v[u + z]) - lit<T>(A[3 + y]) * (v[w + z] * v[u + y]);
  }
}

// The skew matrix B(v) with b = B v: entry(row, column, value) is called with its entries that are not zero by shape.
template <class T, class Entry>
void calc_armature_coriolis(JointKind kind, const double* A, const T* v, Entry&& entry) {
  const auto pair = [&](int row, int column, const T& value) {
    entry(row, column, value);
    entry(column, row, -value);
  };
  if (kind == JointKind::planar) {
    pair(0, 1, lit<T>(A[2]) * v[2]);
    pair(2, 0, lit<T>(A[1]) * v[1]);
    return;
  }
  for (int x = 0; x < 3; ++x) {
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    if (detail::is_uneven(A)) pair(x, y, lit<T>(A[z]) * v[z]);
    if (kind != JointKind::free) continue;
    pair(x, 3 + y, lit<T>(A[3 + z]) * v[3 + z]);
    pair(3 + y, z, lit<T>(A[3 + x]) * v[3 + x]);
  }
}

}  // namespace sinew
