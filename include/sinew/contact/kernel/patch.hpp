// sinew/contact/kernel/patch.hpp - parts of the surface of a solid that look along a direction, for CPU and device
#pragma once
#include <cstdint>

#include "sinew/spatial/vec3.hpp"

namespace sinew::contact {

using Vector = Vec3<double>;

// The part of a surface that looks along a direction: a polygon, a segment or a point.
template <int most>
struct PatchOf {
  static constexpr int kMost = most;
  struct Point {  // not set before it is added
    double x, y, z;
  };
  Point points[most];
  std::uint32_t vertex[most], edge[most];  // edge: from a point to the next
  Vector normal;                           // of a polygon
  std::uint32_t face = 0;
  int count = 0;
  SINEW_HD void add(const Vector& p, std::uint32_t v, std::uint32_t e) {
    const int i = count++;
    points[i] = {p.x, p.y, p.z}, vertex[i] = v, edge[i] = e;
  }
  SINEW_HD Vector point(int i) const { return {points[i].x, points[i].y, points[i].z}; }
};

// Faces and edges that are nearly perpendicular to a direction.
struct Facing {
  static constexpr int kMost = 12;
  Vector normals[kMost], edges[kMost];  // edges: unit vectors along them
  int faces = 0, lines = 0;
  SINEW_HD void add_face(const Vector& n) {
    if (faces < kMost) normals[faces++] = n;
  }
  SINEW_HD void add_edge(const Vector& e) {
    if (lines < kMost) edges[lines++] = e;
  }
};

struct Triangle {
  Vector corners[3];
  Vector normal;
  std::uint32_t vertex[3], edge[3];
  std::uint32_t face = 0;
};

}  // namespace sinew::contact
