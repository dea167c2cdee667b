// src/contact/collide_box.cpp - two boxes: the axis of the largest separation, then the faces that look along it
#include <cmath>

#include "contact/colliders.hpp"

namespace sinew::contact {
namespace {

struct Separation {
  double gap = -INFINITY;
  Vector normal;  // from b to a
};

// The largest over face normals and cross products of edges [Gottschalk, Lin, Manocha 1996]. Faces win ties.
Separation find_separation(const PlacedShape& a, const PlacedShape& b) {
  const Mat3<double> R = a.X.E.m * transpose(b.X.E.m);  // rows: a's axes, columns: b's
  const double c[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
  const Vector d = a.X.r - b.X.r, da = apply(a.X.E, d), db = apply(b.X.E, d);
  const double from_a[] = {da.x, da.y, da.z}, from_b[] = {db.x, db.y, db.z};
  const std::array<double, 3>&p = a.size, &q = b.size;
  const double tie = 1e-12 * (p[0] + p[1] + p[2] + q[0] + q[1] + q[2]);
  double absolute[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) absolute[i][j] = std::abs(c[i][j]);
  Separation best;
  const auto attempt = [&](double offset, double extents, double bonus, auto&& axis_of) {
    const double gap = std::abs(offset) - extents;
    if (gap > best.gap + bonus) best = {gap, offset < 0 ? -axis_of() : axis_of()};
  };
  for (int k = 0; k < 3; ++k)
    attempt(from_b[k], q[k] + p[0] * absolute[0][k] + p[1] * absolute[1][k] + p[2] * absolute[2][k], tie,
            [&] { return axis(b, k); });
  for (int k = 0; k < 3; ++k)
    attempt(from_a[k], p[k] + q[0] * absolute[k][0] + q[1] * absolute[k][1] + q[2] * absolute[k][2], tie,
            [&] { return axis(a, k); });
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double square = c[i1][j] * c[i1][j] + c[i2][j] * c[i2][j];  // not 1 - c_ij^2, which cancels
      if (square < 1e-12) continue;
      const double s = 1 / std::sqrt(square);
      const double offset = from_a[i2] * c[i1][j] - from_a[i1] * c[i2][j];
      const double extents =
          p[i1] * absolute[i2][j] + p[i2] * absolute[i1][j] + q[j1] * absolute[i][j2] + q[j2] * absolute[i][j1];
      attempt(s * offset, s * extents, tie, [&] { return s * cross(axis(a, i), axis(b, j)); });
    }
  return best;
}

}  // namespace

void box_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const Separation s = find_separation(a, b);
  if (!(s.gap <= reach)) return;
  const Vector origin = b.X.r;
  const Solid A(a, origin), B(b, origin);
  const std::size_t first = out.size();
  if (add_patches(A, B, s.normal, s.gap, origin, reach, out) <= s.gap || s.gap <= 0) return;
  // Apart, but not along any of those axes: a corner is nearest, to a corner or an edge.
  out.resize(first);
  add_contacts(A, B, find_approach(A, B, reach), origin, reach, out);
}

}  // namespace sinew::contact
