// src/contact/thin_out.cpp - fewer points, the same support
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/colliders.hpp"
#include "sinew/contact/kernel/ring.hpp"

namespace sinew::contact {
namespace {

// Points seen along their normal.
struct Seen {
  Vector u, v;
  explicit Seen(const Vector& n) {
    const Vector side = std::abs(n.x) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
    u = cross(n, side), v = cross(n, u);
  }
  bool before(const TouchPoint& p, const TouchPoint& q) const {
    const double x = dot(p.point, u), y = dot(q.point, u);
    return x != y ? x < y : dot(p.point, v) < dot(q.point, v);
  }
  double turn(const TouchPoint& p, const TouchPoint& q, const TouchPoint& r) const {
    const Vector a = q.point - p.point, b = r.point - p.point;
    return dot(a, u) * dot(b, v) - dot(a, v) * dot(b, u);
  }
};

// Of points that are sorted by Seen::before, appends the corners of their convex hull, counter-clockwise.
void append_hull(const Seen& view, std::size_t first, std::size_t last, Points& points) {
  const std::size_t hull = points.size();
  std::size_t fixed = hull + 1;  // corners before it stay
  const auto add = [&](std::size_t i) {
    while (points.size() > fixed && !(view.turn(points[points.size() - 2], points.back(), points[i]) > 0))
      points.pop_back();
    points.push_back(TouchPoint(points[i]));
  };
  for (std::size_t i = first; i < last; ++i) add(i);
  fixed = points.size();
  for (std::size_t i = last; i-- > first;) add(i);
  if (points.size() > hull + 1) points.pop_back();  // the first again
}

// Leaves out corners of the ring at the end that are within a distance of the others.
void drop_flat_corners(Points& points, std::size_t ring, double within) {
  const auto at_ring = [&](int i) -> TouchPoint& { return points[ring + static_cast<std::size_t>(i)]; };
  int kept = 0;
  keep_corners(
      static_cast<int>(points.size() - ring), within, [&](int i) { return at_ring(i).point; },
      [&](int i) { at_ring(kept++) = TouchPoint(at_ring(i)); });
  points.resize(ring + static_cast<std::size_t>(kept));
}

}  // namespace

std::size_t thin_out(Points& points, std::size_t first, std::size_t last) {
  constexpr std::size_t kFewPoints = 16, kSides = 12;
  // Parts of the width: what counts as touching, as straight, and how much of the support many corners may lose.
  constexpr double kLevelWithin = 1e-5, kStraightWithin = 1e-6, kLoss = 1e-3;
  if (last - first <= kFewPoints) return last;
  const auto place = [&](std::size_t i) { return points.begin() + static_cast<std::ptrdiff_t>(i); };
  const Seen view(points[first].normal);
  std::array<TouchPoint, kSides + 1> kept;
  kept[0] = *std::min_element(place(first), place(last), [](const auto& p, const auto& q) { return p.gap < q.gap; });
  for (std::size_t i = 0; i < kSides; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / kSides;
    const Vector d = std::cos(angle) * view.u + std::sin(angle) * view.v;
    kept[i + 1] = *std::max_element(place(first), place(last),
                                    [&](const auto& p, const auto& q) { return dot(p.point, d) < dot(q.point, d); });
  }
  const double width =
      std::max(norm(kept[1].point - kept[1 + kSides / 2].point), norm(kept[4].point - kept[4 + kSides / 2].point));

  // The polygon on which it stands: behind all points, those that touch, then their hull.
  const std::size_t all = points.size();
  for (std::size_t i = first; i < last; ++i)
    if (points[i].gap <= kept[0].gap + kLevelWithin * width) points.push_back(TouchPoint(points[i]));
  const std::size_t hull = points.size();
  std::sort(place(all), place(hull), [&](const auto& p, const auto& q) { return view.before(p, q); });
  append_hull(view, all, hull, points);
  drop_flat_corners(points, hull, kStraightWithin * width);
  if (points.size() > hull + kFewCorners) drop_flat_corners(points, hull, kLoss * width);

  const auto begin = place(first);
  auto next = begin;
  const auto keep = [&](const TouchPoint& p) {
    const auto same = [&](const TouchPoint& q) { return q.feature_a == p.feature_a && q.feature_b == p.feature_b; };
    if (std::none_of(begin, next, same)) *next++ = p;
  };
  for (const TouchPoint& p : kept) keep(p);
  for (std::size_t i = hull; i < points.size(); ++i) keep(points[i]);
  points.resize(all);
  points.erase(next, place(last));
  return static_cast<std::size_t>(next - points.begin());
}

}  // namespace sinew::contact
