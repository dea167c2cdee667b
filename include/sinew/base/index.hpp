// sinew/base/index.hpp - an int converted to std::size_t
// Only needed where two of them are multiplied or compared: v[i] takes an int as it is.
#pragma once
#include <cstddef>

namespace sinew {

// i, which must not be negative, as an index.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace sinew
