// src/contact/contact_search.hpp - what ContactShapes keeps from one search to the next
#pragma once
#include <vector>

#include "contact/near_pairs.hpp"
#include "sinew/contact/contact_shapes.hpp"

namespace sinew {

struct ContactShapes::Found {
  std::vector<TouchPoint> points;  // scratch
  std::vector<ContactPoint> contacts;
  std::vector<bool> closes;  // (contacts)
};

struct ContactShapes::Search {
  // Two shapes, a < b, that are near each other.
  struct Near {
    int a, b;
    int slot;  // among the pairs; -1: with a plane
    friend bool operator<(const Near& x, const Near& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
  };
  contact::NearPairs pairs;        // of shapes other than planes, by their place in others_
  std::vector<Near> planes, near;  // in the order of the shapes
  std::vector<Found> parts;        // what ranges of `near` found; the first: all of it, on one thread

  // Shapes that rest keep their contacts: two that are where they were in the last search, and reach as far, are not
  // looked at again.
  struct Seen {
    Transform<double> X;
    Vec3<double> velocity;
    double reach, whirl, dt;
  };
  struct Kept {
    int a, b;
    std::size_t first, end;  // in kept_found
  };
  std::vector<Seen> seen;   // (shapes) in the last search
  std::vector<char> still;  // (shapes) now as then
  std::vector<Kept> kept;   // pairs of the last search, in order; none where nothing rested
  Found kept_found;         // their contacts
  std::vector<int> counts;  // (near) contacts of each pair
  bool anything_rests = false, complete = false;
  void find_still(const std::vector<Shape>&, double dt);
  bool repeat(const Near&, Found&) const;
  void keep(const std::vector<ContactPoint>&, const std::vector<bool>& closes);
};

}  // namespace sinew
