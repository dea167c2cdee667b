// tests/support/touch.hpp - two placed shapes brought together
#pragma once
#include <vector>

#include "sinew/contact/collide.hpp"

namespace sinew::test {

inline constexpr ShapeKind kSolids[] = {ShapeKind::sphere,   ShapeKind::box,       ShapeKind::capsule,
                                        ShapeKind::cylinder, ShapeKind::ellipsoid, ShapeKind::mesh};

inline std::vector<TouchPoint> touch(const PlacedShape& a, const PlacedShape& b, double reach) {
  std::vector<TouchPoint> out;
  collide(a, b, reach, out);
  return out;
}

}  // namespace sinew::test
