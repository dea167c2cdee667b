// src/lcp/infinity.hpp - the value of a bound that does not exist
#pragma once
#include <limits>

namespace sinew::lcp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sinew::lcp
