// sinew/spatial/dense.hpp - 6x6 matrices of the spatial operators, for users who want to look at them and for tests
// Angular above linear. Algorithms do not use them: they use the compact forms.
#pragma once
#include <array>

#include "sinew/spatial/inverse_inertia.hpp"

namespace sinew {

// A 6 x 6 matrix.
template <class T>
struct Mat6 {
  T rows[6][6] = {};
  SINEW_HD T& operator()(int i, int j) { return rows[i][j]; }
  SINEW_HD const T& operator()(int i, int j) const { return rows[i][j]; }
};

namespace detail {
template <class T>
SINEW_HD void set_block(Mat6<T>& out, int i, int j, const Mat3<T>& a) {
  const T e[9] = {a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz};
  for (int k = 0; k < 9; ++k) out(i + k / 3, j + k % 3) = e[k];
}
template <class T>
SINEW_HD Mat3<T> get_block(const Mat6<T>& a, int i, int j) {
  return {a(i, j),         a(i, j + 1), a(i, j + 2),     a(i + 1, j),    a(i + 1, j + 1),
          a(i + 1, j + 2), a(i + 2, j), a(i + 2, j + 1), a(i + 2, j + 2)};
}
template <class T>
SINEW_HD Mat6<T> blocks(const Mat3<T>& a, const Mat3<T>& b, const Mat3<T>& c, const Mat3<T>& d) {
  Mat6<T> out;
  set_block(out, 0, 0, a), set_block(out, 0, 3, b), set_block(out, 3, 0, c), set_block(out, 3, 3, d);
  return out;
}
}  // namespace detail

// Six numbers, angular ones first, and back.
template <class T>
constexpr std::array<T, 6> to_array(const Motion<T>& v) {
  return {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
}
template <class T>
constexpr std::array<T, 6> to_array(const Force<T>& f) {
  return {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
}
template <class T>
constexpr Motion<T> to_motion(const std::array<T, 6>& a) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}
template <class T>
constexpr Force<T> to_force(const std::array<T, 6>& a) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

// ^B X_A for motions [F08 2.24] and ^B X_A^* for forces [F08 2.25].
template <class T>
SINEW_HD Mat6<T> to_dense(const Transform<T>& X) {
  return detail::blocks(X.E.m, Mat3<T>{}, X.E.m * skew(-X.r), X.E.m);
}
template <class T>
SINEW_HD Mat6<T> to_dense_force(const Transform<T>& X) {
  return detail::blocks(X.E.m, X.E.m * skew(-X.r), Mat3<T>{}, X.E.m);
}
// v x [F08 2.31] and v x* [F08 2.32].
template <class T>
SINEW_HD Mat6<T> to_dense_cross(const Motion<T>& v) {
  return detail::blocks(skew(v.ang), Mat3<T>{}, skew(v.lin), skew(v.ang));
}
template <class T>
SINEW_HD Mat6<T> to_dense_cross_force(const Motion<T>& v) {
  return detail::blocks(skew(v.ang), skew(v.lin), Mat3<T>{}, skew(v.ang));
}
template <class T>
SINEW_HD Mat6<T> to_dense(const ArticulatedInertia<T>& a) {
  return detail::blocks(to_mat3(a.I), a.H, transpose(a.H), to_mat3(a.M));
}
template <class T>
SINEW_HD Mat6<T> to_dense(const RigidInertia<T>& a) {
  return to_dense(to_articulated(a));  // [F08 2.63]
}
template <class T>
SINEW_HD Mat6<T> to_dense(const InverseInertia<T>& a) {
  return detail::blocks(to_mat3(a.A), a.B, transpose(a.B), to_mat3(a.C));
}

// Back again. Of a symmetric block the lower triangle is read; nothing is checked.
template <class T>
SINEW_HD Transform<T> transform_from_dense(const Mat6<T>& a) {
  const Mat3<T> E = detail::get_block(a, 0, 0), S = transpose(E) * detail::get_block(a, 3, 0);  // -r x
  return {{E}, {S.yz, S.zx, S.xy}};
}
template <class T>
SINEW_HD ArticulatedInertia<T> articulated_from_dense(const Mat6<T>& a) {
  return {lower_triangle(detail::get_block(a, 3, 3)), detail::get_block(a, 0, 3),
          lower_triangle(detail::get_block(a, 0, 0))};
}
template <class T>
SINEW_HD RigidInertia<T> rigid_from_dense(const Mat6<T>& a) {
  return {a(3, 3), {a(2, 4), a(0, 5), a(1, 3)}, lower_triangle(detail::get_block(a, 0, 0))};
}

}  // namespace sinew
