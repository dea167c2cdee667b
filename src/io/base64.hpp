// src/io/base64.hpp - bytes as text (RFC 4648, with padding)
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace sinew {

inline std::string to_base64(std::span<const std::byte> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < n ? std::to_integer<unsigned>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace sinew
