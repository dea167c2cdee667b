// src/constraint/solve/inverse_dynamics.cpp
#include "sinew/constraint/solve/inverse_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constraint/checks.hpp"
#include "constraint/rows/measure_rows.hpp"

namespace sinew {
namespace {

void check_actuated(const Model& m, In<int> actuated) {
  for (const int& a : actuated) {
    if (a < 0 || a >= m.nv())
      throw std::invalid_argument("actuated: there is no velocity coordinate " + std::to_string(a) + " (there are " +
                                  std::to_string(m.nv()) + ", counted from 0)");
    if (std::find(actuated.begin(), static_cast<const int*>(&a), a) != &a)
      throw std::invalid_argument("actuated: velocity coordinate " + std::to_string(a) + " is listed twice");
  }
}

// G and g at the state of `rows`.
void calc_freedoms(const Model& m, const ConstraintSet& set, ActuationWorkspace& ws, In<double> q, double time) {
  ConstrainedSystem& s = ws.system;
  crba_packed(m, ws.crba, q, s.H, time);
  get_constraint_jacobian(m, set, ws.rows, s.jacobian());
  measure_rows(m, set, ws.rows, s.full);
  s.k = ws.rows.k;
  factor(m.dof_tree(), s);
  calc_explicit_constraint(m.dof_tree(), ws.projection, s, ws.rank);
}

// Rank and independent rows of G_u^T, scaled by the inertias of the freedoms and of the actuated coordinates.
ActuationReport factor_actuation(const Model& m, ActuationWorkspace& ws, In<int> actuated) {
  const IndependentWorkspace& p = ws.projection;
  const int n = m.nv(), free = p.independent(), count = static_cast<int>(actuated.size());
  linear::PivotedElimination& e = ws.elimination;
  e.resize(free, count);
  for (int j = 0; j < free; ++j) {
    double inertia = 0;
    for (int i = 0; i < n; ++i)
      inertia += p.column(j)[i] * std::inner_product(p.column(j), p.column(j) + n, p.H.data() + at(i) * at(n), 0.0);
    ws.row_scale[j] = 1 / std::sqrt(inertia);
    for (int a = 0; a < count; ++a) e(j, a) = ws.row_scale[j] * p.column(j)[actuated[a]] / p.scale[actuated[a]];
  }
  eliminate(e, ws.rank.rank_tolerance);

  RowDependence& d = ws.dependence;
  d.order.assign(e.row.begin(), e.row.begin() + free);
  d.rank = e.rank;
  for (int i = 0; i < d.rest(); ++i) calc_combination(e, i, d.combination(i));
  factor(d);
  // B B^T of the independent rows.
  ws.B2.resize(d.rank);
  for (int i = 0; i < d.rank; ++i)
    for (int j = i; j < d.rank; ++j) {
      double sum = 0;
      for (const int a : actuated) sum += p.column(d.order[i])[a] * p.column(d.order[j])[a];
      ws.B2(i, j) = sum * ws.row_scale[d.order[i]] * ws.row_scale[d.order[j]];
    }
  factor(ws.B2);
  return {free, count, e.rank, 0, 0};
}

// The shortest u with G_u^T u = G^T tau; returns the largest residual.
double solve_actuation(const Model& m, ActuationWorkspace& ws, In<int> actuated, const double* tau, Out<double> u) {
  const IndependentWorkspace& p = ws.projection;
  RowDependence& d = ws.dependence;
  const int n = m.nv(), free = p.independent();
  for (int j = 0; j < free; ++j)
    ws.rhs[j] = ws.row_scale[j] * std::inner_product(p.column(j), p.column(j) + n, tau, 0.0);  // [F08 8.62]
  project(d, {ws.rhs.data(), at(free)});
  std::fill(u.begin(), u.end(), 0.0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < d.rank; ++i) {
      const int j = d.order[i];
      double sum = ws.rhs[j];
      for (std::size_t a = 0; a < u.size(); ++a) sum -= ws.row_scale[j] * p.column(j)[actuated[a]] * u[a];
      ws.y[i] = sum;
    }
    solve(ws.B2, ws.y.data());
    for (int i = 0; i < d.rank; ++i)
      for (std::size_t a = 0; a < u.size(); ++a)
        u[a] += ws.row_scale[d.order[i]] * p.column(d.order[i])[actuated[a]] * ws.y[i];  // [F08 8.63]
  }
  double left = 0;
  for (int j = 0; j < free; ++j) {
    double sum = std::inner_product(p.column(j), p.column(j) + n, tau, 0.0);
    for (std::size_t a = 0; a < u.size(); ++a) sum -= p.column(j)[actuated[a]] * u[a];
    left = std::max(left, std::abs(sum));
  }
  return left;
}

}  // namespace

