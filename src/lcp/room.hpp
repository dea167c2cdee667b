// src/lcp/room.hpp - what a workspace does with each of its arrays, given the size that a problem needs
// make_room allocates and leaves the array as it is; grow makes it at least so long. After make_room, grow to the same
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
