// sinew/contact/kernel/thin_out.hpp - fewer points, the same support, for CPU and device
// Points: a list of TouchPoint with size(), resize(n), [i] and push_back(p), as std::vector has them.
// sort(points, first, last, before): puts a part of them in order.
#pragma once
#include <cmath>
#include <cstddef>
#include <numbers>

#include "sinew/base/large_function.hpp"
#include "sinew/contact/collide.hpp"
#include "sinew/contact/kernel/ring.hpp"

namespace sinew::contact {

// Points seen along their normal.
struct SeenAlong {
  Vec3<double> u, v;
  SINEW_HD explicit SeenAlong(const Vec3<double>& n) {
    using std::abs;
    const Vec3<double> side = abs(n.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    u = cross(n, side), v = cross(n, u);
  }
  SINEW_HD bool before(const TouchPoint& p, const TouchPoint& q) const {
    const double x = dot(p.point, u), y = dot(q.point, u);
    return x != y ? x < y : dot(p.point, v) < dot(q.point, v);
  }
  SINEW_HD double turn(const TouchPoint& p, const TouchPoint& q, const TouchPoint& r) const {
    const Vec3<double> a = q.point - p.point, b = r.point - p.point;
    return dot(a, u) * dot(b, v) - dot(a, v) * dot(b, u);
  }
};

// Of points that are sorted by SeenAlong::before, appends the corners of their convex hull, counter-clockwise.
SINEW_HD_CALLER
template <class Points>
SINEW_HD void append_hull(const SeenAlong& view, std::size_t first, std::size_t last, Points& points) {
  const std::size_t hull = points.size();
  std::size_t fixed = hull + 1;  // corners before it stay
  const auto add = [&](std::size_t i) {
    while (points.size() > fixed && !(view.turn(points[points.size() - 2], points[points.size() - 1], points[i]) > 0))
      points.resize(points.size() - 1);
    points.push_back(TouchPoint(points[i]));
  };
  for (std::size_t i = first; i < last; ++i) add(i);
  fixed = points.size();
  for (std::size_t i = last; i-- > first;) add(i);
  if (points.size() > hull + 1) points.resize(points.size() - 1);  // the first again
}

// Leaves out corners of the ring at the end that are within a distance of the others.
SINEW_HD_CALLER
template <class Points>
SINEW_HD void drop_flat_corners(Points& points, std::size_t ring, double within) {
  const auto at_ring = [&](int i) -> TouchPoint& { return points[ring + static_cast<std::size_t>(i)]; };
  int kept = 0;
  keep_corners(
      static_cast<int>(points.size() - ring), within, [&](int i) { return at_ring(i).point; },
      [&](int i) { at_ring(kept++) = TouchPoint(at_ring(i)); });
  points.resize(ring + static_cast<std::size_t>(kept));
}

// Of many points first .. last with the same normal, keeps the deepest, the outermost on all sides, and every corner of
// the polygon on which the shape stands: of what touches no support is lost. Returns their new end.
SINEW_HD_CALLER
template <class Points, class Sort>
SINEW_HD_LARGE std::size_t thin_out(Points& points, std::size_t first, std::size_t last, const Sort& sort) {
  constexpr std::size_t kFewPoints = 16, kSides = 12;
  // Parts of the width: what counts as touching, as straight, and how much of the support many corners may lose.
  constexpr double kLevelWithin = 1e-5, kStraightWithin = 1e-6, kLoss = 1e-3;
  if (last - first <= kFewPoints) return last;
  const SeenAlong view(points[first].normal);
  const auto find_most = [&](const auto& measure) {  // the first of equal ones
    std::size_t best = first;
    for (std::size_t i = first + 1; i < last; ++i)
      if (measure(points[best]) < measure(points[i])) best = i;
    return points[best];
  };
  TouchPoint kept[kSides + 1];
  kept[0] = find_most([](const TouchPoint& p) { return -p.gap; });
  for (std::size_t i = 0; i < kSides; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / kSides;
    const Vec3<double> d = std::cos(angle) * view.u + std::sin(angle) * view.v;
    kept[i + 1] = find_most([&](const TouchPoint& p) { return dot(p.point, d); });
  }
  const double width =
      max(norm(kept[1].point - kept[1 + kSides / 2].point), norm(kept[4].point - kept[4 + kSides / 2].point));

  // The polygon on which it stands: behind all points, those that touch, then their hull.
  const std::size_t all = points.size();
  for (std::size_t i = first; i < last; ++i)
    if (points[i].gap <= kept[0].gap + kLevelWithin * width) points.push_back(TouchPoint(points[i]));
  const std::size_t hull = points.size();
  sort(points, all, hull, [&](const TouchPoint& p, const TouchPoint& q) { return view.before(p, q); });
  append_hull(view, all, hull, points);
  drop_flat_corners(points, hull, kStraightWithin * width);
  if (points.size() > hull + kFewCorners) drop_flat_corners(points, hull, kLoss * width);

  std::size_t next = first;
  const auto keep = [&](const TouchPoint& p) {
    for (std::size_t i = first; i < next; ++i)
      if (points[i].feature_a == p.feature_a && points[i].feature_b == p.feature_b) return;
    points[next++] = p;
  };
  for (const TouchPoint& p : kept) keep(p);
  for (std::size_t i = hull; i < points.size(); ++i) keep(TouchPoint(points[i]));
  const std::size_t left_out = last - next;
  for (std::size_t i = last; i < all; ++i) points[i - left_out] = points[i];
  points.resize(all - left_out);
  return next;
}

}  // namespace sinew::contact
