// src/contact/solid.hpp - convex solids of a pair: world axes, an origin near both
// A solid is a core, enlarged by a radius: the core of a sphere is a point, that of a capsule a segment.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "sinew/contact/collide.hpp"
#include "sinew/contact/kernel/round_contacts.hpp"
#include "sinew/contact/polytope.hpp"

namespace sinew::contact {

using Vector = Vec3<double>;

// The part of a surface that looks along a direction: a polygon, a segment or a point.
struct Patch {
  static constexpr int kMost = 128;  // corners; faces have at most kFewCorners, or as many as a smooth rim needs
  struct Point {                     // not set before it is added
    double x, y, z;
  };
  std::array<Point, kMost> points;
  std::array<std::uint32_t, kMost> vertex, edge;  // edge: from a point to the next
  Vector normal;                                  // of a polygon
  std::uint32_t face = 0;
  int count = 0;
  void add(const Vector& p, std::uint32_t v, std::uint32_t e) {
    const auto i = static_cast<std::size_t>(count++);
    points[i] = {p.x, p.y, p.z}, vertex[i] = v, edge[i] = e;
  }
  Vector point(int i) const { return {points[i].x, points[i].y, points[i].z}; }
};

// Faces and edges that are nearly perpendicular to a direction.
struct Facing {
  static constexpr int kMost = 12;
  std::array<Vector, kMost> normals, edges;  // edges: unit vectors along them
  int faces = 0, lines = 0;
  void add_face(const Vector& n) {
    if (faces < kMost) normals[faces++] = n;
  }
  void add_edge(const Vector& e) {
    if (lines < kMost) edges[lines++] = e;
  }
};

struct Triangle {
  std::array<Vector, 3> corners;
  Vector normal;
  std::array<std::uint32_t, 3> vertex, edge;
  std::uint32_t face = 0;
};

inline constexpr int kRim = 8;  // points fixed on a cylinder's rim
struct RimPoint {
  double x, y;
};
const std::array<RimPoint, kRim>& rim_points();  // of radius 1

class Solid {
 public:
  Solid(const PlacedShape& s, const Vector& origin);
  Solid(const Triangle& t, const Vector& origin);

  double radius() const { return radius_; }
  double extent() const { return extent_; }  // [m] about half its length
  const Vector& centre() const { return centre_; }
  bool has_volume() const { return kind_ >= Kind::box; }
  // The corner of a polytope from which the next support is looked for: time, not results, depends on it.
  int start() const { return start_; }
  void set_start(int vertex) { start_ = vertex; }

  Vector find_support(const Vector& n) const;      // of the core
  bool has_unique_support(const Vector& n) const;  // a smooth surface, or the rim of one
  std::uint32_t support_feature(const Vector& n) const;
  void find_patch(const Vector& n, Patch& out) const;  // of the core
  void find_faces(const Vector& d, Facing& out) const;
  void find_facing(const Vector& n, double within, Facing& out) const;

 private:
  enum class Kind : std::uint8_t { point, segment, triangle, box, cylinder, ellipsoid, polytope, rounded };
  Vector to_own(const Vector& n) const { return {dot(axes_[0], n), dot(axes_[1], n), dot(axes_[2], n)}; }
  Vector turn(const Vector& p) const { return p.x * axes_[0] + p.y * axes_[1] + p.z * axes_[2]; }
  Vector place(const Vector& p) const { return centre_ + turn(p); }
  const Vector& axis(int k) const { return axes_[k]; }
  double half(int k) const { return size_[k]; }
  void find_box_patch(const Vector& n, Patch& out) const;
  void find_cylinder_patch(const Vector& n, Patch& out) const;
  void find_polytope_patch(const Vector& n, Patch& out) const;
  int find_polytope_face(const Vector& d) const;
  int find_vertex(const Vector& n) const { return start_ = polytope_->find_support(n, start_); }  // n in its own axes

  Kind kind_ = Kind::point;
  double radius_ = 0, extent_ = 0;
  Vector centre_;
  std::array<Vector, 3> axes_;
  std::array<double, 3> size_{};
  const Polytope* polytope_ = nullptr;
  const Triangle* triangle_ = nullptr;
  mutable int start_ = 0;
};

// Along the unit vector n: how far a is from b; negative where they overlap. The gap is the largest of these.
inline double calc_separation(const Solid& a, const Solid& b, const Vector& n) {
  return dot(n, a.find_support(-n) - b.find_support(n)) - a.radius() - b.radius();
}

struct Approach {
  Vector normal;         // unit, from b to a
  double gap = 0;        // along it
  Vector on_a, on_b;     // nearest points of the cores
  bool overlap = false;  // of the cores
};
// The direction of the largest separation; stops early once it is known to be more than `reach`.
Approach find_approach(const Solid& a, const Solid& b, double reach);
// True if the separation is more than `reach` by more than any search can be wrong. `axis` is where to begin, or zero,
// and then the direction that parts them, or nearly does.
bool are_surely_apart(const Solid& a, const Solid& b, double reach, Vector& axis);

// The points of both patches that look at each other along n, whose gaps are along n and at least the separation.
// Returns the smallest gap added; +infinity if none.
double add_patches(const Solid& a, const Solid& b, const Vector& n, double separation, const Vector& origin,
                   double reach, std::vector<TouchPoint>& out);
// Adds the patches, and the nearest points if they are not among them.
void add_contacts(const Solid& a, const Solid& b, const Approach& at, const Vector& origin, double reach,
                  std::vector<TouchPoint>& out);

}  // namespace sinew::contact
