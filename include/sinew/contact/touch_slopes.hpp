// sinew/contact/touch_slopes.hpp - how a contact point and its normal move while two shapes move
// Each shape is a core with a radius: a point (sphere), a segment (capsule), a box, the half-space below a plane. A
// contact belongs to a corner, an edge or a face of each core, c_a and c_b, with c_a - c_b = (gap + r_a + r_b) n, and
// keeps to them while the shapes move a little. Seen from b, with v(c) the velocity of a at c, w its spin:
//   n of a face of b      dn = 0                          n of a face of a      dn = w x n
//   nearest points        n stays perpendicular to the edges that c_a and c_b lie on
//   c_a                   v(c_a) + a slide along the edge of a, none at a corner;   c_b: a slide along the edge of b
// and the slides keep  c_a - c_b  along n. The gap then changes by n . v(point), the normal row of a contact, except
// where one of the two slides along a face or an edge that is not perpendicular to n: points where figures are cut.
#pragma once
#include <array>

#include "sinew/contact/collide.hpp"
#include "sinew/spatial/motion.hpp"

namespace sinew {

// Rates of the point, of the normal and of the gap, seen from b, for unit rates of a against b: turns about x, y, z of
// the world through the contact point, then shifts along them.
struct TouchSlopes {
  std::array<Vec3<double>, 6> point{}, normal{};
  std::array<double, 6> gap{};
  // Faces of both shapes look along the normal: which of the two it belongs to changes with the smallest turn. Taken:
  // that of b.
  bool tie = false;
};

// touch: found by the collider of a and b. False where it is not known how this contact moves: pairs with a mesh, a
// heightfield, a cylinder or an ellipsoid, except on planes; contacts of nearly parallel capsules that are no nearest
// points; corners and edges without radius that meet each other exactly.
bool calc_touch_slopes(const PlacedShape& a, const PlacedShape& b, const TouchPoint& touch, TouchSlopes& out);

}  // namespace sinew
