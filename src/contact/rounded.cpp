// src/contact/rounded.cpp - polytopes whose faces and edges bulge: what all balls of one radius that hold them share
// Let C be the centres of these balls: |c - v| <= R for every vertex v. The solid and -C add up to a ball of radius R,
// so its farthest point along n is c + R n, where c is the point of C that is least far along n. At most three vertices
// hold c back; they are found as in linear programming: while some vertex is farther than R from c, it joins them.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/base/index.hpp"
#include "sinew/contact/polytope.hpp"

namespace sinew {
namespace {

using Point = Vec3<double>;

class LeastCentre {
 public:
  LeastCentre(const std::vector<Point>& vertices, double radius, const Point& n)
      : vertices_(vertices), R_(radius), n_(n), slack_(1e-10 * radius) {}

  // False where there is no ball of that radius.
  bool find(int start, Point& centre) {
    constexpr int kMost = 200;
    held_[0] = start, count_ = 1;
    if (!solve(centre)) return false;
    for (int round = 0; round < kMost; ++round) {
      const int far = find_farthest(centre);
      if (norm(vertices_[at(far)] - centre) <= R_ + slack_) return true;
      if (std::find(held_.begin(), held_.begin() + count_, far) != held_.begin() + count_) return true;  // rounding
      held_[at(count_++)] = far;
      if (!solve(centre)) return false;
    }
    return true;
  }

 private:
  const Point& vertex(int k) const { return vertices_[at(held_[at(k)])]; }

  int find_farthest(const Point& c) const {
    int far = 0;
    double most = -1;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const Point d = vertices_[i] - c;
      if (const double square = dot(d, d); square > most) most = square, far = static_cast<int>(i);
    }
    return far;
  }

  // The least of all centres that one, two or three of the (at most four) held vertices determine and the others allow.
  bool solve(Point& centre) {
    double least = INFINITY;
    std::array<int, 3> best{};
    int size = 0;
    const auto attempt = [&](bool possible, const Point& c, int i, int j, int k) {
      if (!possible || dot(n_, c) >= least) return;
      for (int other = 0; other < count_; ++other)
        if (other != i && other != j && other != k && norm(vertex(other) - c) > R_ + slack_) return;
      least = dot(n_, c), centre = c;
      best = {i, j, k}, size = k >= 0 ? 3 : j >= 0 ? 2 : 1;
    };
    Point c;
    for (int i = 0; i < count_; ++i) {
      attempt(true, vertex(i) - R_ * n_, i, -1, -1);
      for (int j = 0; j < i; ++j) {
        attempt(find_on_edge(vertex(i), vertex(j), c), c, i, j, -1);
        for (int k = 0; k < j; ++k) attempt(find_on_face(vertex(i), vertex(j), vertex(k), c), c, i, j, k);
      }
    }
    const std::array<int, 4> before = held_;
    for (int k = 0; k < size; ++k) held_[at(k)] = before[at(best[at(k)])];
    count_ = size;
    return size > 0;
  }

  // The height of a centre above the middle of the vertices that it is R away from; near zero it is zero.
  bool find_height(double square, double& height) const {
    const double left = R_ * R_ - square, rounding = 1e-13 * R_ * R_;
    height = left > rounding ? std::sqrt(left) : 0;
    return left > -1e3 * rounding;
  }
  bool find_on_edge(const Point& a, const Point& b, Point& c) const {
    const Point half = 0.5 * (b - a);
    const double square = dot(half, half);
    const Point across = n_ - (dot(n_, half) / square) * half;
    const double length = norm(across);
    double height;
    if (!(length > 1e-12) || !find_height(square, height)) return false;
    c = a + half - (height / length) * across;
    return true;
  }
  bool find_on_face(const Point& a, const Point& b, const Point& d, Point& c) const {
    const Point u = b - a, v = d - a, normal = cross(u, v);
    const double area = dot(normal, normal);
    if (!(area > 0)) return false;
    const Point middle = (1 / (2 * area)) * (dot(u, u) * cross(v, normal) + dot(v, v) * cross(normal, u));
    double height;
    if (!find_height(dot(middle, middle), height)) return false;
    c = a + middle - (std::copysign(height, dot(n_, normal)) / std::sqrt(area)) * normal;
    return true;
  }

  const std::vector<Point>& vertices_;
  double R_;
  Point n_;
  double slack_;
  std::array<int, 4> held_{};
  int count_ = 0;
};

}  // namespace

Vec3<double> Polytope::find_rounded_support(const Vec3<double>& direction) const {
  Point c;
  LeastCentre(vertices, rounding, direction).find(find_support(direction), c);
  return c + rounding * direction;
}

void round_faces(Polytope& p, double radius) {
  Point low = p.vertices.front(), high = low, c;
  for (const Point& v : p.vertices) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  double enough = 0;  // a ball about the middle holds all
  for (const Point& v : p.vertices) enough = std::max(enough, norm(v - 0.5 * (low + high)));
  if (!(radius > 0 && radius < INFINITY) || !LeastCentre(p.vertices, radius, {0, 0, 1}).find(0, c))
    throw std::invalid_argument("round_faces: the vertices do not fit into a ball of radius " + std::to_string(radius) +
                                " m; " + std::to_string(enough) + " m is enough");
  p.rounding = radius;
}

}  // namespace sinew
