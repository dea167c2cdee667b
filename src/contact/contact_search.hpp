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
};

}  // namespace sinew
