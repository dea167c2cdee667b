// sinew/joint/euclidean.hpp - common part of the joints whose velocities are the rates of their positions
#pragma once
#include "sinew/base/random.hpp"
#include "sinew/base/scalar.hpp"

namespace sinew {

template <int n>
struct EuclideanJoint {
  static constexpr int kNq = n, kNv = n;

  template <class T>
  static SINEW_HD void rate(const T*, const T* v, T* qdot) {
    for (int k = 0; k < n; ++k) qdot[k] = v[k];
  }
  // q after moving with the constant velocity dv for unit time.
  template <class T>
  static SINEW_HD void integrate(const T* q, const T* dv, T* out) {
    for (int k = 0; k < n; ++k) out[k] = q[k] + dv[k];
  }
  // The constant velocity that leads from q0 to q1 in unit time.
  template <class T>
  static SINEW_HD void difference(const T* q0, const T* q1, T* dv) {
    for (int k = 0; k < n; ++k) dv[k] = q1[k] - q0[k];
  }
  template <class T>
  static SINEW_HD void neutral(T* q) {
    for (int k = 0; k < n; ++k) q[k] = lit<T>(0);
  }
  template <class T>
  static SINEW_HD void normalize(T*) {}
  // Within [lower, upper], one pair per coordinate.
  static void random(Random& rng, const double* lower, const double* upper, double* q) {
    for (int k = 0; k < n; ++k) q[k] = rng.uniform(lower[k], upper[k]);
  }
};

}  // namespace sinew
