// sinew/base/scalar.hpp - what a kernel may ask of its scalar type T
// lit<T>(x)         a literal in T; bare doubles do not compile for packs
// select(m, a, b)   a where the mask m holds, b elsewhere; kernels never branch on values
// sincos(x, s, c)   both at once
// min, max          the first argument's rule: a < b ? a : b
// all(m), any(m)    for drivers and tests
// sqrt, abs, sin, cos, asin, acos, atan2 come by argument-dependent lookup: a kernel writes
// `using std::sqrt; sqrt(x)`. The closed set of scalars is in base/scalars.hpp.
#pragma once
#include <cmath>
#include <limits>

#include "sinew/base/config.hpp"

namespace sinew {

// Each scalar type outside this file specialises ScalarTraits.
template <class T>
struct ScalarTraits {
  using Value = T;    // what one lane holds
  using Mask = bool;  // what a comparison gives
  static constexpr int kLanes = 1;
  static constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
};

template <class T>
using MaskOf = typename ScalarTraits<T>::Mask;

template <class T>
SINEW_HD constexpr T lit(double x) {
  return T(static_cast<typename ScalarTraits<T>::Value>(x));
}

SINEW_HD constexpr double select(bool mask, double a, double b) { return mask ? a : b; }
SINEW_HD constexpr float select(bool mask, float a, float b) { return mask ? a : b; }

SINEW_HD constexpr double min(double a, double b) { return a < b ? a : b; }
SINEW_HD constexpr double max(double a, double b) { return a > b ? a : b; }
SINEW_HD constexpr float min(float a, float b) { return a < b ? a : b; }
SINEW_HD constexpr float max(float a, float b) { return a > b ? a : b; }

#if defined(__CUDA_ARCH__)
SINEW_HD void sincos(double x, double& s, double& c) { ::sincos(x, &s, &c); }
SINEW_HD void sincos(float x, float& s, float& c) { ::sincosf(x, &s, &c); }
#else
SINEW_HD void sincos(double x, double& s, double& c) {
  s = std::sin(x);
  c = std::cos(x);
}
SINEW_HD void sincos(float x, float& s, float& c) {
  s = std::sin(x);
  c = std::cos(x);
}
#endif

SINEW_HD constexpr bool all(bool mask) { return mask; }
SINEW_HD constexpr bool any(bool mask) { return mask; }

}  // namespace sinew
