// sinew/delassus/kernel/column_steps.hpp - a run of columns across one joint of any kind
// For the algorithms that take each step by itself; pv_sweeps fuses them.
#pragma once
#include "sinew/tree/kernel/articulated_sweep.hpp"

namespace sinew::delassus {

template <class T, class R>
struct JointView {
  const Link<R>& link;
  Turn<T> turn;              // one-axis joints
  T shift;                   // along the axis
  const GeneralJoint<T>* g;  // any other; null for one-axis joints

  SINEW_HD Motion<T> axis(int k) const { return g ? g->S[k] : sinew::detail::axial_motion<T>(link); }
};

// F = X^T F: forces, link to parent.
template <class T, class R>
void pull_in(const JointView<T, R>& j, const SpatialColumns<T>& F, int begin, int end) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  if (j.g) {
    const Transform<V> X = spread_transform<T>(j.g->X);
    for_each_column<Force>(F, begin, end, [&](int, const Force<V>& f) { return apply_inverse(X, f); });
    return;
  }
  const V c = P::spread(j.turn.c), s = P::spread(j.turn.s), d = P::spread(j.shift);
  dispatch_twist(j.link, [&](auto K) {
    for_each_column<Force>(F, begin, end,
                           [&](int, const Force<V>& f) { return to_parent<K.value>(j.link, c, s, d, f); });
  });
}
// to = X from: motions, parent to link. Columns of `to` after these may change.
template <class T, class R>
void push_out(const JointView<T, R>& j, const SpatialColumns<T>& from, const SpatialColumns<T>& to, int begin,
              int end) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  if (j.g) {
    const Transform<V> X = spread_transform<T>(j.g->X);
    move_columns<Motion>(from, to, begin, end, [&](int, const Motion<V>& a) { return apply(X, a); });
    return;
  }
  const V c = P::spread(j.turn.c), s = P::spread(j.turn.s), d = P::spread(j.shift);
  dispatch_twist(j.link, [&](auto K) {
    move_columns<Motion>(from, to, begin, end,
                         [&](int, const Motion<V>& a) { return to_link<K.value>(j.link, c, s, d, a); });
  });
}
// row = S^T F.
template <class T>
void project(const Motion<T>& S, const SpatialColumns<T>& F, int begin, int end, T* row) {
  using P = ColumnPack<T>;
  const auto axis = sinew::detail::along(S);
  for (int c = begin; c < end; c += P::kLanes) P::store(axis.project(F.template load<Force>(c)), row + c);
}
// A = A + S (row - k^T A): the freedom follows; row is null where no force acts below.
template <class T>
void follow(const Motion<T>& S, const Force<T>& k, const T* row, const SpatialColumns<T>& A, int begin, int end) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  const auto axis = sinew::detail::along(S);
  const Force<V> K = sinew::detail::spread(k);
  for_each_column<Motion>(A, begin, end, [&](int c, const Motion<V>& a) {
    const V pull = axis.pull(K, a);
    return axis.follow(a, row ? P::load(row + c) - pull : -pull);
  });
}
// The sum over components of left_p . right_q.
template <class T>
T product(const SpatialColumns<T>& left, int p, const SpatialColumns<T>& right, int q) {
  T sum = left.row(0)[p] * right.row(0)[q];
  for (int c = 1; c < 6; ++c) sum = sum + left.row(c)[p] * right.row(c)[q];
  return sum;
}

}  // namespace sinew::delassus
