// src/io/heightfield_file.hpp - heights from PNG (8 or 16 bits) and from MuJoCo's binary format
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/model/shape_spec.hpp"

namespace sinew {

// Fills rows, cols and elevation, scaled to [0, 1] and row-major from -y. PNG: the first row is the farthest in y; of
// colours the red is taken. Binary: two int32 (rows, cols), then floats from -y. Returns what is wrong, or nothing.
std::string read_heightfield(const std::filesystem::path& file, HeightfieldSpec& field);
std::string parse_heightfield(std::string_view bytes, bool png, HeightfieldSpec& field);

// (h - lowest) / (highest - lowest); all zero where they are equal.
void scale_heights(std::vector<double>& heights);

}  // namespace sinew
