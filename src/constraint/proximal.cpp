// src/constraint/proximal.cpp
#include "sinew/constraint/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "small_cholesky.hpp"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
double largest(const std::vector<double>& x) {
  double out = 0;
  for (const double e : x) out = std::max(out, std::abs(e));
  return out;
}

}  // namespace

ProximalWorkspace::ProximalWorkspace(const ConstrainedSystem& s)
    : A(s.k.size() * s.k.size()), F(A.size()), b(s.k), r(s.k), y(s.k) {}

void solve_by_proximal(const DofTree& tree, ProximalWorkspace& ws, const ConstrainedSystem& s, const RankOptions& rank,
                       const ProximalOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out) {
  const int m = s.rows();
  calc_inverse_inertia(s, {ws.A.data(), s.k.size(), s.k.size()});
  double size = 0;
  for (int i = 0; i < m; ++i) size = std::max(size, ws.A[at(i * m + i)]);
  ws.F = ws.A;
  for (int i = 0; i < m; ++i) ws.F[at(i * m + i)] += size > 0 ? o.mu * size : 1;
  factor_cholesky(ws.F.data(), m, m);

  // r = b - A lambda; gives the largest change of an entry.
  ws.b = s.b;
  const auto calc_residual = [&] {
    double change = 0;
    for (int i = 0; i < m; ++i) {
      double sum = ws.b[at(i)];
      for (int j = 0; j < m; ++j) sum -= ws.A[at(i >= j ? i * m + j : j * m + i)] * lambda[at(j)];
      change = std::max(change, std::abs(sum - ws.r[at(i)]));
      ws.r[at(i)] = sum;
    }
    return change;
  };
  const auto iterate = [&] {
    ws.y = ws.r;
    solve_cholesky(ws.F.data(), m, m, ws.y.data());
    for (int i = 0; i < m; ++i) lambda[at(i)] += ws.y[at(i)];
    return calc_residual();
  };
  std::fill(lambda.begin(), lambda.end(), 0.0);
  calc_residual();
  // A direction that would count as implied by others does not shrink by more than this in a round.
  const double standstill = rank.rank_tolerance * rank.rank_tolerance / o.mu;
  bool stands = false;
  for (out.iterations = 0; out.iterations < o.max_iterations && !stands; ++out.iterations) {
    const double before = largest(ws.r);
    if (before == 0) break;
    stands = iterate() <= standstill * largest(ws.r);
    if (largest(ws.r) <= o.tolerance * s.scale && largest(ws.r) > 0.5 * before) break;  // down to rounding
  }

  out.rank = -1;
  if (largest(ws.r) > rank.consistency_tolerance * s.scale) {
    out.status = stands ? SolveStatus::inconsistent : SolveStatus::not_reached;
    for (int i = 0; i < m; ++i)
      if (std::abs(ws.r[at(i)]) > rank.consistency_tolerance * s.scale) out.contradicting.push_back(i);
    // What A cannot reach went into lambda with every round and does no work: out of both with it.
    const double part = std::inner_product(lambda.begin(), lambda.end(), ws.r.begin(), 0.0) /
                        std::inner_product(ws.r.begin(), ws.r.end(), ws.r.begin(), 0.0);
    for (int i = 0; i < m; ++i) lambda[at(i)] -= part * ws.r[at(i)], ws.b[at(i)] -= ws.r[at(i)];
    calc_residual();
    iterate(), iterate();
  }
  calc_motion(tree, s, lambda, x);
}

}  // namespace sinew
