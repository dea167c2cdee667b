// src/contact/difference.hpp - D, the set of differences a - b of two cores, and simplices of its points
#pragma once
#include "contact/solid.hpp"

namespace sinew::contact {

struct Difference {  // a point of D
  Vector d, a;
};
inline Difference find_support(const Solid& a, const Solid& b, const Vector& n) {  // of D along n
  const Vector p = a.find_support(n);
  return {p - b.find_support(-n), p};
}

struct Simplex {
  std::array<Difference, 4> points;
  std::array<double, 4> weights{};  // of the point nearest to the origin
  int count = 0;

  void reduce();  // to the part that contains the point nearest to the origin; if all four remain it is inside
  Vector nearest() const;
  Vector on_a() const;  // the matching point on a
};

inline double pair_size(const Solid& a, const Solid& b) {
  return a.extent() + b.extent() + norm(a.centre() - b.centre());
}

// For cores that overlap: the least move that parts them. `start` holds points of D around the origin, as GJK ends.
Approach find_overlap(const Solid& a, const Solid& b, const Simplex& start);

// The same for a core and an edge through a point, among the directions from one unit vector to another, both
// perpendicular to the edge.
struct WayOut {
  Vector normal;         // from the edge to a
  double depth = 0;      // of the core
  Vector on_a;           // nearest to the edge
  bool between = false;  // the normal is neither of the two
};
WayOut find_way_out(const Solid& a, const Vector& point, const Vector& edge, const Vector& from, const Vector& to);

}  // namespace sinew::contact
