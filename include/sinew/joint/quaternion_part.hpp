// sinew/joint/quaternion_part.hpp - the four position coordinates that spherical and free joints share
// q = w x y z of the turn that carries F_p's axes onto F_s's; the velocity is angular, in F_s coordinates.
#pragma once
#include "sinew/base/random.hpp"
#include "sinew/spatial/exponential.hpp"

namespace sinew::detail {

template <class T>
SINEW_HD Quaternion<T> get_quaternion(const T* q) {
  return {q[0], q[1], q[2], q[3]};
}
template <class T>
SINEW_HD void set_quaternion(T* q, const Quaternion<T>& p) {
  q[0] = p.w;
  q[1] = p.x;
  q[2] = p.y;
  q[3] = p.z;
}
// [F08 4.13]
template <class T>
SINEW_HD void quaternion_rate(const T* q, const Vec3<T>& w, T* qdot) {
  const T half = lit<T>(0.5);
  const Quaternion<T> p = get_quaternion(q) * Quaternion<T>{lit<T>(0), half * w.x, half * w.y, half * w.z};
  set_quaternion(qdot, p);
}
template <class T>
SINEW_HD void quaternion_neutral(T* q) {
  set_quaternion(q, Quaternion<T>{});
}
// Uniform over all turns: four normal numbers have no preferred direction.
inline void quaternion_random(Random& rng, double* q) {
  const double w = rng.normal(), x = rng.normal(), y = rng.normal(), z = rng.normal();
  set_quaternion(q, normalized(Quaternion<double>{w, x, y, z}));
}

}  // namespace sinew::detail
