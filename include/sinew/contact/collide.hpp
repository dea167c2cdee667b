// sinew/contact/collide.hpp - where two shapes touch, or nearly: all points of it, analytically
// A collider writes the points where the surfaces are at most `reach` apart: enough of them that nothing which keeps
// their gaps open can overlap. A box on a plane has its corners, an edge two points, a disc eight of its rim. Points
// keep their `feature` while the shapes move, so that impulses can be carried from step to step.
// Normals point from b to a; a point lies half-way between the surfaces; a gap is negative where they overlap.
#pragma once
#include <array>

#include "sinew/model/shape_spec.hpp"

namespace sinew {

struct PlacedShape {
  ShapeKind kind = ShapeKind::sphere;
  Transform<double> X;           // shape <- world
  std::array<double, 3> size{};  // as in ShapeSpec
};
struct TouchPoint {
  Vec3<double> point{}, normal{};
  double gap = 0;
  int feature = 0;  // 0 .. kMostTouchPoints - 1
};
inline constexpr int kMostTouchPoints = 32;

// Returns how many points it wrote; `out` has room for kMostTouchPoints.
using Collider = int (*)(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
// Null where there is none for the kinds in this order. A plane is always b.
Collider find_collider(ShapeKind a, ShapeKind b);

}  // namespace sinew
