// sinew/contact/kernel/difference.hpp - D, the set of differences a - b of two cores, and simplices of its points
#pragma once
#include "sinew/contact/kernel/solid.hpp"

namespace sinew::contact {

struct Difference {  // a point of D
  Vector d, a;
};
template <class Solid>
SINEW_HD Difference find_difference(const Solid& a, const Solid& b, const Vector& n) {  // farthest along n
  const Vector p = a.find_support(n);
  return {p - b.find_support(-n), p};
}
template <class Solid>
SINEW_HD double pair_size(const Solid& a, const Solid& b) {
  return a.extent() + b.extent() + norm(a.centre() - b.centre());
}

// Up to four points of D, and the weights of the point nearest to the origin.
struct Simplex {
  Difference points[4];
  double weights[4] = {};
  int count = 0;

  // To the part that contains the point nearest to the origin; if all four remain it is inside.
  SINEW_HD void reduce();
  SINEW_HD Vector nearest() const {
    Vector out;
    for (int i = 0; i < count; ++i) out += weights[i] * points[i].d;
    return out;
  }
  SINEW_HD Vector on_a() const {  // the matching point on a
    Vector out;
    for (int i = 0; i < count; ++i) out += weights[i] * points[i].a;
    return out;
  }

 private:
  // Points i, j, k stay, with these weights; -1: no more.
  SINEW_HD void keep(int i, double wi, int j = -1, double wj = 0, int k = -1, double wk = 0) {
    Simplex out;
    const auto put = [&](int from, double w) {
      if (from >= 0) out.points[out.count] = points[from], out.weights[out.count++] = w;
    };
    put(i, wi), put(j, wj), put(k, wk);
    *this = out;
  }
  SINEW_HD void reduce_segment();
  SINEW_HD void reduce_triangle();
  SINEW_HD void reduce_tetrahedron();
};

SINEW_HD void Simplex::reduce_segment() {
  const Vector p = points[0].d, d = points[1].d - p;
  const double t = -dot(p, d), square = dot(d, d);
  if (t <= 0) return keep(0, 1);
  if (t >= square) return keep(1, 1);
  keep(0, 1 - t / square, 1, t / square);
}

// By the regions of its corners, edges and inside [Ericson, Real-Time Collision Detection, 5.1.5].
SINEW_HD void Simplex::reduce_triangle() {
  const Vector a = points[0].d, b = points[1].d, c = points[2].d;
  const Vector ab = b - a, ac = c - a;
  const double d1 = -dot(ab, a), d2 = -dot(ac, a), d3 = -dot(ab, b), d4 = -dot(ac, b), d5 = -dot(ab, c),
               d6 = -dot(ac, c);
  if (d1 <= 0 && d2 <= 0) return keep(0, 1);
  if (d3 >= 0 && d4 <= d3) return keep(1, 1);
  if (d6 >= 0 && d5 <= d6) return keep(2, 1);
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return keep(0, 1 - d1 / (d1 - d3), 1, d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return keep(0, 1 - d2 / (d2 - d6), 2, d2 / (d2 - d6));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return keep(1, 1 - w, 2, w);
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return keep(0, 1);  // no area
  keep(0, 1 - vb / sum - vc / sum, 1, vb / sum, 2, vc / sum);
}

// Reduces to the nearest of the faces that the origin lies outside of; none: it is inside and all four stay.
SINEW_HD void Simplex::reduce_tetrahedron() {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  double least = INFINITY;
  Simplex best;
  for (const auto& f : kFaces) {
    const Vector p = points[f[0]].d, n = cross(points[f[1]].d - p, points[f[2]].d - p);
    const double inner = dot(n, points[f[3]].d - p), origin = -dot(n, p);
    if (inner * origin > 0) continue;
    Simplex face;
    face.count = 3;
    for (int k = 0; k < 3; ++k) face.points[k] = points[f[k]];
    face.reduce_triangle();
    const Vector v = face.nearest();
    if (const double square = dot(v, v); square < least) least = square, best = face;
  }
  if (least < INFINITY) *this = best;
}

SINEW_HD void Simplex::reduce() {
  switch (count) {
    case 1: weights[0] = 1; break;
    case 2: reduce_segment(); break;
    case 3: reduce_triangle(); break;
    default: reduce_tetrahedron();
  }
}

}  // namespace sinew::contact
