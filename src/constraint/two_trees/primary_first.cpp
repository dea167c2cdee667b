// src/constraint/two_trees/primary_first.cpp - step D through the inverse of the primary's admittance [R92 0.35]
#include <algorithm>
#include <limits>
#include <numeric>

#include "constraint/two_trees/coupling_steps.hpp"

namespace sinew {
namespace {

// P = A Lambda A^*
void fill_admittance(CoupledTree& t, MatrixView<const double> A, SymmetricFactor& P) {
  const std::size_t points = t.alpha.size();
  for (int j = 0; j < P.size; ++j) {
    for (std::size_t i = 0; i < points; ++i) {
      t.column[i] = 0;
      for (std::size_t p = 0; p < points; ++p) t.column[i] += t.Lambda[i * points + p] * A(at(j), p);
    }
    for (int i = 0; i <= j; ++i) {
      P(i, j) = 0;
      for (std::size_t p = 0; p < points; ++p) P(i, j) += A(at(i), p) * t.column[p];
    }
  }
}

// r = A alpha - U
void calc_gap(const CoupledTree& t, MatrixView<const double> A, In<double> U, double* r) {
  for (std::size_t i = 0; i < U.size(); ++i) {
    r[i] = -U[i];
    for (std::size_t p = 0; p < t.alpha.size(); ++p) r[i] += A(i, p) * t.alpha[p];
  }
}

}  // namespace

PrimaryFirstWorkspace::PrimaryFirstWorkspace(const Model& secondary, int most_rows)
    : P(most_rows),
      S(secondary.nv()),
      M(at(secondary.nv()) * at(secondary.nv())),
      AJ(at(secondary.nv()) * at(most_rows)),
      PAJ(AJ),
      r(at(most_rows)),
      certificate(most_rows) {}

const SolveCertificate& couple_primary_first(const Model& primary, CoupledTree& p, const Model& secondary,
                                             CoupledTree& s, PrimaryFirstWorkspace& ws, MatrixView<const double> A_P,
                                             MatrixView<const double> A_S, In<double> U, Out<double> a_P,
                                             Out<double> a_S, Out<double> f, const RankOptions& o) {
  check_tree("couple_primary_first", primary, p, a_P.size());
  check_tree("couple_primary_first", secondary, s, a_S.size());
  check_size("couple_primary_first", "the workspace", ws.M.size(), at(secondary.nv()) * at(secondary.nv()));
  check_coupling("couple_primary_first", p, A_P, s, A_S, U.size(), f.size());
  if (U.size() > ws.r.size()) check_size("couple_primary_first", "the workspace", ws.r.size(), U.size());
  const int rows = static_cast<int>(U.size()), n = secondary.nv();
  ws.certificate.status = SolveStatus::solved;
  ws.certificate.algorithm = "primary_first";
  ws.certificate.freedoms = primary.nv() + n;
  ws.certificate.rows = ws.certificate.rank = rows;
  ws.P.resize(rows);
  fill_admittance(p, A_P, ws.P);
  if (!factor(ws.P, o.rank_tolerance * o.rank_tolerance)) {
    ws.certificate.status = SolveStatus::not_reached;
    ws.certificate.rank = -1;
    for (const Out<double>& x : {a_P, a_S, f}) std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
    return ws.certificate;
  }

  // M_S + (A_S J_S)^* P^-1 A_S J_S
  to_dense<double>(secondary.dof_tree(), s.system.H, {ws.M.data(), at(n), at(n)});
  const std::size_t points = s.alpha.size();
  for (int j = 0; j < n; ++j) {
    double *aj = ws.AJ.data() + j * rows, *paj = ws.PAJ.data() + j * rows;
    for (int r = 0; r < rows; ++r) {
      aj[r] = 0;
      for (std::size_t c = 0; c < points; ++c) aj[r] += A_S(at(r), c) * s.system.K[c * at(n) + at(j)];
    }
    std::copy(aj, aj + rows, paj);
    solve(ws.P, paj);
    for (int i = 0; i <= j; ++i)
      ws.S(i, j) = std::inner_product(paj, paj + rows, ws.AJ.data() + i * rows, ws.M[j * n + i]);
  }
  factor(ws.S);

  calc_gap(p, A_P, U, ws.r.data());
  for (int i = 0; i < n; ++i) {
    const double given = std::inner_product(s.free.begin(), s.free.end(), ws.M.begin() + i * n, 0.0);  // T_S
    a_S[i] = given - std::inner_product(ws.r.begin(), ws.r.begin() + rows, ws.PAJ.begin() + i * rows, 0.0);
  }
  solve(ws.S, a_S.data());
  std::copy_n(ws.r.begin(), rows, f.begin());
  for (int j = 0; j < n; ++j)
    for (int r = 0; r < rows; ++r) f[r] += ws.AJ[j * rows + r] * a_S[j];
  solve(ws.P, f.data());
  add_correction(primary, p, A_P, f, a_P);
  return ws.certificate;
}

}  // namespace sinew
