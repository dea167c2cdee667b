// src/lcp/gauss_seidel.cpp
#include "sinew/lcp/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

// Contacts whose own block is singular (the tip of a pendulum) get a small proximal shift.
constexpr double kShift = 1e-9;

bool is_nearly_singular(const double* A) {
  const double determinant =
      A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
  return !(determinant > linear::kSingularBlock * A[0] * A[4] * A[8]) || !(A[0] > 0);
}

}  // namespace

void GaussSeidel::reserve(const RowLayout& most) {
  rows.reserve(most.unilateral + most.contacts);
  contacts.reserve(at(most.contacts)), shift_.reserve(at(most.contacts));
}

void GaussSeidel::prepare(const ConeForm& f) {
  rows.build(f);
  contacts.resize(at(f.contacts)), shift_.resize(at(f.contacts));
  for (int c = 0; c < f.contacts; ++c) {
    double A[9];
    const int n = f.start(f.unilateral + c);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A[3 * i + j] = f.row(n + i)[n + j];
    shift_[c] = is_nearly_singular(A) ? kShift : 0;
    for (int i = 0; i < 3; ++i) A[4 * i] += shift_[c];
    contacts[c] = OneContact(A, f.mu[c], f.preload[c]);
  }
}

int GaussSeidel::sweep(const ConeForm& f, double* r, int sweeps, double tolerance, double& change) const {
  int done = 0;
  change = INFINITY;
  while (done < sweeps && change > tolerance) {
    change = 0, ++done;
    f.interrupt.check();
    for (int k = 0; k < f.blocks(); ++k) {
      // velocity of this contact with its own impulse taken away
      const int start = f.start(k);
      double v[4] = {f.b[start], 0, 0, 0};
      if (f.width(k) == 3) v[1] = f.b[start + 1], v[2] = f.b[start + 2];
      for (int e = rows.first[k]; e < rows.first[k + 1]; ++e) {
        const int j = rows.neighbour[e];
        const double *g = rows.values.data() + 12 * at(e), *x = r + f.start(j);
        for (int col = 0; col < f.width(j); ++col) {
          if (x[col] == 0) continue;
          for (int i = 0; i < 4; ++i) v[i] += g[4 * col + i] * x[col];
        }
      }
      double* mine = r + start;
      if (f.width(k) == 1) {
        const double diagonal = f.row(start)[start], next = f.clamp(k, diagonal > 0 ? -v[0] / diagonal : 0);
        change = std::max(change, std::abs(next - mine[0])), mine[0] = next;
        continue;
      }
      const std::size_t c = at(k - f.unilateral);
      double next[3];
      for (int i = 0; i < 3; ++i) v[i] -= shift_[c] * mine[i];
      contacts[c].solve(v, next);
      for (int i = 0; i < 3; ++i) change = std::max(change, std::abs(next[i] - mine[i])), mine[i] = next[i];
    }
  }
  return done;
}

}  // namespace sinew::lcp
