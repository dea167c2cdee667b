// src/contact/collide_box.cpp - two boxes: the axis that separates them best, then the face of one cut to the other's
#include <cstddef>

#include "colliders.hpp"

namespace sinew::contact {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Box {
  Vector centre;
  std::array<Vector, 3> axes;
  std::array<double, 3> half;
  explicit Box(const PlacedShape& s) : centre(s.X.r), axes{axis(s, 0), axis(s, 1), axis(s, 2)}, half(s.size) {}
  double extent(const Vector& n) const {
    double out = 0;
    for (std::size_t k = 0; k < 3; ++k) out += half[k] * std::abs(dot(axes[k], n));
    return out;
  }
  // The corner that lies farthest along n, without its part along axis `but`.
  Vector support(const Vector& n, int but = -1) const {
    Vector out = centre;
    for (int k = 0; k < 3; ++k)
      if (k != but) out += (dot(axes[at(k)], n) < 0 ? -half[at(k)] : half[at(k)]) * axes[at(k)];
    return out;
  }
};

// Along a unit vector n from b to a: how far the boxes are apart.
struct Separation {
  double gap = -INFINITY;
  Vector normal;
  int face_a = -1, face_b = -1;  // the axis is that of a face, or
  int edge_a = -1, edge_b = -1;  // square to two edges
};

Separation find_separation(const Box& a, const Box& b) {
  // An edge pair must be clearly better than a face: contact by faces is stable and complete.
  constexpr double kClearly = 1e-6;
  const Vector d = a.centre - b.centre;
  const auto measure = [&](Vector n) -> Separation {
    if (dot(n, d) < 0) n = -n;
    Separation s;
    s.gap = dot(n, d) - a.extent(n) - b.extent(n), s.normal = n;
    return s;
  };
  Separation best;
  for (int k = 0; k < 3; ++k) {
    Separation s = measure(a.axes[at(k)]);
    if (s.gap > best.gap) best = s, best.face_a = k;
  }
  const double size = a.half[0] + a.half[1] + a.half[2] + b.half[0] + b.half[1] + b.half[2];
  for (int k = 0; k < 3; ++k) {
    Separation s = measure(b.axes[at(k)]);
    if (s.gap > best.gap + kClearly * size) best = s, best.face_b = k;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector n = cross(a.axes[at(i)], b.axes[at(j)]);
      const double length = norm(n);
      if (length < 1e-6) continue;
      Separation s = measure((1 / length) * n);
      if (s.gap > best.gap + kClearly * size) best = s, best.edge_a = i, best.edge_b = j;
    }
  return best;
}

// A polygon whose corners and edges keep their names while it is cut.
struct Corner {
  Vector p;
  int name;  // 0 .. 3 of the face, 4 + 4 edge + side where a side cuts an edge, 20 .. where two sides meet
  int edge;  // the one that leaves it: 0 .. 3 of the face, 4 + side along a side
};
struct Polygon {
  std::array<Corner, 12> corners;
  int count = 0;
  void add(const Corner& c) { corners[at(count++)] = c; }
};

// What lies on the inner side of a plane: dot(n, p) <= limit.
Polygon cut(const Polygon& in, const Vector& n, double limit, int side) {
  Polygon out;
  for (int i = 0; i < in.count; ++i) {
    const Corner &c = in.corners[at(i)], &next = in.corners[at((i + 1) % in.count)];
    const double here = dot(n, c.p) - limit, there = dot(n, next.p) - limit;
    if (here <= 0) out.add(c);
    if ((here <= 0) == (there <= 0)) continue;
    const Vector p = c.p + (here / (here - there)) * (next.p - c.p);
    const int name = c.edge < 4 ? 4 + 4 * c.edge + side : 20 + (4 * (c.edge - 4) + side) % 11;
    out.add({p, name, here <= 0 ? 4 + side : c.edge});
  }
  return out;
}

// The face of `other` that looks at face `k` of `base`, cut to that face. outward: from base towards other.
int touch_faces(const Box& base, int k, const Vector& outward, const Box& other, bool base_is_a, double reach,
                TouchPoint* out) {
  int facing = 0;
  double most = 0;
  for (int i = 0; i < 3; ++i)
    if (std::abs(dot(other.axes[at(i)], outward)) > std::abs(most)) most = dot(other.axes[at(i)], outward), facing = i;
  const double side = most > 0 ? -1 : 1;
  const int u = (facing + 1) % 3, v = (facing + 2) % 3;
  const Vector middle = other.centre + (side * other.half[at(facing)]) * other.axes[at(facing)];
  Polygon polygon;
  for (int i = 0; i < 4; ++i) {
    const double su = i == 0 || i == 3 ? 1 : -1, sv = i < 2 ? 1 : -1;
    polygon.add(
        {middle + (su * other.half[at(u)]) * other.axes[at(u)] + (sv * other.half[at(v)]) * other.axes[at(v)], i, i});
  }
  int number = 0;
  for (const int axis_k : {(k + 1) % 3, (k + 2) % 3})
    for (const double s : {1.0, -1.0}) {
      const Vector n = s * base.axes[at(axis_k)];
      polygon = cut(polygon, n, dot(n, base.centre) + base.half[at(axis_k)], number++);
    }
  const double face = dot(outward, base.centre) + base.half[at(k)];
  int n = 0;
  for (int i = 0; i < polygon.count; ++i) {
    const Corner& c = polygon.corners[at(i)];
    const double gap = dot(outward, c.p) - face;
    if (gap <= reach) out[n++] = {c.p - (gap / 2) * outward, base_is_a ? -outward : outward, gap, c.name};
  }
  return n;
}

}  // namespace

int box_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out) {
  const Box A(a), B(b);
  const Separation s = find_separation(A, B);
  if (!(s.gap <= reach)) return 0;
  if (s.edge_a < 0) {
    return s.face_a >= 0 ? touch_faces(A, s.face_a, -s.normal, B, true, reach, out)
                         : touch_faces(B, s.face_b, s.normal, A, false, reach, out);
  }
  // Two edges that cross: the nearest points of their lines.
  const Vector p = A.support(-s.normal, s.edge_a), q = B.support(s.normal, s.edge_b);
  const Vector &u = A.axes[at(s.edge_a)], &v = B.axes[at(s.edge_b)], d = q - p;
  const double uv = dot(u, v), square = 1 - uv * uv;
  const Vector on_a = p + ((dot(u, d) - uv * dot(v, d)) / square) * u;
  const Vector on_b = q + ((uv * dot(u, d) - dot(v, d)) / square) * v;
  out[0] = {0.5 * (on_a + on_b), s.normal, s.gap, 31};
  return 1;
}

}  // namespace sinew::contact
