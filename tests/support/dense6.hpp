// tests/support/dense6.hpp - plain 6x6 arithmetic, the oracle that the compact forms are held against
#pragma once
#include <array>
#include <cmath>
#include <utility>

#include "sinew/spatial/dense.hpp"

namespace sinew::test {

using Dense = Mat6<double>;
using Array6 = std::array<double, 6>;

inline Dense dense_identity() {
  Dense out;
  for (int i = 0; i < 6; ++i) out(i, i) = 1;
  return out;
}
inline Dense operator*(const Dense& a, const Dense& b) {
  Dense out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) out(i, j) += a(i, k) * b(k, j);
  return out;
}
inline Array6 operator*(const Dense& a, const Array6& v) {
  Array6 out{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) out[std::size_t(i)] += a(i, k) * v[std::size_t(k)];
  return out;
}
inline Dense operator*(double s, Dense a) {
  for (auto& row : a.rows)
    for (double& x : row) x *= s;
  return a;
}
inline Dense operator+(Dense a, const Dense& b) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a(i, j) += b(i, j);
  return a;
}
inline Dense operator-(const Dense& a, const Dense& b) { return a + -1.0 * b; }
inline Dense transposed(const Dense& a) {
  Dense out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = a(j, i);
  return out;
}
// Gauss and Jordan with row pivots.
inline Dense inverted(Dense a) {
  Dense out = dense_identity();
  for (int k = 0; k < 6; ++k) {
    int p = k;
    for (int i = k + 1; i < 6; ++i)
      if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
    std::swap(a.rows[p], a.rows[k]);
    std::swap(out.rows[p], out.rows[k]);
    const double w = 1 / a(k, k);
    for (int j = 0; j < 6; ++j) a(k, j) *= w, out(k, j) *= w;
    for (int i = 0; i < 6; ++i) {
      const double f = i == k ? 0 : a(i, k);
      for (int j = 0; j < 6; ++j) a(i, j) -= f * a(k, j), out(i, j) -= f * out(k, j);
    }
  }
  return out;
}
inline double dot(const Array6& a, const Array6& b) {
  double out = 0;
  for (std::size_t i = 0; i < 6; ++i) out += a[i] * b[i];
  return out;
}

}  // namespace sinew::test
