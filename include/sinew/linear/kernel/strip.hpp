// sinew/linear/kernel/strip.hpp - a strip of a row, kept in registers while rows are subtracted from it
// One instruction works on two, four or eight doubles, as wide as the machine's registers are; the order of the
// operations is the same on every machine.
#pragma once
#include <type_traits>

#include "sinew/base/pack.hpp"

namespace sinew::linear {

// W numbers: in vector registers where T is one plain number, else one by one.
template <class T, int W>
struct Block {
  T x[W];
  SINEW_HD void load(const T* from) {
    for (int w = 0; w < W; ++w) x[w] = from[w];
  }
  SINEW_HD void subtract(const T& a, const T* r) {
    for (int w = 0; w < W; ++w) x[w] -= a * r[w];
  }
  SINEW_HD void store(T* to) const {
    for (int w = 0; w < W; ++w) to[w] = x[w];
  }
};
template <class T, int W>
  requires(std::is_floating_point_v<T> && W * sizeof(T) >= 16)
struct Block<T, W> {
  static constexpr int kLanes = W * int(sizeof(T)) < SINEW_PACK_BYTES ? W : SINEW_PACK_BYTES / int(sizeof(T));
  static constexpr int kPacks = W / kLanes;
  using P = Pack<T, kLanes>;
  P x[kPacks];
  SINEW_HD void load(const T* from) {
    for (int c = 0; c < kPacks; ++c) x[c] = P::load(from + c * kLanes);
  }
  SINEW_HD void subtract(const T& a, const T* r) {
    for (int c = 0; c < kPacks; ++c) x[c] -= P(a) * P::load(r + c * kLanes);
  }
  SINEW_HD void store(T* to) const {
    for (int c = 0; c < kPacks; ++c) x[c].store(to + c * kLanes);
  }
};
template <class T>
struct Block<T, 0> {
  SINEW_HD void load(const T*) {}
  SINEW_HD void subtract(const T&, const T*) {}
  SINEW_HD void store(T*) const {}
};

// W <= 16 numbers as blocks of 16, 8, 4, 2 and 1.
template <class T, int W>
struct Strip {
  Block<T, W & 16> b16;
  Block<T, W & 8> b8;
  Block<T, W & 4> b4;
  Block<T, W & 2> b2;
  Block<T, W & 1> b1;
  static constexpr int k8 = W & 16, k4 = W & 24, k2 = W & 28, k1 = W & 30;  // where each block begins

  SINEW_HD void load(const T* s) { b16.load(s), b8.load(s + k8), b4.load(s + k4), b2.load(s + k2), b1.load(s + k1); }
  SINEW_HD void subtract(const T& a, const T* r) {
    b16.subtract(a, r), b8.subtract(a, r + k8), b4.subtract(a, r + k4), b2.subtract(a, r + k2), b1.subtract(a, r + k1);
  }
  SINEW_HD void store(T* s) const {
    b16.store(s), b8.store(s + k8), b4.store(s + k4), b2.store(s + k2), b1.store(s + k1);
  }
};

}  // namespace sinew::linear
