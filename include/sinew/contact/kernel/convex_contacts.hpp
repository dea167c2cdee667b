// sinew/contact/kernel/convex_contacts.hpp - contact points of two convex solids, for CPU and device
// What they find, and in which order: contact/collide.hpp. Points go to `out`:
//   out.add(point, normal, gap, feature_a, feature_b), out.size(), out.resize(n) to fewer.
#pragma once
#include "sinew/contact/kernel/approach.hpp"
#include "sinew/contact/kernel/patches.hpp"

namespace sinew::contact {

// Finds contact on a face without a search: if along the best face normal a point of one lies over the other, then no
// direction has a larger separation. They may overlap by the little that steps of a simulation leave.
SINEW_HD_CALLER
template <class Solid, class Out>
SINEW_HD bool put_face_contacts(const Solid& a, const Solid& b, const Vector& origin, double reach, Out& out) {
  const double size = a.extent() + b.extent();
  Facing faces_a, faces_b;
  const Vector d = a.centre() - b.centre();
  a.find_faces(-d, faces_a), b.find_faces(d, faces_b);
  double best = -1e-6 * size;
  Vector normal;
  const auto attempt = [&](const Vector& n) {
    if (const double s = calc_separation(a, b, n); s > best) best = s, normal = n;
  };
  for (int i = 0; i < faces_b.faces; ++i) attempt(faces_b.normals[i]);
  for (int i = 0; i < faces_a.faces; ++i) attempt(-faces_a.normals[i]);
  if (best > reach) return true;
  if (!(dot(normal, normal) > 0)) return false;
  const auto first = out.size();
  const double sags = a.patch_sags(normal) + b.patch_sags(normal);
  if (put_patches(a, b, normal, best, origin, reach, out) <= best + sags) return true;
  out.resize(first);
  return false;
}

// Any two solids.
SINEW_HD_CALLER
template <class Solid, class Out>
SINEW_HD void convex_on_convex(const Solid& a, const Solid& b, const Vector& origin, double reach, Out& out) {
  if (put_face_contacts(a, b, origin, reach, out)) return;
  put_contacts(a, b, ApproachSearch<Solid>(a, b).run(reach), origin, reach, out);
}

struct BoxSeparation {
  double gap = -INFINITY;
  Vector normal;  // from b to a
};

// The largest over face normals and cross products of edges [Gottschalk, Lin, Manocha 1996]. Faces win ties.
SINEW_HD BoxSeparation find_box_separation(const PlacedSize<double>& a, const PlacedSize<double>& b) {
  using std::abs;
  using std::sqrt;
  const Mat3<double> R = a.X.E.m * transpose(b.X.E.m);  // rows: a's axes, columns: b's
  const double c[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
  const Vector d = a.X.r - b.X.r, da = apply(a.X.E, d), db = apply(b.X.E, d);
  const double from_a[] = {da.x, da.y, da.z}, from_b[] = {db.x, db.y, db.z};
  const double *p = a.size, *q = b.size;
  const double tie = 1e-12 * (p[0] + p[1] + p[2] + q[0] + q[1] + q[2]);
  double absolute[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) absolute[i][j] = abs(c[i][j]);
  BoxSeparation best;
  const auto attempt = [&](double offset, double extents, auto&& axis) {
    const double gap = abs(offset) - extents;
    if (gap > best.gap + tie) best = {gap, offset < 0 ? -axis() : axis()};
  };
  for (int k = 0; k < 3; ++k)
    attempt(from_b[k], q[k] + p[0] * absolute[0][k] + p[1] * absolute[1][k] + p[2] * absolute[2][k],
            [&] { return axis_of(b.X, k); });
  for (int k = 0; k < 3; ++k)
    attempt(from_a[k], p[k] + q[0] * absolute[k][0] + q[1] * absolute[k][1] + q[2] * absolute[k][2],
            [&] { return axis_of(a.X, k); });
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double square = c[i1][j] * c[i1][j] + c[i2][j] * c[i2][j];  // not 1 - c_ij^2, which cancels
      if (square < 1e-12) continue;
      const double s = 1 / sqrt(square);
      const double offset = from_a[i2] * c[i1][j] - from_a[i1] * c[i2][j];
      const double extents =
          p[i1] * absolute[i2][j] + p[i2] * absolute[i1][j] + q[j1] * absolute[i][j2] + q[j2] * absolute[i][j1];
      attempt(s * offset, s * extents, [&] { return s * cross(axis_of(a.X, i), axis_of(b.X, j)); });
    }
  return best;
}

// The axis of the largest separation, then the faces that look along it. A and B: the solids of a and b.
SINEW_HD_CALLER
template <class Solid, class Out>
SINEW_HD void box_on_box(const PlacedSize<double>& a, const PlacedSize<double>& b, const Solid& A, const Solid& B,
                         const Vector& origin, double reach, Out& out) {
  const BoxSeparation s = find_box_separation(a, b);
  if (!(s.gap <= reach)) return;
  const auto first = out.size();
  if (put_patches(A, B, s.normal, s.gap, origin, reach, out) <= s.gap || s.gap <= 0) return;
  // Apart, but not along any of those axes: a corner is nearest, to a corner or an edge.
  out.resize(first);
  put_contacts(A, B, ApproachSearch<Solid>(A, B).run(reach), origin, reach, out);
}

}  // namespace sinew::contact
