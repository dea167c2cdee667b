// src/io/polygon.cpp - fans and ear clipping
#include "io/polygon.hpp"

#include <cmath>

namespace sinew {
namespace {

struct Point2 {
  double x, y;
};

// Twice the signed area of the triangle a b c.
double cross2(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The polygon seen along its mean normal (Newell's), so that it runs counter-clockwise.
std::vector<Point2> flatten(const std::vector<Vec3<double>>& vertices, std::span<const int> corners) {
  const std::size_t n = corners.size();
  const Vec3<double> origin = vertices[static_cast<std::size_t>(corners[0])];
  const auto at = [&](std::size_t i) { return vertices[static_cast<std::size_t>(corners[i % n])] - origin; };
  Vec3<double> normal;
  for (std::size_t i = 0; i < n; ++i) normal += cross(at(i), at(i + 1));
  const double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  std::vector<Point2> flat(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> p = at(i);
    if (z >= x && z >= y)
      flat[i] = normal.z >= 0 ? Point2{p.x, p.y} : Point2{p.y, p.x};
    else if (y >= x)
      flat[i] = normal.y >= 0 ? Point2{p.z, p.x} : Point2{p.x, p.z};
    else
      flat[i] = normal.x >= 0 ? Point2{p.y, p.z} : Point2{p.z, p.y};
  }
  return flat;
}

// No right turn, and once around: a star of five points turns left everywhere, but twice around.
bool is_convex(const std::vector<Point2>& p) {
  const std::size_t n = p.size();
  int changes = 0, last = 0, first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Point2 &a = p[i], &b = p[(i + 1) % n];
    if (cross2(a, b, p[(i + 2) % n]) < 0) return false;
    const int sign = b.x > a.x ? 1 : b.x < a.x ? -1 : 0;
    if (sign == 0) continue;
    if (first == 0) first = sign;
    changes += last != 0 && sign != last;
    last = sign;
  }
  return changes + (first != last) <= 2;
}

// Whether p is in the triangle or on its edges.
bool is_inside(const Point2& p, const Point2& a, const Point2& b, const Point2& c) {
  return cross2(a, b, p) >= 0 && cross2(b, c, p) >= 0 && cross2(c, a, p) >= 0;
}

class EarClipping {
 public:
  explicit EarClipping(const std::vector<Point2>& p) : p_(p), next_(p.size()), previous_(p.size()) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      next_[i] = (i + 1) % p.size();
      previous_[next_[i]] = i;
    }
  }

  template <class Cut>
  void run(Cut&& cut) {
    std::size_t at = 0;
    for (std::size_t left = p_.size(); left > 3; --left) {
      std::size_t tried = 0;
      while (tried < left && !is_ear(at)) at = next_[at], ++tried;
      if (tried == left) at = flattest(at, left);  // a polygon that crosses itself may have no ear
      cut(previous_[at], at, next_[at]);
      next_[previous_[at]] = next_[at];
      previous_[next_[at]] = previous_[at];
      at = next_[next_[at]];  // not the neighbour, so that no fan of thin triangles grows
    }
    cut(previous_[at], at, next_[at]);
  }

 private:
  // Turns left, and no other corner lies in its triangle, except copies of the triangle's own corners.
  bool is_ear(std::size_t i) const {
    const Point2 &a = p_[previous_[i]], &b = p_[i], &c = p_[next_[i]];
    if (!(cross2(a, b, c) > 0)) return false;
    const auto same = [](const Point2& s, const Point2& t) { return s.x == t.x && s.y == t.y; };
    for (std::size_t k = next_[next_[i]]; k != previous_[i]; k = next_[k]) {
      const Point2& q = p_[k];
      if (same(q, a) || same(q, b) || same(q, c)) continue;
      if (is_inside(q, a, b, c)) return false;
    }
    return true;
  }
  std::size_t flattest(std::size_t at, std::size_t left) const {
    std::size_t best = at;
    double least = HUGE_VAL;
    for (std::size_t n = 0; n < left; ++n, at = next_[at])
      if (const double area = std::abs(cross2(p_[previous_[at]], p_[at], p_[next_[at]])); area < least)
        least = area, best = at;
    return best;
  }

  const std::vector<Point2>& p_;
  std::vector<std::size_t> next_, previous_;
};

}  // namespace

std::string cut_polygon(const std::vector<Vec3<double>>& vertices, std::span<const int> corners,
                        std::vector<std::array<int, 3>>& triangles) {
  const std::size_t n = corners.size();
  if (n < 3) return "a face has fewer than 3 corners";
  if (n == 3) {
    triangles.push_back({corners[0], corners[1], corners[2]});
    return {};
  }
  const std::vector<Point2> flat = flatten(vertices, corners);
  if (is_convex(flat)) {
    for (std::size_t i = 2; i < n; ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
    return {};
  }
  if (n > kMostConcaveCorners)
    return "a concave face has " + std::to_string(n) + " corners, more than " + std::to_string(kMostConcaveCorners);
  EarClipping(flat).run([&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.push_back({corners[a], corners[b], corners[c]});
  });
  return {};
}

}  // namespace sinew
