// src/constraint/primary_secondary.cpp
#include "sinew/constraint/primary_secondary.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// W += A Lambda A^*, rhs += A alpha: one tree's part of step D.
void add_admittance(CoupledTree& t, CouplingWorkspace& ws, MatrixView<const double> A) {
  const std::size_t points = t.alpha.size(), rows = A.rows();
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < points; ++i) {
      double sum = 0;
      for (std::size_t p = 0; p < points; ++p) sum += t.Lambda[i * points + p] * A(j, p);
      t.column[i] = sum;
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t p = 0; p < points; ++p) ws.W[i * rows + j] += A(i, p) * t.column[p];
    for (std::size_t p = 0; p < points; ++p) ws.rhs[j] += A(j, p) * t.alpha[p];
  }
}

// nu' = nu'^f - M^-1 J^* A^* f: steps E and F.
void add_correction(const Model& m, CoupledTree& t, MatrixView<const double> A, In<double> f, Out<double> a) {
  for (std::size_t p = 0; p < t.force.size(); ++p) {
    t.force[p] = 0;
    for (std::size_t r = 0; r < A.rows(); ++r) t.force[p] -= A(r, p) * f[r];
  }
  calc_motion(m.dof_tree(), t.system, t.force, a);  // [R92 0.36]
  for (std::size_t i = 0; i < t.free.size(); ++i) a[i] += t.free[i];
}

void check_coupling(const char* name, const CoupledTree& t, MatrixView<const double> A, std::size_t rows) {
  check_size("couple", name, A.cols(), t.alpha.size());
  check_size("couple", name, A.rows(), rows);
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
      column(alpha) {}

void prepare(const Model& m, CoupledTree& t, In<double> q, In<double> v, In<double> tau,
             const Surroundings<double>& around) {
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

CouplingWorkspace::CouplingWorkspace(int most_rows)
    : elimination(most_rows, most_rows),
      dependence(most_rows),
      W(at(most_rows) * at(most_rows)),
      scale(at(most_rows)),
      rhs(at(most_rows)),
      y(at(most_rows)),
      certificate(most_rows) {}

const SolveCertificate& couple(const Model& primary, CoupledTree& p, const Model& secondary, CoupledTree& s,
                               CouplingWorkspace& ws, MatrixView<const double> A_P, MatrixView<const double> A_S,
                               In<double> U, Out<double> a_P, Out<double> a_S, Out<double> f, const RankOptions& o) {
  check_coupling("A_P", p, A_P, U.size());
  check_coupling("A_S", s, A_S, U.size());
  check_size("couple", "f", f.size(), U.size());
  if (U.size() > ws.scale.size()) check_size("couple", "the workspace", ws.scale.size(), U.size());
  const int rows = static_cast<int>(U.size());

  // D: W f = A_P alpha_P + A_S alpha_S - U, rows scaled by the diagonal of W. [R92 0.35]
  std::fill(ws.W.begin(), ws.W.end(), 0.0);
  std::fill(ws.rhs.begin(), ws.rhs.end(), 0.0);
  add_admittance(p, ws, A_P);
  add_admittance(s, ws, A_S);
  double size = 0;
  for (int i = 0; i < rows; ++i) {
    ws.rhs[at(i)] -= U[at(i)];
    size = std::max({size, std::abs(ws.rhs[at(i)]), std::abs(U[at(i)])});
    const double d = ws.W[at(i * rows + i)];
    ws.scale[at(i)] = d > 0 ? 1 / std::sqrt(d) : 0;
  }
  PivotedElimination& e = ws.elimination;
  e.resize(rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) e(i, j) = ws.scale[at(i)] * ws.scale[at(j)] * ws.W[at(i * rows + j)];
  eliminate(e, std::max(o.rank_tolerance * o.rank_tolerance, 1e-14 * rows));

  RowDependence& d = ws.dependence;
  d.rank = e.rank;
  d.order.assign(e.row.begin(), e.row.begin() + rows);
  for (int i = 0; i < d.rest(); ++i) {
    calc_combination(e, i, d.combination(i));
    const double scale = ws.scale[at(d.order[at(d.rank + i)])];
    for (int j = 0; j < d.rank; ++j) d.combination(i)[j] *= scale > 0 ? ws.scale[at(d.order[at(j)])] / scale : 0;
  }
  factor(d);
  ws.certificate.status = SolveStatus::solved;
  ws.certificate.algorithm = "primary_secondary";
  ws.certificate.freedoms = primary.nv() + secondary.nv();
  ws.certificate.rows = rows;
  report(d, {ws.rhs.data(), at(rows)}, o.consistency_tolerance * size, ws.certificate);
  project(d, {ws.rhs.data(), at(rows)});
  std::fill(f.begin(), f.end(), 0.0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < e.rank; ++i) {
      const int r = e.row[at(i)];
      double sum = ws.rhs[at(r)];
      for (int j = 0; j < rows; ++j) sum -= ws.W[at(r * rows + j)] * f[at(j)];
      ws.y[at(i)] = ws.scale[at(r)] * sum;
    }
    solve_pivots(e, ws.y.data());
    for (int i = 0; i < e.rank; ++i) f[at(e.col[at(i)])] += ws.scale[at(e.col[at(i)])] * ws.y[at(i)];
  }
  project(d, f);
  add_correction(primary, p, A_P, f, a_P);
  add_correction(secondary, s, A_S, f, a_S);
  return ws.certificate;
}

}  // namespace sinew
