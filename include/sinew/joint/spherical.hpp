// sinew/joint/spherical.hpp - ball joint by a unit quaternion [F08 4.10-4.13]
#pragma once
#include "sinew/joint/motion.hpp"
#include "sinew/joint/quaternion_part.hpp"

namespace sinew {

struct SphericalJoint {
  static constexpr int kNq = 4, kNv = 3;

  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0), i = lit<T>(1);
    out.X = rotate_frame(to_rotation(detail::get_quaternion(q)));
    out.S[0] = detail::angular(i, o, o);
    out.S[1] = detail::angular(o, i, o);
    out.S[2] = detail::angular(o, o, i);
    out.v = detail::angular(v[0], v[1], v[2]);
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({0, 1, 2}, out);
  }
  template <class T>
  static SINEW_HD void rate(const T* q, const T* v, T* qdot) {
    detail::quaternion_rate(q, Vec3<T>{v[0], v[1], v[2]}, qdot);
  }
  template <class T>
  static SINEW_HD void integrate(const T* q, const T* dv, T* out) {
    detail::set_quaternion(out, normalized(detail::get_quaternion(q) * exp(Vec3<T>{dv[0], dv[1], dv[2]})));
  }
  template <class T>
  static SINEW_HD void difference(const T* q0, const T* q1, T* dv) {
    const Vec3<T> w = log(conjugate(detail::get_quaternion(q0)) * detail::get_quaternion(q1));
    dv[0] = w.x;
    dv[1] = w.y;
    dv[2] = w.z;
  }
  template <class T>
  static SINEW_HD void neutral(T* q) {
    detail::quaternion_neutral(q);
  }
  template <class T>
  static SINEW_HD void normalize(T* q) {
    detail::set_quaternion(q, normalized(detail::get_quaternion(q)));
  }
  static void random(Random& rng, const double*, const double*, double* q) { detail::quaternion_random(rng, q); }
};

}  // namespace sinew
