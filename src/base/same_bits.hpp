// src/base/same_bits.hpp - whether two values made of doubles have the same bits: 0 and -0 differ, NaN is like itself
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace sinew {

template <class T>
bool same_bits(const T& a, const T& b) {
  using Bits = std::array<std::uint64_t, (sizeof(T) + 7) / 8>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

}  // namespace sinew
