// sinew/contact/collide.hpp - all points where two shapes touch, or nearly touch
// A collider adds points where the surfaces are at most `reach` apart: enough of them that shapes cannot overlap while
// all their gaps stay open. A box on a plane has its corners, an edge its two ends, a disc eight points of its rim and,
// unless it is nearly flat, the lowest one. The smallest gap is the distance of the shapes, or the depth (negative) by
// which they overlap; of a nearly flat disc to 8e-6 of its radius.
// Normals point from b to a; a point lies half-way between the surfaces. docs/shapes.md: every pair.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sinew/model/shape_spec.hpp"

namespace sinew {

struct Polytope;        // contact/polytope.hpp
class TriangleSurface;  // contact/triangle_surface.hpp

struct PlacedShape {
  ShapeKind kind = ShapeKind::sphere;
  Transform<double> X;                       // shape <- world
  std::array<double, 3> size{};              // as in ShapeSpec
  const Polytope* polytope = nullptr;        // a mesh taken as its convex hull
  const TriangleSurface* surface = nullptr;  // a mesh taken as it is, or a heightfield
};

// Features are numbers of corners, edges and faces of a shape; they stay the same while it moves.
struct TouchPoint {
  Vec3<double> point{}, normal{};
  double gap = 0;
  std::uint32_t feature_a = 0, feature_b = 0;
};

using Collider = void (*)(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<TouchPoint>& out);
// Null where there is none for the shapes in this order. One of the two orders has a collider, except for two planes or
// a plane and a heightfield.
Collider find_collider(const PlacedShape& a, const PlacedShape& b);

// In either order. Throws std::invalid_argument where there is no collider.
void collide(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<TouchPoint>& out);

}  // namespace sinew
