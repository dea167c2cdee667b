// sinew/tree/kernel/row_strip.hpp - the inner loop of the sparse factorizations, kept in registers
// Row i of a packed matrix (model/dof_tree.hpp) gathers from every row k below it:
//   H_i[j] -= H_k[p] H_k[j],   j in a strip of up to 16 entries, p = depth(i).
// The strip of H_i is read once, changed by all descendants and written once. Two doubles, four doubles or eight go
// through one instruction, whatever the machine has; the order of the operations is the same everywhere.
#pragma once
#include <type_traits>

#include "sinew/base/pack.hpp"
#include "sinew/model/dof_tree.hpp"

namespace sinew::detail {

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

template <int W, class T>
SINEW_HD void gather_strip(const DofTree& tree, T* H, int i, int j) {
  const int p = tree.depth(i);
  T* s = H + tree.row(i) + j;
  Strip<T, W> strip;
  strip.load(s);
  for (int k = i + 1; k < tree.end(i); ++k) {
    const T* r = H + tree.row(k);
    strip.subtract(r[p], r + j);
  }
  strip.store(s);
}

// The first `count` entries of row i.
template <class T>
void gather_from_descendants(const DofTree& tree, T* H, int i, int count) {
  if (tree.end(i) == i + 1) return;
  int j = 0;
  for (; j + 16 <= count; j += 16) gather_strip<16>(tree, H, i, j);
  switch (count - j) {
    case 1: gather_strip<1>(tree, H, i, j); break;
    case 2: gather_strip<2>(tree, H, i, j); break;
    case 3: gather_strip<3>(tree, H, i, j); break;
    case 4: gather_strip<4>(tree, H, i, j); break;
    case 5: gather_strip<5>(tree, H, i, j); break;
    case 6: gather_strip<6>(tree, H, i, j); break;
    case 7: gather_strip<7>(tree, H, i, j); break;
    case 8: gather_strip<8>(tree, H, i, j); break;
    case 9: gather_strip<9>(tree, H, i, j); break;
    case 10: gather_strip<10>(tree, H, i, j); break;
    case 11: gather_strip<11>(tree, H, i, j); break;
    case 12: gather_strip<12>(tree, H, i, j); break;
    case 13: gather_strip<13>(tree, H, i, j); break;
    case 14: gather_strip<14>(tree, H, i, j); break;
    case 15: gather_strip<15>(tree, H, i, j); break;
    default: break;
  }
}
// Where each number is a pack, a dual or counted, four at a time will do.
template <class T>
  requires(!std::is_floating_point_v<T>)
void gather_from_descendants(const DofTree& tree, T* H, int i, int count) {
  int j = 0;
  for (; j + 4 <= count; j += 4) gather_strip<4>(tree, H, i, j);
  for (; j < count; ++j) gather_strip<1>(tree, H, i, j);
}

}  // namespace sinew::detail