ActuationWorkspace::ActuationWorkspace(const Model& m, const ConstraintSet& set, const RankOptions& o)
    : rank(o),
      rows(m, set),
      system(m, set.problem()),
      crba(m),
      rnea(m),
      projection(system),
      elimination(m.nv(), m.nv()),
      dependence(m.nv()),
      B2(m.nv()),
      row_scale(at(m.nv())),
      rhs(row_scale),
      y(row_scale),
      tau(row_scale),
      u(row_scale),
      Kx(at(set.rows())) {}

ActuationReport analyse_actuation(const Model& m, const ConstraintSet& set, ActuationWorkspace& ws, In<double> q,
                                  In<int> actuated, double time) {
  check_rows("analyse_actuation", m, set, ws.rows);
  check_size("analyse_actuation", "q", q.size(), at(m.nq()));
  check_actuated(m, actuated);
  calc_constraint_rows(m, set, ws.rows, q, ws.rows.zeros, time);
  calc_freedoms(m, set, ws, q, time);
  return factor_actuation(m, ws, actuated);
}

ActuationReport constrained_inverse_dynamics(const Model& m, const ConstraintSet& set, ActuationWorkspace& ws,
                                             In<double> q, In<double> v, In<double> qdd, In<int> actuated,
                                             Out<double> u, const Surroundings<double>& around) {
  check_rows("constrained_inverse_dynamics", m, set, ws.rows);
  check_size("constrained_inverse_dynamics", "qdd", qdd.size(), at(m.nv()));
  check_size("constrained_inverse_dynamics", "u", u.size(), actuated.size());
  check_actuated(m, actuated);
  calc_constraint_rows(m, set, ws.rows, q, v, around.time);
  calc_freedoms(m, set, ws, q, around.time);
  ActuationReport out = factor_actuation(m, ws, actuated);
  rnea(m, ws.rnea, q, v, qdd, ws.tau, around);
  out.unreached = solve_actuation(m, ws, actuated, ws.tau.data(), u);
  multiply_by_constraint_jacobian(m, set, ws.rows, qdd, ws.Kx);
  for (std::size_t r = 0; r < ws.Kx.size(); ++r)
    out.constraint_residual = std::max(out.constraint_residual, std::abs(ws.Kx[r] - ws.rows.k[r]));
  return out;
}

void calc_actuation_map(const Model& m, ActuationWorkspace& ws, In<int> actuated, OutMatrix<double> U) {
  ws.crba.made_for.check("calc_actuation_map", m);
  check_actuated(m, actuated);
  check_size("calc_actuation_map", "a column of U", U.rows(), actuated.size());
  check_size("calc_actuation_map", "a row of U", U.cols(), at(m.nv()));
  for (int i = 0; i < m.nv(); ++i) {
    std::fill(ws.tau.begin(), ws.tau.end(), 0.0);
    ws.tau[i] = 1;
    const VectorView<double> u{ws.u.data(), actuated.size()};
    solve_actuation(m, ws, actuated, ws.tau.data(), u);
    for (std::size_t a = 0; a < actuated.size(); ++a) U(a, at(i)) = u[a];
  }
}

}  // namespace sinew
