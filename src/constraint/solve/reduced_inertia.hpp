// src/constraint/solve/reduced_inertia.hpp - G^T H G, passing over the zeros of G: gears and clusters make it sparse
// [F08 section 9.6]
#pragma once
#include <algorithm>

namespace sinew {

// H: n x n, symmetric. G and HG by columns, `free` of them. set(i, j, value) takes the upper triangle.
template <class T, class Set>
void calc_reduced_inertia(const T* H, const T* G, int n, int free, T* HG, Set set) {
  for (int j = 0; j < free; ++j) {
    const T* g = G + j * n;
    T* h = HG + j * n;
    std::fill(h, h + n, T{});
    for (int p = 0; p < n; ++p)
      if (!(g[p] == T{}))
        for (int i = 0; i < n; ++i) h[i] += g[p] * H[p * n + i];
    for (int i = 0; i <= j; ++i) {
      T sum{};
      for (int p = 0; p < n; ++p)
        if (!(G[i * n + p] == T{})) sum += G[i * n + p] * h[p];
      set(i, j, sum);
    }
  }
}

}  // namespace sinew
