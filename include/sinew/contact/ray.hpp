// sinew/contact/ray.hpp - where a ray meets a shape, and whether a point lies in it
// In the shape's frame, for shapes that are not made of triangles; sizes as in ShapeSpec.
#pragma once
#include <array>

#include "sinew/model/shape_spec.hpp"

namespace sinew {

// The smallest t >= 0 where from + t direction is on the surface, seen from outside or inside; -1: nowhere. A plane is
// met from above only, and within its half sides where they are not 0. direction: a unit vector.
// Throws std::invalid_argument for meshes and heightfields.
double cast_ray(ShapeKind, const std::array<double, 3>& size, const Vec3<double>& from, const Vec3<double>& direction);
// The same for one triangle, from either side.
double cast_ray(const std::array<Vec3<double>, 3>& triangle, const Vec3<double>& from, const Vec3<double>& direction);

// Throws as cast_ray. A plane holds nothing.
bool holds_point(ShapeKind, const std::array<double, 3>& size, const Vec3<double>& point);

}  // namespace sinew
