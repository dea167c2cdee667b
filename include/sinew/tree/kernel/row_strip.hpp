// sinew/tree/kernel/row_strip.hpp - the inner loop of the sparse factorizations, kept in registers
// Row i of a packed matrix (model/dof_tree.hpp) gathers from every row k below it:
//   H_i[j] -= H_k[p] H_k[j],   j in a strip of up to 16 entries, p = depth(i).
// The strip of H_i is read once, changed by all descendants and written once. One instruction works on two, four or
// eight doubles, as wide as the machine's registers are; the order of the operations is the same on every machine.
#pragma once
#include <type_traits>

#include "sinew/linear/kernel/strip.hpp"
#include "sinew/model/dof_tree.hpp"

namespace sinew::detail {

template <int W, class T>
SINEW_HD void gather_strip(const DofTree& tree, T* H, int i, int j) {
  const int p = tree.depth(i);
  T* s = H + tree.row(i) + j;
  linear::Strip<T, W> strip;
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
// Where each number is a pack, a dual or counted, four at a time are enough.
template <class T>
  requires(!std::is_floating_point_v<T>)
void gather_from_descendants(const DofTree& tree, T* H, int i, int count) {
  int j = 0;
  for (; j + 4 <= count; j += 4) gather_strip<4>(tree, H, i, j);
  for (; j < count; ++j) gather_strip<1>(tree, H, i, j);
}

}  // namespace sinew::detail
