// src/constraint/two_trees/primary_secondary.cpp
#include "sinew/constraint/two_trees/primary_secondary.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/two_trees/coupling_steps.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

// W += A Lambda A^*, k += A alpha: one tree's part of step D.
void add_admittance(CoupledTree& t, ForceEquation& e, MatrixView<const double> A) {
  const std::size_t points = t.alpha.size(), rows = A.rows();
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < points; ++i) {
      double sum = 0;
      for (std::size_t p = 0; p < points; ++p) sum += t.Lambda[i * points + p] * A(j, p);
      t.column[i] = sum;
    }
    for (std::size_t i = j; i < rows; ++i)
      for (std::size_t p = 0; p < points; ++p) e.A[i * rows + j] += A(i, p) * t.column[p];
    for (std::size_t p = 0; p < points; ++p) {
      e.k[j] += A(j, p) * t.alpha[p];
      e.size[j] += std::abs(A(j, p) * t.alpha[p]);
    }
  }
}

}  // namespace

CoupledTree::CoupledTree(const Model& m, std::vector<Place> closure_points)
    : places(std::move(closure_points)),
      aba(m),
      crba(m),
      jacobian(m),
      system(m.dof_tree(), 6 * static_cast<int>(places.size())),
      free(at(m.nv())),
      alpha(6 * places.size()),
      Lambda(alpha.size() * alpha.size()),
      bias(alpha),
      force(alpha),
      column(alpha) {
  for (const Place& p : places) check_index("CoupledTree", "node", p.node, m.nodes().size());
}

void prepare(const Model& m, CoupledTree& t, In<double> q, In<double> v, In<double> tau,
             const Surroundings<double>& around) {
  t.aba.made_for.check("prepare", m);
  aba(m, t.aba, q, v, tau, t.free, around);  // A [R92 0.31]
  calc_jacobian_rates(m, t.jacobian, q, v, around.time);
  const std::size_t n = t.free.size(), rows = t.alpha.size();
  for (std::size_t p = 0; p < t.places.size(); ++p) {
    get_jacobian(m, t.jacobian, t.places[p], ReferenceFrame::mixed, {t.system.K.data() + 6 * p * n, 6, n});
    const auto c = to_array(get_bias_acceleration(t.jacobian, t.places[p], ReferenceFrame::mixed));
    std::copy(c.begin(), c.end(), t.bias.begin() + static_cast<std::ptrdiff_t>(6 * p));
  }
  for (std::size_t r = 0; r < rows; ++r) {  // B [R92 0.32]
    t.alpha[r] = 0;
    for (std::size_t i = 0; i < n; ++i) t.alpha[r] += t.system.K[r * n + i] * t.free[i];
  }
  crba_packed(m, t.crba, q, t.system.H, around.time);  // C [R92 0.34]
  factor(m.dof_tree(), t.system);
  calc_inverse_inertia(t.system, {t.Lambda.data(), rows, rows});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = i + 1; j < rows; ++j) t.Lambda[i * rows + j] = t.Lambda[j * rows + i];
}

CouplingWorkspace::CouplingWorkspace(int most_rows) : most(most_rows), equation(most_rows), certificate(most_rows) {}

const SolveCertificate& couple(const Model& primary, CoupledTree& p, const Model& secondary, CoupledTree& s,
                               CouplingWorkspace& ws, MatrixView<const double> A_P, MatrixView<const double> A_S,
                               In<double> U, Out<double> a_P, Out<double> a_S, Out<double> f, const RankOptions& o) {
  check_tree("couple", primary, p, a_P.size());
  check_tree("couple", secondary, s, a_S.size());
  check_coupling("couple", p, A_P, s, A_S, U.size(), f.size());
  if (U.size() > at(ws.most)) check_size("couple", "the workspace", at(ws.most), U.size());
  const int rows = static_cast<int>(U.size());

  // D: W f = A_P alpha_P + A_S alpha_S - U. [R92 0.35]
  ForceEquation& e = ws.equation;
  e.resize(rows);
  std::fill(e.A.begin(), e.A.end(), 0.0);
  for (std::size_t i = 0; i < U.size(); ++i) e.k[i] = -U[i], e.size[i] = std::abs(U[i]);
  add_admittance(p, e, A_P);
  add_admittance(s, e, A_S);
  e.b = e.k;
  ws.certificate.status = SolveStatus::solved;
  ws.certificate.algorithm = "primary_secondary";
  ws.certificate.freedoms = primary.nv() + secondary.nv();
  ws.certificate.rows = rows;
  solve(e, o, f, ws.certificate);
  add_correction(primary, p, A_P, f, a_P);
  add_correction(secondary, s, A_S, f, a_S);
  return ws.certificate;
}

}  // namespace sinew
