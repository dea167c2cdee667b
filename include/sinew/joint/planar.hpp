// sinew/joint/planar.hpp - moves in the xy plane of F_p
// q = angle about z, then x and y of F_s's origin in F_p coordinates; v = w_z, v_x, v_y of F_s in F_s coordinates.
// Differs from [F08 Table 4.1], whose translations in F_s coordinates make the printed S wrong for v = qdot, and
// from the matrix of Example 4.5: with these v, S is constant and qdot = diag(1, rotation) v.
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct PlanarJoint {
  static constexpr int kNq = 3, kNv = 3;

  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0), i = lit<T>(1);
    out.X = {rotation_z(q[0]), {q[1], q[2], o}};
    out.S[0] = detail::angular(o, o, i);
    out.S[1] = detail::linear(i, o, o);
    out.S[2] = detail::linear(o, i, o);
    out.v = {{o, o, v[0]}, {v[1], v[2], o}};
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({2, 3, 4}, out);
  }
  template <class T>
  static SINEW_HD void rate(const T* q, const T* v, T* qdot) {
    T s, c;
    sincos(q[0], s, c);
    qdot[0] = v[0];
    qdot[1] = c * v[1] - s * v[2];
    qdot[2] = s * v[1] + c * v[2];
  }
  // Exact: the path of a constant planar velocity is an arc of angle w. With a = w/2 its chord is
  // sinc(a) (v turned by a), so q moves by the rotation of that chord.
  template <class T>
  static SINEW_HD void integrate(const T* q, const T* dv, T* out) {
    const T a = lit<T>(0.5) * dv[0];
    const T k = sinc(a);
    T s, c;
    sincos(q[0] + a, s, c);
    const T x = q[1] + k * (c * dv[1] - s * dv[2]);
    const T y = q[2] + k * (s * dv[1] + c * dv[2]);
    out[0] = q[0] + dv[0];
    out[1] = x;
    out[2] = y;
  }
  template <class T>
  static SINEW_HD void difference(const T* q0, const T* q1, T* dv) {
    const T w = q1[0] - q0[0];
    const T a = lit<T>(0.5) * w;
    const T k = lit<T>(1) / sinc(a);
    T s, c;
    sincos(q0[0] + a, s, c);
    const T x = q1[1] - q0[1], y = q1[2] - q0[2];
    dv[0] = w;
    dv[1] = k * (c * x + s * y);
    dv[2] = k * (c * y - s * x);
  }
  template <class T>
  static SINEW_HD void neutral(T* q) {
    EuclideanJoint<3>::neutral(q);
  }
  template <class T>
  static SINEW_HD void normalize(T*) {}
  static void random(Random& rng, const double* lower, const double* upper, double* q) {
    EuclideanJoint<3>::random(rng, lower, upper, q);
  }

 private:
  // sin(a) / a, by its series where the quotient loses digits.
  template <class T>
  static SINEW_HD T sinc(const T& a) {
    using std::abs;
    const MaskOf<T> small = abs(a) < lit<T>(1e-4);
    const T safe = select(small, lit<T>(1), a);
    T s, c;
    sincos(safe, s, c);
    const T a2 = a * a;
    return select(small, lit<T>(1) - lit<T>(1.0 / 6) * a2 * (lit<T>(1) - lit<T>(1.0 / 20) * a2), s / safe);
  }
};

}  // namespace sinew
