// sinew/spatial/xtov.hpp - the motion that carries one frame onto another [F08 Tables A.1, A.2]
// If frame A moves at the velocity u for one unit of time it coincides with B. All take X = ^B X_A;
// u is the same in A and in B coordinates, and so is the approximation v of xtov: X v = v.
#pragma once
#include "sinew/spatial/exponential.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/spatial/planar.hpp"

namespace sinew {

// The book's XtoV: exact for a shift, and to first order in the angle. Loop closure errors are measured by it.
//   v = 1/2 [X23-X32, X31-X13, X12-X21, X53-X62, X61-X43, X42-X51]
template <class T>
SINEW_HD Motion<T> xtov(const Transform<T>& X) {
  const Mat3<T>& e = X.E.m;
  const T half = lit<T>(0.5);
  // the lower half of those six is tr(E) r - E^T r
  return {half * Vec3<T>{e.yz - e.zy, e.zx - e.xz, e.xy - e.yx},
          half * ((e.xx + e.yy + e.zz) * X.r - apply_inverse(X.E, X.r))};
}

// u itself, for angles up to pi.
template <class T>
SINEW_HD Motion<T> xtov_exact(const Transform<T>& X) {
  return log(Displacement<T>{to_quaternion(X.E), X.r});
}

// In the plane. The simplest version is [X23, X31, -X21]; xtov is parallel to u: u = v asin(X23) / X23.
template <class T>
SINEW_HD PlanarMotion<T> xtov_simple(const PlanarTransform<T>& X) {
  return {X.s, detail::turn(X, X.r)};
}
template <class T>
SINEW_HD PlanarMotion<T> xtov(const PlanarTransform<T>& X) {
  return {X.s, lit<T>(0.5) * (X.r + detail::turn(X, X.r))};
}
template <class T>
SINEW_HD PlanarMotion<T> xtov_exact(const PlanarTransform<T>& X) {
  const Motion<T> u = xtov_exact(to_space(X));
  return {u.ang.z, {u.lin.x, u.lin.y}};
}

}  // namespace sinew
