// src/lcp/room.hpp - reserving and resizing the arrays of a workspace
// make_room allocates without changing the array; grow makes it at least that long. After make_room, grow to the same
// size allocates nothing.
#pragma once
#include <cstddef>

namespace sinew::lcp {

// NOLINTBEGIN(readability-identifier-naming): called like functions
inline constexpr auto make_room = [](auto& x, std::size_t n) { x.reserve(n); };
inline constexpr auto grow = [](auto& x, std::size_t n) {
  if (x.size() < n) x.resize(n);
};
// NOLINTEND(readability-identifier-naming)

}  // namespace sinew::lcp
