// src/io/heightfield_file.cpp
#include "io/heightfield_file.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "io/png_image.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/io/mesh.hpp"

namespace sinew {
namespace {

std::string parse_png_heights(std::string_view bytes, HeightfieldSpec& field) {
  PngImage image;
  if (std::string problem = parse_png(bytes, image); !problem.empty()) return problem;
  field.rows = image.rows, field.cols = image.cols;
  const auto cols = static_cast<std::size_t>(image.cols);
  for (auto row = static_cast<std::size_t>(image.rows); row-- > 0;)
    for (std::size_t col = 0; col < cols; ++col) field.elevation.push_back(image.values[row * cols + col]);
  return {};
}

std::string parse_binary_heights(std::string_view bytes, HeightfieldSpec& field) {
  std::int32_t counts[2] = {};
  if (bytes.size() < sizeof counts) return "shorter than the header of a binary heightfield";
  std::memcpy(counts, bytes.data(), sizeof counts);
  const std::size_t room = (bytes.size() - sizeof counts) / sizeof(float);
  if (counts[0] < 1 || counts[1] < 1 ||
      static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) != room)
    return "the header claims " + std::to_string(counts[0]) + " x " + std::to_string(counts[1]) +
           " heights, the file holds " + std::to_string(room);
  field.rows = counts[0], field.cols = counts[1];
  for (std::size_t i = 0; i < room; ++i) {
    float height = 0;
    std::memcpy(&height, bytes.data() + sizeof counts + i * sizeof height, sizeof height);
    if (!std::isfinite(height)) return "height " + std::to_string(i) + " is not finite";
    field.elevation.push_back(static_cast<double>(height));
  }
  return {};
}

}  // namespace

void scale_heights(std::vector<double>& heights) {
  if (heights.empty()) return;
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const double bottom = *low, span = *high - *low;
  for (double& h : heights) h = span > 0 ? (h - bottom) / span : 0;
}

std::string parse_heightfield(std::string_view bytes, bool png, HeightfieldSpec& field) {
  field.elevation.clear();
  std::string problem = png ? parse_png_heights(bytes, field) : parse_binary_heights(bytes, field);
  if (problem.empty() && (field.rows < 2 || field.cols < 2))
    problem =
        "it has " + std::to_string(field.rows) + " x " + std::to_string(field.cols) + " heights, fewer than 2 x 2";
  if (!problem.empty()) field.elevation.clear(), field.rows = field.cols = 0;
  scale_heights(field.elevation);
  return problem;
}

std::string read_heightfield(const std::filesystem::path& file, HeightfieldSpec& field) {
  const InputFile in = read_input_file(file, kMaxMeshBytes, NamedBy::file);
  if (!in.fault.empty()) return "the file " + in.fault;
  std::string e = file.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return parse_heightfield(in.bytes, e == ".png", field);
}

}  // namespace sinew
