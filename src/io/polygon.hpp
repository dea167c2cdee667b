// src/io/polygon.hpp - polygons of mesh files cut into triangles
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sinew/spatial/vec3.hpp"

namespace sinew {

// A polygon with more corners is cut only if it is convex: the search for ears takes up to the cube of their number.
inline constexpr std::size_t kMostConcaveCorners = 1000;

// Adds corners.size() - 2 triangles with the polygon's sense. The polygon may be concave and somewhat out of plane; one
// that crosses itself is cut somehow. A convex one becomes a fan from its first corner. Every corner is a valid index.
// Returns what is wrong, or nothing.
std::string cut_polygon(const std::vector<Vec3<double>>& vertices, std::span<const int> corners,
                        std::vector<std::array<int, 3>>& triangles);

}  // namespace sinew
