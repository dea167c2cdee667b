// src/constraint/two_trees/primary_first.cpp - step D through the inverse of the primary's admittance [R92 0.35]
#include <algorithm>
#include <limits>
#include <numeric>

#include "constraint/two_trees/coupling_steps.hpp"

namespace sinew {
namespace {

// Omega_S = F F^*, with rows of F in their own order: ws.root. Returns the rank.
int factor_secondary(const CoupledTree& s, CouplingWorkspace& ws) {
  ForceEquation& e = ws.root;
  e.A = s.Omega;
  for (std::vector<double>* x : {&e.k, &e.size, &e.full}) std::fill(x->begin(), x->end(), 0.0);
  factor(e, {.rank_tolerance = 0}, ws.part);
  return e.dependence.rank;
}

// C = A_S B_S^* F, rows x rank
void calc_products(CouplingWorkspace& ws, std::size_t rows, std::size_t rank) {
  const ForceEquation& e = ws.root;
  const std::size_t size = e.k.size();
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < rank; ++j) {
      double sum = 0;
      for (std::size_t i = j; i < size; ++i) {
        const std::size_t at_row = at(e.dependence.order[i]);
        if (e.row_scale[at_row] > 0) sum += ws.s.A[r * size + at_row] * e.F[i * size + j] / e.row_scale[at_row];
      }
      ws.C[r * rank + j] = sum;
    }
}

}  // namespace

const SolveCertificate& couple_primary_first(const Model& primary, CoupledTree& p, const Model& secondary,
                                             CoupledTree& s, CouplingWorkspace& ws, MatrixView<const double> A_P,
                                             MatrixView<const double> A_S, In<double> U, Out<double> a_P,
                                             Out<double> a_S, Out<double> f, const RankOptions& o) {
  check_coupling("couple_primary_first", primary, p, secondary, s, ws, A_P, A_S, U.size(), a_P.size(), a_S.size(),
                 f.size());
  take_rows(p, s, ws, A_P, A_S, p.alpha, s.alpha, U);
  ws.certificate.algorithm = "primary_first";
  ws.certificate.rank = static_cast<int>(U.size());
  const int rank = factor_secondary(s, ws);
  const std::size_t r = at(rank);
  calc_products(ws, U.size(), r);

  // P^-1 r into f, P^-1 C, and 1 + C^* P^-1 C, block by block of P
  ws.small.resize(rank);
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j) ws.small(i, j) = i == j ? 1 : 0;
  std::fill_n(ws.y.begin(), r, 0.0);
  find_row_groups(p, nullptr, ws);
  for (int row = 0; row < static_cast<int>(f.size()); ++row) {
    if (!take_members(ws, row)) continue;
    const std::vector<int>& members = ws.members;
    const std::size_t rows = members.size();
    ws.P.resize(static_cast<int>(rows));
    for_each_entry(p, ws.p, members, [&](int i, int j, double x) { ws.P(j, i) = x; });
    if (!factor(ws.P, o.rank_tolerance * o.rank_tolerance)) {
      ws.certificate.status = SolveStatus::not_reached;
      ws.certificate.rank = -1;
      for (const Out<double>& x : {a_P, a_S, f})
        std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
      return ws.certificate;
    }
    for (std::size_t j = 0; j <= r; ++j) {  // the last column is the right side
      for (std::size_t i = 0; i < rows; ++i)
        ws.answer[i] = j < r ? ws.C[at(members[i]) * r + j] : ws.gap[at(members[i])];
      solve(ws.P, ws.answer.data());
      for (std::size_t i = 0; i < rows; ++i) (j < r ? ws.PC[at(members[i]) * r + j] : f[at(members[i])]) = ws.answer[i];
    }
    for (const int m : members)
      for (std::size_t i = 0; i < r; ++i) {
        const double c = ws.C[at(m) * r + i];
        ws.y[i] += c * f[at(m)];
        for (std::size_t j = i; j < r; ++j) ws.small(int(i), int(j)) += c * ws.PC[at(m) * r + j];
      }
  }
  factor(ws.small);
  solve(ws.small, ws.y.data());
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] -=
        std::inner_product(ws.y.begin(), ws.y.begin() + rank, ws.PC.begin() + static_cast<std::ptrdiff_t>(i * r), 0.0);
  return finish(primary, p, secondary, s, ws, a_P, a_S, f);
}

}  // namespace sinew
