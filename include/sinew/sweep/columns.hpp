// sinew/sweep/columns.hpp - many vectors across one link at once
// Forces that belong to the freedoms of a subtree lie side by side, component by component; the subtree is a run of
// columns. In double and float a whole register of columns crosses the link together.
#pragma once
#include <type_traits>

#include "sinew/base/scalars.hpp"
#include "sinew/sweep/crossing.hpp"

namespace sinew {

// The scalar that holds several columns.
template <class T>
struct ColumnPack {
  using Type = T;
  static constexpr int kLanes = 1;
  static SINEW_HD T load(const T* from) { return *from; }
  static SINEW_HD void store(const T& x, T* to, int) { *to = x; }
  static SINEW_HD T spread(const T& x) { return x; }
};
#if !defined(__CUDACC__)
template <class T>
  requires std::is_floating_point_v<T>
struct ColumnPack<T> {
  using Type = NativePack<T>;
  static constexpr int kLanes = ScalarTraits<Type>::kLanes;
  static SINEW_HD Type load(const T* from) { return Type::load(from); }
  static SINEW_HD void store(const Type& x, T* to, int count) {  // only the first `count` lanes
    if (count >= kLanes) return x.store(to);
    for (int k = 0; k < count; ++k) to[k] = x[k];
  }
  static SINEW_HD Type spread(const T& x) { return Type(x); }
};
#endif

// Six rows, `stride` apart; rows have room for one register more than they have columns.
template <class T>
struct ForceColumns {
  T* data;
  int stride;
  SINEW_HD T* row(int component) const { return data + component * stride; }
  SINEW_HD void set(int column, const Force<T>& f) const {
    row(0)[column] = f.ang.x, row(1)[column] = f.ang.y, row(2)[column] = f.ang.z;
    row(3)[column] = f.lin.x, row(4)[column] = f.lin.y, row(5)[column] = f.lin.z;
  }
};

// cross(P, force) for the columns begin .. end - 1, P the type that holds several of them.
SINEW_HD_CALLER
template <class T, class F>
SINEW_HD void for_each_column(const ForceColumns<T>& f, int begin, int end, F&& cross) {
  using P = ColumnPack<T>;
  for (int j = begin; j < end; j += P::kLanes) {
    const Force<typename P::Type> in{{P::load(f.row(0) + j), P::load(f.row(1) + j), P::load(f.row(2) + j)},
                                     {P::load(f.row(3) + j), P::load(f.row(4) + j), P::load(f.row(5) + j)}};
    const Force<typename P::Type> out = cross(in);
    const int count = end - j;
    P::store(out.ang.x, f.row(0) + j, count), P::store(out.ang.y, f.row(1) + j, count);
    P::store(out.ang.z, f.row(2) + j, count), P::store(out.lin.x, f.row(3) + j, count);
    P::store(out.lin.y, f.row(4) + j, count), P::store(out.lin.z, f.row(5) + j, count);
  }
}

}  // namespace sinew
