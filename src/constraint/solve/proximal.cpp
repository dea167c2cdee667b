// src/constraint/solve/proximal.cpp
#include "sinew/constraint/solve/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constraint/checks.hpp"

namespace sinew {
namespace {
// The largest |x_i| / size_i; rows of size 0 are left out.
double largest_part(const std::vector<double>& x, const std::vector<double>& size) {
  double out = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (size[i] > 0) out = std::max(out, std::abs(x[i]) / size[i]);
  return out;
}

}  // namespace

ProximalWorkspace::ProximalWorkspace(const ConstrainedSystem& s)
    : A(s.k.size() * s.k.size()), F(s.rows()), b(s.k), r(s.k), y(s.k) {}

void solve_by_proximal(const DofTree& tree, ProximalWorkspace& ws, const ConstrainedSystem& s, const RankOptions& rank,
                       const ProximalOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out) {
  check_solve("solve_by_proximal", tree, s, ws.b.size(), x.size(), lambda.size());
  const int m = s.rows();
  calc_inverse_inertia(s, {ws.A.data(), s.k.size(), s.k.size()});
  for (int i = 0; i < m; ++i)  // rows of zeros hold only rounding
    for (int j = 0; j <= i; ++j)
      if (s.row_scale[i] == 0 || s.row_scale[j] == 0) ws.A[i * m + j] = 0;
  double size = 0;
  for (int i = 0; i < m; ++i) size = std::max(size, ws.A[i * m + i]);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < i; ++j) ws.F(j, i) = ws.A[i * m + j];
    const double own = s.row_scale[i] > 0 ? ws.A[i * m + i] : size;
    ws.F(i, i) = ws.A[i * m + i] + (size > 0 ? o.mu * (o.per_row ? own : size) : 1);
  }
  factor(ws.F);

  // r = b - A lambda; returns the largest change of an entry, relative to its size.
  ws.b = s.b;
  for (int i = 0; i < m; ++i)  // rows of zeros: no lambda changes them, so k is right or contradicts
    if (s.row_scale[i] == 0) ws.b[i] = std::abs(s.k[i]) <= rank.consistency_tolerance * s.size[i] ? 0 : s.k[i];
  const auto calc_residual = [&] {
    double change = 0;
    for (int i = 0; i < m; ++i) {
      double sum = ws.b[i];
      for (int j = 0; j < m; ++j) sum -= ws.A[i >= j ? i * m + j : j * m + i] * lambda[j];
      if (s.size[i] > 0) change = std::max(change, std::abs(sum - ws.r[i]) / s.size[i]);
      ws.r[i] = sum;
    }
    return change;
  };
  const auto iterate = [&] {
    ws.y = ws.r;
    solve(ws.F, ws.y.data());
    for (int i = 0; i < m; ++i) lambda[i] += ws.y[i];
    return calc_residual();
  };
  std::fill(lambda.begin(), lambda.end(), 0.0);
  calc_residual();
  // In one round the residual along an implied direction shrinks by no more than this part.
  const double standstill = rank.rank_tolerance * rank.rank_tolerance / o.mu;
  bool stands = false;
  for (out.iterations = 0; out.iterations < o.max_iterations && !stands; ++out.iterations) {
    const double before = largest_part(ws.r, s.size);
    if (before == 0) break;
    const double change = iterate(), left = largest_part(ws.r, s.size);
    stands = change <= standstill * left;
    if (left <= o.tolerance && left > 0.5 * before) break;  // down to rounding
  }

  out.rank = -1;
  if (largest_part(ws.r, s.size) > rank.consistency_tolerance) {
    out.status = stands ? SolveStatus::inconsistent : SolveStatus::not_reached;
    for (int i = 0; i < m; ++i)
      if (std::abs(ws.r[i]) > rank.consistency_tolerance * s.size[i]) out.contradicting.push_back(i);
    // The residual that A cannot reach was added to lambda in every round, where it does no work. Remove it from lambda
    // and b.
    const double part = std::inner_product(lambda.begin(), lambda.end(), ws.r.begin(), 0.0) /
                        std::inner_product(ws.r.begin(), ws.r.end(), ws.r.begin(), 0.0);
    for (int i = 0; i < m; ++i) lambda[i] -= part * ws.r[i], ws.b[i] -= ws.r[i];
    calc_residual();
    iterate(), iterate();
  }
  calc_motion(tree, s, lambda, x);
}

}  // namespace sinew
