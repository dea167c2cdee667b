// sinew/base/scalar.hpp - what a kernel may ask of its scalar type T
// lit<T>(x)         a literal in T; bare doubles do not compile for float packs
// select(m, a, b)   a where the mask m holds, b elsewhere; kernels never branch on values
// sincos(x, s, c)   both at once
// sqrt, abs, min, max, and sin, cos, asin, acos, atan2 come by argument-dependent lookup, so a kernel
// writes `using std::sqrt; sqrt(x)` or calls the wrappers below.
#pragma once
#include <cmath>

#include "sinew/base/config.hpp"

namespace sinew {

// Each scalar type outside this file specialises ScalarTraits.
template <class T>
struct ScalarTraits {
  using Value = T;     // what one lane holds
  using Mask = bool;   // what a comparison gives
  static constexpr int kLanes = 1;
};

template <class T>
using MaskOf = typename ScalarTraits<T>::Mask;

template <class T>
SINEW_HD constexpr T lit(double x) {
  return T(static_cast<typename ScalarTraits<T>::Value>(x));
}

SINEW_HD constexpr double select(bool mask, double a, double b) { return mask ? a : b; }
SINEW_HD constexpr float select(bool mask, float a, float b) { return mask ? a : b; }

SINEW_HD void sincos(double x, double& s, double& c) {
  s = std::sin(x);
  c = std::cos(x);
}
SINEW_HD void sincos(float x, float& s, float& c) {
  s = std::sin(x);
  c = std::cos(x);
}

// Does the condition hold in every lane / in any lane.
SINEW_HD constexpr bool all(bool mask) { return mask; }
SINEW_HD constexpr bool any(bool mask) { return mask; }

}  // namespace sinew
