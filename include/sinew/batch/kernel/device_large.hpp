// sinew/batch/kernel/device_large.hpp - matrices of large friction problems, by a team that is a block of warps
// They lie in the memory of a device, column by column: items side by side are rows, so that lanes read and write what
// lies side by side. Elimination takes panels of columns: the matrix is read and written once for each of these.
#pragma once
#include "sinew/batch/kernel/device_one_contact.hpp"

namespace sinew::device {

inline constexpr int kStripes = 4;  // of columns, which lanes take side by side

// f(i, j) for all i < n and j < m.
template <class Team, class F>
SINEW_HD void each_entry(const Team& team, int n, int m, F&& f) {
  team.each(n * kStripes, [&](int item) {
    const int i = item % n;
    for (int j = item / n; j < m; j += kStripes) f(i, j);
  });
}

// W = Y Y^T; Y has `width` columns of `step` numbers.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void multiply_rows(const Team& team, const LawData<R>& p, const R* Y, int width, int step) {
  const int last = p.rows - 1;
  each_entry(team, p.rows, (p.rows + 3) / 4, [&](int r, int four) {  // four at a time, for each number that is loaded
    const int c = 4 * four, c1 = c < last ? c + 1 : last, c2 = c1 < last ? c1 + 1 : last,
              c3 = c2 < last ? c2 + 1 : last;
    R s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int k = 0; k < width; ++k) {
      const R* x = Y + k * step;
      const R a = x[r];
      s0 += a * x[c], s1 += a * x[c1], s2 += a * x[c2], s3 += a * x[c3];
    }
    R* W = p.W + r;
    W[c * p.stride] = s0, W[c1 * p.stride] = s1, W[c2 * p.stride] = s2, W[c3 * p.stride] = s3;
  });
}

// The matrix of a Newton step (device_newton.hpp). Where unknowns outnumber freedoms it is singular but for the shift.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void write_newton_matrix(const Team& team, const LawData<R>& d, int n, R shift) {
  if (n > d.motions) shift = max(shift, LawNumbers<R>::kShiftOfMany);
  each_entry(team, n, n, [&](int i, int j) {
    const LawUnknown<R> line = d.unknown[i], c = d.unknown[j];
    const R* W = d.W + c.row * d.stride + line.row;  // symmetric
    const int more = line.l1 != 0 ? 1 : 0;
    R sum = c.c0 * (line.l0 * W[0] + line.l1 * W[more]);
    if (c.c1 != 0 || c.c2 != 0) W += d.stride, sum += c.c1 * (line.l0 * W[0] + line.l1 * W[more]);
    if (c.c2 != 0) W += d.stride, sum += c.c2 * (line.l0 * W[0] + line.l1 * W[more]);
    d.A[j * d.stride_of_A + i] = sum + (i == j ? line.more + shift : R(0));
  });
}

// A y = rhs, which is column n, by the largest entry of each column; y is then in u. Rows stay where they are.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool eliminate_by_panels(const Team& team, int n, const LawData<R>& d) {
  using std::abs;
  const int step = d.stride_of_A;
  R* panel = d.panel;                // (kPanel x n) its columns, then what each row takes off of each pivot row
  R* pivots = d.panel + kPanel * n;  // (n + 1 x kPanel) pivot rows, as they were when their turn came
  team.each(n, [&](int i) { d.used[i] = 0; });
  for (int j = 0; j < n; j += kPanel) {
    const int width = n - j < kPanel ? n - j : kPanel, after = j + width, rest = n + 1 - after;
    team.each(n, [&](int i) {
      for (int k = 0; k < kPanel; ++k) panel[k * n + i] = k < width ? d.A[(j + k) * step + i] : R(0);
    });
    for (int k = 0; k < width; ++k) {
      R* column = panel + k * n;
      const int p = team.find_largest(n, [&](int i) { return d.used[i] != 0 ? R(-1) : abs(column[i]); });
      const R pivot = column[p];
      if (!(abs(pivot) > LawNumbers<R>::kLeastPivot) || !(abs(pivot) < Numbers<R>::kLargest)) return false;
      const R inverse = 1 / pivot;
      team.each(n, [&](int i) {
        if (i == p) return;
        const R f = column[i] * inverse;
        for (int c = k + 1; c < width; ++c) panel[c * n + i] -= f * panel[c * n + p];
        column[i] = f;
      });
      team.one([&] { d.used[p] = 1, d.pivot[j + k] = p, column[p] = 0, d.A[(j + k) * step + p] = pivot; });
    }
    team.each(rest, [&](int c) {
      const R* column = d.A + (after + c) * step;
      R* to = pivots + c * kPanel;
      for (int k = 0; k < kPanel; ++k) {
        const int p = k < width ? d.pivot[j + k] : 0;
        R sum = k < width ? column[p] : R(0);
        for (int l = 0; l < k; ++l) sum -= panel[l * n + p] * to[l];
        to[k] = k < width ? sum : R(0);
      }
    });
    team.each(n * kStripes, [&](int item) {
      const int i = item % n;
      R f[kPanel];
      for (int k = 0; k < kPanel; ++k) f[k] = panel[k * n + i];
      for (int c = item / n; c < rest; c += kStripes) {
        const R* by = pivots + c * kPanel;
        R sum = d.A[(after + c) * step + i];
        for (int k = 0; k < kPanel; ++k) sum -= f[k] * by[k];
        d.A[(after + c) * step + i] = sum;
      }
    });
  }
  team.each(n, [&](int j) {
    const int p = d.pivot[j];
    d.u[j] = d.A[n * step + p] / d.A[j * step + p];
  });
  return true;
}

}  // namespace sinew::device
