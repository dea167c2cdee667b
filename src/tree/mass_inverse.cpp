// src/tree/mass_inverse.cpp
#include "sinew/tree/mass_inverse.hpp"

#include <algorithm>

#include "crba_driver.hpp"

namespace sinew {
namespace {

std::size_t padded_size(const Model& m) {
  return static_cast<std::size_t>(m.nv()) * static_cast<std::size_t>(padded_columns(m));
}

// Rows of N, `stride` apart.
template <class T>
struct Rows {
  T* data;
  int stride;
  T* operator[](int i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

// s = N b over the block begin .. end - 1. Runs over the end of s by less than a register.
template <class T>
void multiply_block(const Rows<T>& N, const T* b, int begin, int end, T* s) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  constexpr int kLanes = P::kLanes;
  int k = begin;
  for (; k + 2 * kLanes < end; k += 3 * kLanes) {
    V s0 = P::spread(T{}), s1 = s0, s2 = s0;
    for (int j = begin; j < end; ++j) {
      const V bj = P::spread(b[j]);
      const T* row = N[j] + k;
      s0 += bj * P::load(row);
      s1 += bj * P::load(row + kLanes);
      s2 += bj * P::load(row + 2 * kLanes);
    }
    P::store(s0, s + k, kLanes), P::store(s1, s + k + kLanes, kLanes), P::store(s2, s + k + 2 * kLanes, kLanes);
  }
  for (; k < end; k += kLanes) {
    V s0 = P::spread(T{});
    for (int j = begin; j < end; ++j) s0 += P::spread(b[j]) * P::load(N[j] + k);
    P::store(s0, s + k, kLanes);
  }
}

// b . s, a register of partial sums at a time; s is zero behind its end.
template <class T>
T dot_rows(const T* b, const T* s, int begin, int end) {
  using P = ColumnPack<T>;
  typename P::Type sum = P::spread(T{});
  for (int k = begin; k < end; k += P::kLanes) sum += P::load(b + k) * P::load(s + k);
  if constexpr (P::kLanes == 1) {
    return sum;
  } else {
    T total = sum[0];
    for (int k = 1; k < P::kLanes; ++k) total += sum[k];
    return total;
  }
}

// Freedom i joins the inverse over its subtree. b is row i of M.
template <class T>
void border(const DofTree& tree, const Rows<T>& N, int i, const T* b, T* s) {
  using P = ColumnPack<T>;
  const int begin = i + 1, end = tree.end(i);
  for (int c = begin; c < end; c = tree.end(c)) multiply_block(N, b, c, tree.end(c), s);
  std::fill_n(s + end, P::kLanes, T{});
  const T dinv = lit<T>(1) / (b[i] - dot_rows(b, s, begin, end));

  N[i][i] = dinv;
  for (int c = begin; c < end; c = tree.end(c)) {
    const int c_end = tree.end(c);
    for (int j = c; j < c_end; ++j) {
      T* row = N[j];
      if (c > begin || c_end < end) {  // nothing tied this block to its neighbours yet
        std::fill(row + begin, row + c, T{});
        std::fill(row + c_end, row + end, T{});
      }
      const T t = s[j] * dinv;
      const typename P::Type spread = P::spread(t);
      for (int k = begin; k < end; k += P::kLanes)
        P::store(P::load(row + k) + spread * P::load(s + k), row + k, P::kLanes);
      row[i] = -t;
      N[i][j] = -t;
    }
  }
}

}  // namespace

template <class T>
MassInverseWorkspace<T>::MassInverseWorkspace(const Model& m)
    : crba(m), N(padded_size(m) + 16), s(static_cast<std::size_t>(padded_columns(m))) {}

template <class T>
void calc_mass_inverse(const Model& m, MassInverseWorkspace<T>& ws, In<T> q, OutMatrix<T> Minv, double time) {
  check_size("calc_mass_inverse", "workspace", ws.N.size(), padded_size(m) + 16);
  check_positions("calc_mass_inverse", m, q.size());
  check_coordinates("calc_mass_inverse", "rows of Minv", m, Minv.rows());
  check_coordinates("calc_mass_inverse", "columns of Minv", m, Minv.cols());
  const DofTree& tree = m.dof_tree();
  const Rows<T> N{ws.N.data(), padded_columns(m)};
  run_crba<T>(m, ws.crba, q.data(), time,
              [&](int i, const T* b) SINEW_INLINE_LAMBDA { border(tree, N, i, b, ws.s.data()); });

  // To the order of the velocity coordinates; trees that hang on the world side by side have nothing between them.
  const int* v = tree.velocities().data();
  const bool several = tree.size() > 0 && tree.end(0) < tree.size();
  for (int c = 0; c < tree.size(); c = tree.end(c))
    for (int i = c; i < tree.end(c); ++i) {
      T* out = &Minv(static_cast<std::size_t>(v[i]), 0);
      if (several) std::fill_n(out, tree.size(), T{});
      for (int j = c; j < tree.end(c); ++j) out[v[j]] = N[i][j];
    }
}

#define SINEW_INSTANTIATE(T)               \
  template struct MassInverseWorkspace<T>; \
  template void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
