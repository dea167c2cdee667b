// sinew/contact/kernel/way_out.hpp - the least move that parts a core from an edge which runs through it: EPA in the
// plane, for CPU and device
// Seen along the edge the core is a flat figure around the origin. A chain of its points is refined at the nearest
// chord until that chord lies on the figure. A chord whose nearest point is one of its ends needs no refinement.
#pragma once
#include "sinew/contact/kernel/solid.hpp"

namespace sinew::contact {

// Of a core and an edge through a point which runs through it: the least move that parts them, among the directions
// from one unit vector to another, both perpendicular to the edge.
struct WayOut {
  Vector normal;         // from the edge to a
  double depth = 0;      // of the core
  Vector on_a;           // nearest to the edge
  bool between = false;  // the normal is neither of the two
};

SINEW_HD_CALLER
template <class Solid>
SINEW_HD_LARGE WayOut find_way_out(const Solid& a, const Vector& point, const Vector& edge, const Vector& from,
                                   const Vector& to) {
  struct Sample {
    Vector n, p;     // a direction, the point of the core farthest against it
    double depth;    // how far that is
    Vector on_core;  // nearest point of the chord it came from
  };
  constexpr int kMost = 48;
  const double little = 1e-14 * (a.extent() + norm(a.centre() - point));
  Sample chain[kMost];
  int count = 0;
  const auto sample = [&](const Vector& n) {
    const Vector p = a.find_support(-n);
    return Sample{n, p, -dot(n, p - point), p};
  };
  const auto find_least = [&] {  // the first of equal ones
    int least = 0;
    for (int i = 1; i < count; ++i)
      if (chain[i].depth < chain[least].depth) least = i;
    return least;
  };
  chain[count++] = sample(from), chain[count++] = sample(to);
  while (count < kMost) {
    double best = chain[find_least()].depth - little;
    int after = count;
    Sample next{};
    for (int i = 0; i + 1 < count; ++i) {
      const Vector &p = chain[i].p, chord = chain[i + 1].p - p;
      const Vector m = cross(chord, edge);  // perpendicular to both, on the side of the directions
      const double length = norm(m);
      if (!(length > 0)) continue;
      const Vector n = (dot(m, chain[i].n + chain[i + 1].n) < 0 ? -1 : 1) / length * m, along = cross(edge, n);
      const double bound = -dot(n, p - point), at = -dot(along, p - point) / dot(along, chord);
      if (at >= 0 && at <= 1 && bound < best) best = bound, after = i, next.n = n, next.on_core = p + at * chord;
    }
    if (after == count) break;
    const Vector on_core = next.on_core;
    next = sample(next.n), next.on_core = on_core;
    for (int i = count; i > after + 1; --i) chain[i] = chain[i - 1];
    chain[after + 1] = next, ++count;
    if (next.depth <= best + little) break;
  }
  const int least = find_least();
  return {chain[least].n, chain[least].depth, chain[least].on_core, least != 0 && least != count - 1};
}

}  // namespace sinew::contact
