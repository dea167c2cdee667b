// sinew/contact/kernel/hull.hpp - convex hulls with flat faces, for CPU and device
// Hull: Polytope, or HullView, whose tables lie anywhere.
#pragma once
#include <cmath>

#include "sinew/contact/kernel/plane_contacts.hpp"

namespace sinew::contact {

// A face: its normal, and where its corners begin.
struct HullFace {
  Vec3<double> normal;  // outward
  int first = 0, count = 0;
};

// The vertex farthest along d: the first of a short list, else by a climb from neighbour to neighbour. On a convex
// solid a local maximum is the maximum.
inline constexpr int kFewVertices = 40;  // so few are all looked at
SINEW_HD_CALLER
template <class Hull>
SINEW_HD int find_farthest(const Hull& h, int vertices, const Vec3<double>& d) {
  int best = 0;
  double most = dot(h.vertices[0], d);
  if (vertices <= kFewVertices) {
    for (int i = 1; i < vertices; ++i)
      if (const double x = dot(h.vertices[i], d); x > most) most = x, best = i;
    return best;
  }
  for (bool climbs = true; climbs;) {
    climbs = false;
    for (int i = h.start[best]; i < h.start[best + 1]; ++i)
      if (const double x = dot(h.vertices[h.neighbours[i]], d); x > most) {
        most = x, best = h.neighbours[i], climbs = true;
        break;
      }
  }
  return best;
}
// The same, sooner where `begin` is near it. A climb may end at any of several vertices that are equally far, or nearly
// so on a face that is flat to single precision: which, depends on its start. Then the climb from the first decides.
SINEW_HD_CALLER
template <class Hull>
SINEW_HD int find_farthest(const Hull& h, int vertices, const Vec3<double>& d, int begin) {
  if (vertices <= kFewVertices) return find_farthest(h, vertices, d);
  constexpr double kClear = 1e-6;  // more than twice what counts as flat
  int best = begin;
  double most = dot(h.vertices[best], d), second = -INFINITY;
  for (bool climbs = true; climbs;) {
    climbs = false, second = -INFINITY;
    const int from = best;
    for (int i = h.start[from]; i < h.start[from + 1]; ++i) {
      const double x = dot(h.vertices[h.neighbours[i]], d);
      if (x > most)
        most = x, best = h.neighbours[i], climbs = true;
      else
        second = max(second, x);
    }
  }
  return most - second > kClear * h.extent * norm(d) ? best : find_farthest(h, vertices, d);
}

// The tables of a Polytope (contact/polytope.hpp) with flat faces.
struct HullView {
  using Face = HullFace;
  double rounding = 0;
  int count = 0;  // of vertices
  double extent = 0;
  const Vec3<double>* vertices = nullptr;
  const Face* faces = nullptr;
  const int *corners = nullptr, *edges = nullptr, *start = nullptr, *neighbours = nullptr, *around = nullptr;
  SINEW_HD int find_support(const Vec3<double>& d, int begin) const { return find_farthest(*this, count, d, begin); }
  SINEW_HD Vec3<double> find_rounded_support(const Vec3<double>&) const { return {}; }  // of rounded hulls alone
};

// Vertices near a plane, at most kHullPlanePoints and the corners of a face. Up to 16 are all taken; else those on
// which it may come to stand: the lowest, the outermost in twelve directions, and all that are as low as the lowest.
// These are the points that the CPU keeps (src/contact/thin_out.cpp).
inline constexpr int kHullPlanePoints = 13;
SINEW_HD_CALLER
template <class Add>
SINEW_HD void hull_on_plane(const HullView& h, const Transform<double>& X, const Transform<double>& plane, double reach,
                            const Add& add) {
  using std::abs;
  constexpr int kFewPoints = 16, kSides = kHullPlanePoints - 1;
  constexpr double kLevelWithin = 1e-5;  // of the width: as low as the lowest
  const PlaneContacts<double, Add> on(plane, reach, add);
  const Vec3<double> n = apply(X.E, on.normal);
  const double level = reach - dot(on.normal, X.r - on.point);
  const auto is_near = [&](int i) { return dot(n, h.vertices[i]) <= level; };
  const auto put = [&](int i) { on.add(apply_inverse_to_point(X, h.vertices[i]), vertex_feature(i)); };
  int near = 0;
  for (int i = 0; i < h.count; ++i) near += is_near(i) ? 1 : 0;
  if (near <= kFewPoints) {
    for (int i = 0; i < h.count; ++i)
      if (is_near(i)) put(i);
    return;
  }
  // The first of equal ones, of those near the plane.
  const auto find_most = [&](const Vec3<double>& d) {
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < h.count; ++i)
      if (const double x = dot(d, h.vertices[i]); is_near(i) && x > most) most = x, best = i;
    return best;
  };
  constexpr double kHalf = 0.5, kSlope = 0.86602540378443864676;
  constexpr double kCos[kSides] = {1, kSlope, kHalf, 0, -kHalf, -kSlope, -1, -kSlope, -kHalf, 0, kHalf, kSlope};
  const Vec3<double> side = abs(on.normal.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  const Vec3<double> across = cross(on.normal, side), u = apply(X.E, across), v = apply(X.E, cross(on.normal, across));
  int kept[kHullPlanePoints];
  kept[0] = find_most(-n);
  for (int i = 0; i < kSides; ++i) kept[i + 1] = find_most(kCos[i] * u + kCos[(i + 9) % kSides] * v);
  const auto apart = [&](int i) { return norm(h.vertices[kept[i]] - h.vertices[kept[i + kSides / 2]]); };
  const double lowest = dot(n, h.vertices[kept[0]]), width = max(apart(1), apart(4));
  const auto is_kept_before = [&](int vertex, int count) {
    bool found = false;
    for (int i = 0; i < count; ++i) found = found || kept[i] == vertex;
    return found;
  };
  for (int i = 0; i < kHullPlanePoints; ++i)
    if (!is_kept_before(kept[i], i)) put(kept[i]);
  for (int i = 0; i < h.count; ++i)
    if (dot(n, h.vertices[i]) <= lowest + kLevelWithin * width && !is_kept_before(i, kHullPlanePoints)) put(i);
}

}  // namespace sinew::contact
