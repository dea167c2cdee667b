// src/lcp/infinity.hpp - the bound of what has none
#pragma once
#include <limits>

namespace sinew::lcp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sinew::lcp
