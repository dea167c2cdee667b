// sinew/joint/motion.hpp - what a joint says about its motion [F08 section 4.4, jcalc]
// F_p is fixed in the parent, F_s in the child; everything is expressed in F_s. With velocity coordinates v:
//   v_J = S v,   a_J = S dv/dt + c,   c = (apparent rate of S) v  [F08 3.42]
#pragma once
#include "sinew/spatial/transform.hpp"

namespace sinew {

inline constexpr int kMaxJointDofs = 6;

// What a joint says at a position and velocity: transform, motion subspace, velocity, bias.
template <class T>
struct JointMotion {
  Transform<T> X;              // F_s <- F_p
  Motion<T> S[kMaxJointDofs];  // the first nv columns are set
  Motion<T> v;                 // S v
  Motion<T> c;
};

// Forces: T spans those the joint transmits without work, T^T S = 0; Ta those that act along the coordinates,
// Ta^T S = 1. Dual to S, never Euclidean complements. [F08 sections 3.3, 3.5]
template <class T>
struct JointComplements {
  Force<T> constraint[6];  // the first 6 - nv are set
  Force<T> active[6];      // the first nv are set
};

namespace detail {
template <class T>
SINEW_HD Motion<T> angular(const T& x, const T& y, const T& z) {
  return {{x, y, z}, {}};
}
template <class T>
SINEW_HD Motion<T> linear(const T& x, const T& y, const T& z) {
  return {{}, {x, y, z}};
}
// Unit force k of the six: 0..2 couples about x y z, 3..5 forces along x y z.
template <class T>
SINEW_HD Force<T> unit_force(int k) {
  const T o = lit<T>(0), i = lit<T>(1);
  return {{k == 0 ? i : o, k == 1 ? i : o, k == 2 ? i : o}, {k == 3 ? i : o, k == 4 ? i : o, k == 5 ? i : o}};
}
// The complements of a joint whose S columns are unit motions `axes`.
template <class T, int n>
SINEW_HD void unit_complements(const int (&axes)[n], JointComplements<T>& out) {
  int c = 0;
  for (int k = 0; k < 6; ++k) {
    bool free = false;
    for (int j = 0; j < n; ++j)
      if (axes[j] == k) {
        out.active[j] = unit_force<T>(k);
        free = true;
      }
    if (!free) out.constraint[c++] = unit_force<T>(k);
  }
}
}  // namespace detail
}  // namespace sinew
