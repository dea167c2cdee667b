// sinew/sweep/kernel/columns.hpp - many vectors across one link at once
// Forces or motions that belong to the freedoms of a tree lie side by side, component by component; a subtree is a run
// of columns. In double and float a whole register of columns crosses the link together.
#pragma once
#include <type_traits>

#include "sinew/base/scalars.hpp"
#include "sinew/sweep/kernel/crossing.hpp"

namespace sinew {

// Runs of columns begin anywhere and are short: a register of 64 bytes that is not aligned lies across two lines of the
// cache, and takes twice as long to load. Rows that are aligned use whole registers: AlignedPack.
inline constexpr int kColumnBytes = SINEW_PACK_BYTES < 32 ? SINEW_PACK_BYTES : 32;

// The scalar that holds several columns. Rows need room for one register more than they have columns.
template <class T, int kBytes = kColumnBytes>
struct ColumnPack {
  using Type = T;
  static constexpr int kLanes = 1;
  static SINEW_HD T load(const T* from) { return *from; }
  static SINEW_HD void store(const T& x, T* to) { *to = x; }
  static SINEW_HD T first(int, const T& x, const T&) { return x; }
  static SINEW_HD T spread(const T& x) { return x; }
  using Lanes = bool;
  static SINEW_HD Lanes lanes(int begin, int end) { return begin <= 0 && end > 0; }
  static SINEW_HD T choose(const Lanes& of_x, const T& x, const T& y) { return of_x ? x : y; }
};
#if !defined(__CUDACC__)
template <class T, int kBytes>
  requires std::is_floating_point_v<T>
struct ColumnPack<T, kBytes> {
  using Type = Pack<T, kBytes / int(sizeof(T))>;
  static constexpr int kLanes = ScalarTraits<Type>::kLanes;
  static SINEW_HD Type load(const T* from) { return Type::load(from); }
  static SINEW_HD void store(const Type& x, T* to) { x.store(to); }
  // x in the first `count` lanes, y in the others.
  static SINEW_HD Type first(int count, const Type& x, const Type& y) {
    Type lanes;
    for (int k = 0; k < kLanes; ++k) lanes.v[k] = T(k);
    return select(lanes < Type(T(count)), x, y);
  }
  static SINEW_HD Type spread(const T& x) { return Type(x); }
  // Lanes begin .. end - 1, and x there, y elsewhere.
  using Lanes = Mask<T, kBytes / int(sizeof(T))>;
  static SINEW_HD Lanes lanes(int begin, int end) {
    Type lanes;
    for (int k = 0; k < kLanes; ++k) lanes.v[k] = T(k);
    return (lanes >= Type(T(begin))) & (lanes < Type(T(end)));
  }
  static SINEW_HD Type choose(const Lanes& of_x, const Type& x, const Type& y) { return select(of_x, x, y); }
};
#endif
template <class T>
using AlignedPack = ColumnPack<T, SINEW_PACK_BYTES>;

template <class T>
SINEW_HD Transform<typename ColumnPack<T>::Type> spread_transform(const Transform<T>& X) {
  using P = ColumnPack<T>;
  const Mat3<T>& E = X.E.m;
  return {{{P::spread(E.xx), P::spread(E.xy), P::spread(E.xz), P::spread(E.yx), P::spread(E.yy), P::spread(E.yz),
            P::spread(E.zx), P::spread(E.zy), P::spread(E.zz)}},
          {P::spread(X.r.x), P::spread(X.r.y), P::spread(X.r.z)}};
}

// Six rows, `stride` apart.
template <class T>
struct SpatialColumns {
  T* data = nullptr;
  int stride = 0;
  SINEW_HD T* row(int component) const { return data + component * stride; }
  SINEW_HD void set(int column, const Force<T>& f) const {
    row(0)[column] = f.ang.x, row(1)[column] = f.ang.y, row(2)[column] = f.ang.z;
    row(3)[column] = f.lin.x, row(4)[column] = f.lin.y, row(5)[column] = f.lin.z;
  }
  template <template <class> class Vector>
  SINEW_HD Vector<typename ColumnPack<T>::Type> load(int j) const {
    using P = ColumnPack<T>;
    return {{P::load(row(0) + j), P::load(row(1) + j), P::load(row(2) + j)},
            {P::load(row(3) + j), P::load(row(4) + j), P::load(row(5) + j)}};
  }
  template <class V>
  SINEW_HD void store(int j, const V& x) const {
    using P = ColumnPack<T>;
    P::store(x.ang.x, row(0) + j), P::store(x.ang.y, row(1) + j), P::store(x.ang.z, row(2) + j);
    P::store(x.lin.x, row(3) + j), P::store(x.lin.y, row(4) + j), P::store(x.lin.z, row(5) + j);
  }
};

// x = f(j, x) for the columns begin .. end - 1, several at a time from column j on. Columns from `end` on are kept.
SINEW_HD_CALLER
template <template <class> class Vector, class T, class F>
SINEW_HD void for_each_column(const SpatialColumns<T>& x, int begin, int end, F&& f) {
  using P = ColumnPack<T>;
  int j = begin;
  for (; j + P::kLanes <= end; j += P::kLanes) x.store(j, f(j, x.template load<Vector>(j)));
  if (j < end) {
    const Vector<typename P::Type> old = x.template load<Vector>(j), y = f(j, old);
    const int count = end - j;
    x.store(j, Vector<typename P::Type>{{P::first(count, y.ang.x, old.ang.x), P::first(count, y.ang.y, old.ang.y),
                                         P::first(count, y.ang.z, old.ang.z)},
                                        {P::first(count, y.lin.x, old.lin.x), P::first(count, y.lin.y, old.lin.y),
                                         P::first(count, y.lin.z, old.lin.z)}});
  }
}
// to = f(j, from) for the columns begin .. end - 1; columns of `to` from `end` on may change.
SINEW_HD_CALLER
template <template <class> class Vector, class T, class F>
SINEW_HD void move_columns(const SpatialColumns<T>& from, const SpatialColumns<T>& to, int begin, int end, F&& f) {
  for (int j = begin; j < end; j += ColumnPack<T>::kLanes) to.store(j, f(j, from.template load<Vector>(j)));
}

}  // namespace sinew
