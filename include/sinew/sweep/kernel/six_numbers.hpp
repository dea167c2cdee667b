// sinew/sweep/kernel/six_numbers.hpp - the six numbers of a spatial vector in as few registers as hold them
// In memory zeros follow, up to whole registers. A 6 x 6 matrix is six of them, its rows.
#pragma once
#include "sinew/base/unroll.hpp"
#include "sinew/sweep/kernel/joint_axes.hpp"

namespace sinew {

template <class T>
struct SixNumbers {
  using P = AlignedPack<T>;
  static constexpr int kParts = (6 + P::kLanes - 1) / P::kLanes;
  static constexpr int kNumbers = kParts * P::kLanes;
  typename P::Type part[kParts];

  static SINEW_HD SixNumbers load(const T* from) {
    SixNumbers out;
    unroll<kParts>([&](auto k) SINEW_INLINE_LAMBDA { out.part[k] = P::load(from + k * P::kLanes); });
    return out;
  }
  SINEW_HD void store(T* to) const {
    unroll<kParts>([&](auto k) SINEW_INLINE_LAMBDA { P::store(part[k], to + k * P::kLanes); });
  }
  friend SINEW_HD SixNumbers operator+(SixNumbers a, const SixNumbers& b) {
    unroll<kParts>([&](auto k) SINEW_INLINE_LAMBDA { a.part[k] = a.part[k] + b.part[k]; });
    return a;
  }
  friend SINEW_HD SixNumbers operator-(SixNumbers a, const SixNumbers& b) {
    unroll<kParts>([&](auto k) SINEW_INLINE_LAMBDA { a.part[k] = a.part[k] - b.part[k]; });
    return a;
  }
  friend SINEW_HD SixNumbers operator*(const T& f, SixNumbers a) {
    const auto by = P::spread(f);
    unroll<kParts>([&](auto k) SINEW_INLINE_LAMBDA { a.part[k] = by * a.part[k]; });
    return a;
  }
};
template <class T>
using PaddedSix = T[SixNumbers<T>::kNumbers];

namespace detail {
template <class T>
SINEW_HD Motion<T> to_motion(const T* x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
template <class T>
SINEW_HD Force<T> to_force(const T* x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
template <class V, class T>
SINEW_HD void put_six(const V& x, T* to) {
  unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { to[r] = component<r>(x); });
}
template <class T>
SINEW_HD T dot_six(const T* a, const T* b) {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}
// The sum of x_r times row r.
template <class T>
SINEW_HD SixNumbers<T> sum_rows(const SixNumbers<T> (&rows)[6], const T* x) {
  return ((x[0] * rows[0] + x[1] * rows[1]) + (x[2] * rows[2] + x[3] * rows[3])) + (x[4] * rows[4] + x[5] * rows[5]);
}
template <class T>
SINEW_HD void load_rows(const PaddedSix<T>* from, SixNumbers<T> (&rows)[6]) {
  unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { rows[r] = SixNumbers<T>::load(from[r]); });
}
}  // namespace detail

}  // namespace sinew
