// src/constraint/constrained_system.cpp
#include <algorithm>
#include <cmath>

#include "sinew/constraint/constrained_system.hpp"

#include "constraint/rank/row_scale.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// Nonzeros of x stay on the paths from their freedoms to the root; all other freedoms are skipped.
void solve_transpose(const DofTree& tree, const LtlFactor<double>& L, const int* reach, int count, double* x) {
  for (int e = count - 1; e >= 0; --e) {
    const int i = reach[e], d = tree.depth(i);
    if (x[i] == 0) continue;
    const double* row = L.packed.data() + tree.row(i);
    x[i] /= row[d];
    for (int j = tree.parent(i), p = d - 1; j >= 0; j = tree.parent(j), --p) x[j] -= row[p] * x[i];
  }
}

}  // namespace

ConstrainedSystem::ConstrainedSystem(const DofTree& tree, int rows)
    : H(tree.packed_size()),
      f(at(tree.size())),
      K(at(rows) * f.size()),
      k(at(rows)),
      made_of(k.size()),
      full(k.size()),
      L(tree),
      Y(K.size()),
      z(f.size()),
      b(k.size()),
      row_scale(k.size()),
      size(k.size()) {
  for (int r = 0; r <= rows; ++r) reach_begin.push_back(r * tree.size());
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < tree.size(); ++i) reach.push_back(i);
}

ConstrainedSystem::ConstrainedSystem(const Model& m, const delassus::Problem& p)
    : ConstrainedSystem(m.dof_tree(), p.rows()) {
  p.made_for().check("ConstrainedSystem", m, "the problem");
  reach.clear();
  reach_begin.assign(1, 0);
  std::vector<std::vector<char>> reached(at(p.rows()), std::vector<char>(f.size()));
  const auto links = m.links<double>();
  for (const delassus::Entry& e : p.entries())
    for (int node = e.node; node > 0; node = links[node].parent)
      for (int d = 0; d < links[node].nv; ++d) reached[e.row][links[node].dof + d] = 1;
  for (const std::vector<char>& row : reached) {
    for (int i = 0; i < freedoms(); ++i)
      if (row[i]) reach.push_back(i);
    reach_begin.push_back(static_cast<int>(reach.size()));
  }
}

void factor(const DofTree& tree, ConstrainedSystem& s) {
  check_size("factor", "the system", s.f.size(), at(tree.size()));
  const int n = s.freedoms(), m = s.rows();
  s.L.packed = s.H;
  factor(tree, s.L);  // step 1 of method 2 [F08 section 8.5]
  to_tree_order<double>(tree, s.f, s.z);
  solve_l_transpose(tree, s.L, s.z);  // step 3
  for (int r = 0; r < m; ++r) {
    double *y = s.Y.data() + at(r) * at(n), norm2 = 0, free = 0, terms = 0;
    const double* row = s.K.data() + at(r) * at(n);
    const int *reach = s.reach.data() + s.reach_begin[r], count = s.reach_begin[at(r) + 1] - s.reach_begin[r];
    std::fill(y, y + n, 0.0);
    for (int e = 0; e < count; ++e) y[reach[e]] = row[tree.velocity(reach[e])];
    solve_transpose(tree, s.L, reach, count, y);
    for (int e = 0; e < count; ++e) {
      const double term = y[reach[e]] * s.z[reach[e]];
      norm2 += y[reach[e]] * y[reach[e]], free += term, terms += std::abs(term);
    }
    s.row_scale[r] = std::sqrt(norm2);
    s.b[r] = s.k[r] - free;  // [F08 8.39]
    s.size[r] = std::max({std::abs(s.k[r]), s.made_of[r], terms});
  }
  invert_row_norms(s.full, s.row_scale);
  add_size_of_others(s.row_scale, s.size);
}

void calc_motion(const DofTree& tree, const ConstrainedSystem& s, In<double> lambda, Out<double> x) {
  check_size("calc_motion", "the system", s.f.size(), at(tree.size()));
  check_size("calc_motion", "lambda", lambda.size(), s.k.size());
  check_size("calc_motion", "x", x.size(), s.f.size());
  // L^-1 (z + Y lambda), in the order of the tree; x is written only at the end.
  const int n = s.freedoms();
  double* out = x.data();
  for (int i = 0; i < n; ++i) {
    double sum = s.z[i];
    for (int r = 0; r < s.rows(); ++r) sum += s.Y[at(r) * at(n) + at(i)] * lambda[r];
    const double* row = s.L.packed.data() + tree.row(i);
    for (int j = tree.parent(i), p = tree.depth(i) - 1; j >= 0; j = tree.parent(j), --p)
      sum -= row[p] * out[tree.velocity(j)];
    out[tree.velocity(i)] = sum / row[tree.depth(i)];
  }
}

void calc_inverse_inertia(const ConstrainedSystem& s, OutMatrix<double> A) {
  check_shape("calc_inverse_inertia", "A", A, s.k.size(), s.k.size());
  const auto n = at(s.freedoms());
  for (int i = 0; i < s.rows(); ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int e = s.reach_begin[i]; e < s.reach_begin[at(i) + 1]; ++e) {
        const auto c = at(s.reach[e]);
        sum += s.Y[at(i) * n + c] * s.Y[at(j) * n + c];
      }
      A(at(i), at(j)) = sum;
    }
}

}  // namespace sinew
