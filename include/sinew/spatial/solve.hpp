// sinew/spatial/solve.hpp - I a = f for a positive definite articulated-body inertia
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// By L D L^T of the 6x6 matrix, without pivoting.
template <class T>
SINEW_HD Motion<T> solve(const ArticulatedInertia<T>& A, const Force<T>& f) {
  T m[6][6] = {{A.I.xx},
               {A.I.xy, A.I.yy},
               {A.I.xz, A.I.yz, A.I.zz},
               {A.H.xx, A.H.yx, A.H.zx, A.M.xx},
               {A.H.xy, A.H.yy, A.H.zy, A.M.xy, A.M.yy},
               {A.H.xz, A.H.yz, A.H.zz, A.M.xz, A.M.yz, A.M.zz}};
  T x[6] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z}, inverse[6];
  for (int k = 0; k < 6; ++k) {
    inverse[k] = lit<T>(1) / m[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const T l = m[i][k] * inverse[k];
      for (int j = k + 1; j <= i; ++j) m[i][j] = m[i][j] - l * m[j][k];
      x[i] = x[i] - l * x[k];
    }
  }
  for (int k = 5; k >= 0; --k) {
    for (int i = k + 1; i < 6; ++i) x[k] = x[k] - m[i][k] * x[i];
    x[k] = x[k] * inverse[k];
  }
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

}  // namespace sinew
