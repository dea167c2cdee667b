// src/io/png_image.hpp - a PNG file as heights
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

inline constexpr std::size_t kMostPixels = std::size_t{1} << 24;

// Values of 8 or 16 bits, as the file has them: no gamma, no alpha; of colours the red.
struct PngImage {
  int rows = 0, cols = 0, bits = 0;
  std::vector<std::uint16_t> values;  // row-major from the top
};

// Returns what is wrong, or nothing.
std::string parse_png(std::string_view bytes, PngImage& image);

}  // namespace sinew
