// src/contact/solid.hpp - convex solids of a pair on the CPU: see sinew/contact/kernel/solid.hpp
#pragma once
#include <vector>

#include "sinew/contact/collide.hpp"
#include "sinew/contact/kernel/solid_faces.hpp"
#include "sinew/contact/polytope.hpp"

namespace sinew::contact {

struct SolidRoom {
  using Hull = Polytope;
  static constexpr int kCorners = 128;  // faces have at most kFewCorners, or as many as a smooth rim needs
  static constexpr int kPoints = 96;
  static constexpr double kInside = 1e-9;
};

class Solid : public SolidOf<SolidRoom> {
 public:
  Solid(const PlacedShape& s, const Vector& origin) : SolidOf(s.kind, s.X, s.size.data(), s.polytope, origin) {}
  using SolidOf::SolidOf;
};
using Patch = Solid::Patch;

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
