// src/contact/way_out.cpp - the least move that parts a core from an edge which runs through it: EPA in the plane
// Seen along the edge the core is a flat figure around the origin. A chain of its points is refined at the nearest
// chord until that chord lies on the figure. A chord whose nearest point is one of its ends needs no refinement.
#include <algorithm>
#include <array>

#include "contact/solid.hpp"

namespace sinew::contact {
namespace {

struct Sample {
  Vector n, p;     // a direction, the point of the core farthest against it
  double depth;    // how far that is
  Vector on_core;  // nearest point of the chord it came from
};

}  // namespace

WayOut find_way_out(const Solid& a, const Vector& point, const Vector& edge, const Vector& from, const Vector& to) {
  constexpr std::size_t kMost = 48;
  const double little = 1e-14 * (a.extent() + norm(a.centre() - point));
  std::array<Sample, kMost> chain;
  std::size_t count = 0;
  const auto sample = [&](const Vector& n) {
    const Vector p = a.find_support(-n);
    return Sample{n, p, -dot(n, p - point), p};
  };
  chain[count++] = sample(from), chain[count++] = sample(to);
  const auto shallower = [](const Sample& s, const Sample& t) { return s.depth < t.depth; };
  while (count < kMost) {
    double best = std::min_element(chain.begin(), chain.begin() + count, shallower)->depth - little;
    std::size_t after = count;
    Sample next{};
    for (std::size_t i = 0; i + 1 < count; ++i) {
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
    std::copy_backward(chain.begin() + after + 1, chain.begin() + count, chain.begin() + count + 1);
    chain[after + 1] = next, ++count;
    if (next.depth <= best + little) break;
  }
  const auto least = std::min_element(chain.begin(), chain.begin() + count, shallower);
  const bool between = least != chain.begin() && least != chain.begin() + count - 1;
  return {least->n, least->depth, least->on_core, between};
}

}  // namespace sinew::contact
