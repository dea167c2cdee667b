// src/lcp/gauss_seidel.cpp
#include "sinew/lcp/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/sparse_cone.hpp"
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

void GaussSeidel::reserve_sparse(const RowLayout& most) {
  contacts.reserve(at(most.contacts)), shift_.reserve(at(most.contacts));
}

void GaussSeidel::prepare(const ConeForm& f) {
  if (!f.sparse) rows.build(f);
  contacts.resize(at(f.contacts)), shift_.resize(at(f.contacts));
  for (int c = 0; c < f.contacts; ++c) {
    double A[9];
    const int n = f.start(f.unilateral + c);
    if (f.sparse) std::copy_n(f.sparse->block(f.unilateral + c), 9, A);
    for (int i = 0; i < 3 && !f.sparse; ++i)
      for (int j = 0; j < 3; ++j) A[3 * i + j] = f.row(n + i)[n + j];
    shift_[c] = is_nearly_singular(A) ? kShift : 0;
    for (int i = 0; i < 3; ++i) A[4 * i] += shift_[c];
    contacts[c] = OneContact(A, f.mu[c], f.preload[c]);
  }
}

int GaussSeidel::sweep(const ConeForm& f, double* r, int sweeps, double tolerance, double& change) const {
  if (f.sparse) return sweep_sparse(f, r, sweeps, tolerance, change);
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

// The same with the velocities of the trees kept up to date.
int GaussSeidel::sweep_sparse(const ConeForm& f, double* r, int sweeps, double tolerance, double& change) const {
  SparseCone& cone = *f.sparse;
  cone.begin_sweeps(r);
  int done = 0;
  change = INFINITY;
  while (done < sweeps && change > tolerance) {
    change = 0, ++done;
    f.interrupt.check();
    for (int i = 0; i < f.blocks(); ++i) {
      const int k = done % 2 ? i : f.blocks() - 1 - i, start = f.start(k), width = f.width(k);
      const double* own = cone.block(k);
      double* mine = r + start;
      double v[3], next[3] = {}, move[3];
      cone.get_velocity(k, v);
      for (int row = 0; row < width; ++row) {
        v[row] += f.b[start + row];
        if (width == 3)
          for (int c = 0; c < 3; ++c) v[row] -= own[3 * row + c] * mine[c];
      }
      if (width == 1) {
        v[0] -= (own[0] - cone.softness(k)) * mine[0];
        next[0] = f.clamp(k, own[0] > 0 ? -v[0] / own[0] : 0);
      } else {
        const std::size_t c = at(k - f.unilateral);
        for (int row = 0; row < 3; ++row) v[row] -= shift_[c] * mine[row];
        contacts[c].solve(v, next);
      }
      bool moves = false;
      for (int row = 0; row < width; ++row) {
        move[row] = next[row] - mine[row], mine[row] = next[row], moves = moves || move[row] != 0;
        change = std::max(change, std::abs(move[row]));
      }
      if (moves) cone.push(k, move);
    }
  }
  return done;
}

}  // namespace sinew::lcp
