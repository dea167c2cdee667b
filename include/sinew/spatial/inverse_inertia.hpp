// sinew/spatial/inverse_inertia.hpp - Phi, which maps force to acceleration [F08 section 2.15]
//   Phi = [ A   B ]   symmetric A and C, general B: 21 numbers; a = Phi f + b
//         [ B^T C ]
// A constrained body has one too, of lower rank, although it has no inertia matrix.
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

template <class T>
struct InverseInertia {
  Sym3<T> A;
  Mat3<T> B;
  Sym3<T> C;
};

template <class T>
SINEW_HD InverseInertia<T> operator+(const InverseInertia<T>& a, const InverseInertia<T>& b) {
  return {a.A + b.A, a.B + b.B, a.C + b.C};
}
template <class T>
SINEW_HD Motion<T> operator*(const InverseInertia<T>& a, const Force<T>& f) {
  return {a.A * f.ang + a.B * f.lin, a.C * f.lin + transpose_times(a.B, f.ang)};
}

// Of a free rigid body, with K the inverse of the inertia about the centre of mass c:
//   Phi = [ K      K c x^T          ]
//         [ c x K  1/m + c x K c x^T ]
template <class T>
SINEW_HD InverseInertia<T> inverse(const RigidInertia<T>& a) {
  const T w = lit<T>(1) / a.m;
  const Vec3<T> c = w * a.h;
  const Sym3<T> K = inverse(a.I + cross_cross(a.h, c));
  const Mat3<T> Bt = cross(c, K);  // c x K
  const Sym3<T> cKc = lower_triangle(Bt * skew(-c));
  return {K, transpose(Bt), Sym3<T>::diagonal(w, w, w) + cKc};  // [F08 2.74]
}

// X Phi X^T and X^-1 Phi X^-T: the congruence of [F08 Table 2.5]. With angular and linear exchanged this is the rule
// of an articulated inertia.
template <class T>
SINEW_HD InverseInertia<T> apply(const Transform<T>& X, const InverseInertia<T>& a) {
  const ArticulatedInertia<T> b = apply(X, ArticulatedInertia<T>{a.A, transpose(a.B), a.C});
  return {b.M, transpose(b.H), b.I};
}
template <class T>
SINEW_HD InverseInertia<T> apply_inverse(const Transform<T>& X, const InverseInertia<T>& a) {
  const ArticulatedInertia<T> b = apply_inverse(X, ArticulatedInertia<T>{a.A, transpose(a.B), a.C});
  return {b.M, transpose(b.H), b.I};
}

}  // namespace sinew
