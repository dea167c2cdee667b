// tests/support/cube_mesh.hpp - a cube as a mesh
#pragma once
#include <vector>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew::test {

inline TriangleMesh cube_mesh(double half) {
  std::vector<Vec3<double>> corners;
  for (const double z : {half, -half})
    for (const double y : {half, -half})
      for (const double x : {half, -half}) corners.push_back({x, y, z});
  return convex_hull(corners).value();
}

}  // namespace sinew::test
