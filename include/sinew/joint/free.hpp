// sinew/joint/free.hpp - six freedoms: a unit quaternion and the position of F_s's origin in F_p coordinates
// v = angular, then linear velocity of F_s, in F_s coordinates, so that S is the identity.
// Differs from [F08 Table 4.1], whose translations in F_s coordinates make the printed S wrong for v = qdot.
#pragma once
#include "sinew/joint/motion.hpp"
#include "sinew/joint/quaternion_part.hpp"

namespace sinew {

struct FreeJoint {
  static constexpr int kNq = 7, kNv = 6;

  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0), i = lit<T>(1);
    out.X = {to_rotation(detail::get_quaternion(q)), {q[4], q[5], q[6]}};
    out.S[0] = detail::angular(i, o, o);
    out.S[1] = detail::angular(o, i, o);
    out.S[2] = detail::angular(o, o, i);
    out.S[3] = detail::linear(i, o, o);
    out.S[4] = detail::linear(o, i, o);
    out.S[5] = detail::linear(o, o, i);
    out.v = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({0, 1, 2, 3, 4, 5}, out);
  }
  template <class T>
  static SINEW_HD void rate(const T* q, const T* v, T* qdot) {
    detail::quaternion_rate(q, Vec3<T>{v[0], v[1], v[2]}, qdot);
    const Vec3<T> p = apply_inverse(to_rotation(detail::get_quaternion(q)), Vec3<T>{v[3], v[4], v[5]});
    set_position(qdot, p);
  }
  // Along the screw of the constant velocity dv.
  template <class T>
  static SINEW_HD void integrate(const T* q, const T* dv, T* out) {
    const Quaternion<T> turn = detail::get_quaternion(q);
    const Displacement<T> d = exp(Motion<T>{{dv[0], dv[1], dv[2]}, {dv[3], dv[4], dv[5]}});
    const Vec3<T> p = Vec3<T>{q[4], q[5], q[6]} + apply_inverse(to_rotation(turn), d.shift);
    detail::set_quaternion(out, normalized(turn * d.turn));
    set_position(out, p);
  }
  template <class T>
  static SINEW_HD void difference(const T* q0, const T* q1, T* dv) {
    const Quaternion<T> turn = detail::get_quaternion(q0);
    const Vec3<T> shift = apply(to_rotation(turn), Vec3<T>{q1[4] - q0[4], q1[5] - q0[5], q1[6] - q0[6]});
    const Motion<T> u = log(Displacement<T>{conjugate(turn) * detail::get_quaternion(q1), shift});
    dv[0] = u.ang.x;
    dv[1] = u.ang.y;
    dv[2] = u.ang.z;
    dv[3] = u.lin.x;
    dv[4] = u.lin.y;
    dv[5] = u.lin.z;
  }
  template <class T>
  static SINEW_HD void neutral(T* q) {
    detail::quaternion_neutral(q);
    set_position(q, Vec3<T>{});
  }
  template <class T>
  static SINEW_HD void normalize(T* q) {
    detail::set_quaternion(q, normalized(detail::get_quaternion(q)));
  }
  // Positions within the limits of the linear coordinates.
  static void random(Random& rng, const double* lower, const double* upper, double* q) {
    detail::quaternion_random(rng, q);
    for (int k = 0; k < 3; ++k) q[4 + k] = rng.uniform(lower[3 + k], upper[3 + k]);
  }

 private:
  template <class T>
  static SINEW_HD void set_position(T* q, const Vec3<T>& p) {
    q[4] = p.x;
    q[5] = p.y;
    q[6] = p.z;
  }
};

}  // namespace sinew
