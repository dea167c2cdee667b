// src/constraint/solve/constrained_inverse_derivatives.cpp
#include "sinew/constraint/solve/constrained_inverse_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "constraint/rows/row_slopes.hpp"
#include "constraint/solve/dependence_slopes.hpp"
#include "constraint/solve/response_columns.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"

namespace sinew {

struct ActuationDerivativesWorkspace::Impl {
  Impl(const Model& m, const ConstraintSet& set)
      : slopes(m, set),
        tree(m),
        equation(set.rows()),
        rank(set.rows()),
        external(m.bodies().size()),
        ID(at(m.nv())),
        force(ID),
        tangent(ID),
        z(ID),
        dz(ID),
        touched(ID.size()),
        U(ID.size() * ID.size()),
        ID_q(U),
        ID_v(U),
        M(U),
        D(at(set.rows()) * ID.size()),
        lambda(at(set.rows())),
        unit(lambda),
        sizes(lambda) {}
  RowSlopes slopes;
  RneaDerivativesWorkspace<double> tree;
  ForceEquation equation;  // A = K M^-1 K^T
  SolveCertificate rank;
  std::vector<Force<double>> external;
  std::vector<double> ID, force, tangent, z, dz;  // (nv)
  std::vector<unsigned char> touched;             // (nv)
  std::vector<double> U;                          // (actuators x nv)
  std::vector<double> ID_q, ID_v, M;              // (nv x nv)
  std::vector<double> D;                          // (rows x nv)
  std::vector<double> lambda, unit, sizes;        // (rows)
};

namespace {

using ActuationImpl = ActuationDerivativesWorkspace::Impl;

// e.b = K M^-1 f
void calc_row_response(const DofTree& tree, ConstrainedSystem& s, In<double> f, ForceEquation& e) {
  to_tree_order<double>(tree, f, s.z);
  solve_l_transpose(tree, s.L, s.z);
  const std::size_t n = s.f.size();
  for (std::size_t r = 0; r < s.k.size(); ++r) {
    e.b[r] = 0;
    for (std::size_t i = 0; i < n; ++i) e.b[r] += s.Y[r * n + i] * s.z[i];
  }
}
// x = M^-1 K^T A^+ e.b: the shortest x, in the metric of M, with K x = e.b.
void calc_shortest_motion(const DofTree& tree, ConstrainedSystem& s, ForceEquation& e, std::vector<double>& lambda,
                          std::vector<double>& x) {
  solve_factored(e, lambda);
  std::fill(s.z.begin(), s.z.end(), 0.0);
  calc_motion(tree, s, lambda, x);
}
// Removes from x what the rows do not allow.
void remove_refused_motion(const DofTree& tree, ConstrainedSystem& s, ActuationImpl& impl, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t r = 0; r < s.k.size(); ++r) {
    impl.equation.b[r] = 0;
    for (std::size_t i = 0; i < n; ++i) impl.equation.b[r] += s.K[r * n + i] * x[i];
  }
  calc_shortest_motion(tree, s, impl.equation, impl.lambda, impl.dz);
  for (std::size_t i = 0; i < n; ++i) x[i] -= impl.dz[i];
}

// z with K z = 0 and B^T z = u, for a u that is the shortest: z = G y.
void find_motion_of_efforts(ActuationWorkspace& ws, In<int> actuated, In<double> u, std::vector<double>& z) {
  const IndependentWorkspace& p = ws.projection;
  const RowDependence& d = ws.dependence;
  for (int i = 0; i < d.rank; ++i) {
    const int j = d.order[at(i)];
    double sum = 0;
    for (std::size_t a = 0; a < u.size(); ++a) sum += p.column(j)[actuated[a]] * u[a];
    ws.y[at(i)] = ws.row_scale[at(j)] * sum;
  }
  solve(ws.B2, ws.y.data());
  std::fill(z.begin(), z.end(), 0.0);
  for (int i = 0; i < d.rank; ++i) {
    const int j = d.order[at(i)];
    add_multiple(z.data(), ws.row_scale[at(j)] * ws.y[at(i)], p.column(j), z.size());
  }
}

}  // namespace

ActuationDerivativesWorkspace::ActuationDerivativesWorkspace(const Model& m, const ConstraintSet& set,
                                                             const RankOptions& o)
    : solution(m, set, o), impl(std::make_unique<Impl>(m, set)) {
  certificate.rows.reserve(at(set.rows()));
  certificate.coordinates.reserve(at(m.nv()));
}
ActuationDerivativesWorkspace::~ActuationDerivativesWorkspace() = default;
ActuationDerivativesWorkspace::ActuationDerivativesWorkspace(ActuationDerivativesWorkspace&&) noexcept = default;
ActuationDerivativesWorkspace& ActuationDerivativesWorkspace::operator=(ActuationDerivativesWorkspace&&) noexcept =
    default;

const DerivativeCertificate& calc_constrained_inverse_derivatives(const Model& m, const ConstraintSet& set,
                                                                  ActuationDerivativesWorkspace& ws, In<double> q,
                                                                  In<double> v, In<double> qdd, In<int> actuated,
                                                                  Out<double> u,
                                                                  const ConstrainedInverseDerivatives& out,
                                                                  const Surroundings<double>& around) {
  const char* call = "calc_constrained_inverse_derivatives";
  check_rows(call, m, set, ws.solution.rows);
  const std::size_t n = at(m.nv()), rows = at(set.rows()), count = actuated.size();
  check_shape(call, "u_q", out.u_q, count, n);
  check_shape(call, "u_v", out.u_v, count, n);
  check_shape(call, "u_qdd", out.u_qdd, count, n);
  ws.report = constrained_inverse_dynamics(m, set, ws.solution, q, v, qdd, actuated, u, around);
  ActuationImpl& impl = *ws.impl;
  ConstrainedSystem& s = ws.solution.system;
  const RankOptions& rank = ws.solution.rank;
  const DofTree& tree = m.dof_tree();
  DerivativeCertificate& c = ws.certificate;
  c.status = DerivativeStatus::exact, c.solution = SolveStatus::solved;
  c.rank = m.nv() - ws.report.mobility;
  c.residual = c.scale = 0;
  c.rows.clear(), c.coordinates.clear();
  for (const double x : ws.solution.tau)
    if (!std::isfinite(x)) c.solution = SolveStatus::non_finite;
  if (ws.report.underactuated() || c.solution != SolveStatus::solved) {
    c.status = DerivativeStatus::not_solved;
    for (const MatrixView<double>* x : {&out.u_q, &out.u_v, &out.u_qdd}) fill_nan(*x);
    return c;
  }

  // lambda of ID = B u + K^T lambda
  impl.ID = ws.solution.tau;
  impl.force = impl.ID;
  for (std::size_t a = 0; a < count; ++a) impl.force[at(actuated[a])] -= u[a];
  ForceEquation& e = impl.equation;
  calc_inverse_inertia(s, e.matrix());
  e.k = s.k, e.size = s.size, e.full = s.full;
  factor(e, rank, impl.rank);
  calc_row_response(tree, s, impl.force, e);
  solve_factored(e, impl.lambda);
  multiply_by_constraint_jacobian_transpose(m, set, ws.solution.rows, impl.lambda, impl.dz);
  for (std::size_t i = 0; i < n; ++i) {
    c.residual = std::max(c.residual, std::abs(impl.force[i] - impl.dz[i]));
    c.scale = std::max({c.scale, std::abs(impl.ID[i]), std::abs(impl.force[i])});
  }

  // (1)
  place_row_slopes(m, set, impl.slopes, q, v, qdd, around.time, false);
  for (std::size_t b = 0; b < impl.external.size(); ++b)
    impl.external[b] = around.external.size() == 0 ? Force<double>{} : around.external[b];
  add_pair_forces(m, set, impl.slopes, ws.solution.rows, impl.lambda, impl.external);
  const auto square = [n](std::vector<double>& x) { return MatrixView<double>(x.data(), n, n); };
  const MatrixView<double> ID_q = square(impl.ID_q), ID_v = square(impl.ID_v), M = square(impl.M);
  calc_rnea_derivatives(m, impl.tree, q, v, qdd, impl.force, ID_q, ID_v, M, {impl.external, around.time});
  for (double& x : impl.ID_q) x = -x;
  add_force_slopes(m, impl.slopes, q, impl.lambda, ID_q, impl.touched);
  for (double& x : impl.ID_q) x = -x;
  const MatrixView<double> U(impl.U.data(), count, n);
  calc_actuation_map(m, ws.solution, actuated, U);
  const auto map = [&](const MatrixView<double>& from, const MatrixView<double>& to) {
    for (std::size_t a = 0; a < count; ++a) {
      std::fill_n(to.data() + a * to.stride(), n, 0.0);
      for (std::size_t i = 0; i < n; ++i) add_multiple(to.data() + a * to.stride(), U(a, i), from.data() + i * n, n);
    }
  };
  map(ID_q, out.u_q), map(ID_v, out.u_v), map(M, out.u_qdd);

  const MatrixView<double> D(impl.D.data(), rows, n);
  if (ws.report.redundantly_actuated()) {  // (2)
    find_motion_of_efforts(ws.solution, actuated, u, impl.z);
    calc_product_slopes(m, impl.slopes, q, impl.z, around.time, D);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = 0; r < rows; ++r) e.b[r] = -D(r, k);
      calc_shortest_motion(tree, s, e, impl.sizes, impl.dz);
      for (std::size_t a = 0; a < count; ++a) {
        double moves = impl.dz[at(actuated[a])];
        for (std::size_t i = 0; i < count; ++i) moves -= U(a, at(actuated[i])) * impl.dz[at(actuated[i])];
        out.u_q(a, k) += moves;
      }
    }
  }
  bool branches = false;
  if (e.dependence.rest() > 0) {
    calc_row_units(e, impl.unit);
    fill_sample(impl.tangent, 0.3), fill_sample(impl.z, 1.7);
    remove_refused_motion(tree, s, impl, impl.tangent), remove_refused_motion(tree, s, impl, impl.z);
    calc_product_slopes(m, impl.slopes, q, impl.z, around.time, D);
    for (std::size_t r = 0; r < rows; ++r) {
      impl.sizes[r] = 0;
      for (std::size_t i = 0; i < n; ++i) impl.sizes[r] += std::abs(s.K[r * n + i] * impl.z[i]);
    }
    const double level = name_gaps(e, rank, impl.unit, D, impl.sizes, c);
    std::fill(impl.dz.begin(), impl.dz.end(), 0.0);
    branches = has_gap_along(e, rank, impl.unit, D, impl.tangent, D, impl.dz, level);
  }
  std::sort(c.rows.begin(), c.rows.end());
  std::sort(c.coordinates.begin(), c.coordinates.end());
  constexpr double kReached = 1e-8;  // of the largest force, as ConstrainedOptions::residual_tolerance
  if (branches) {
    fill_nan(out.u_q);
    c.status = DerivativeStatus::rank_changes;
  } else if (!(c.residual <= kReached * c.scale) && c.scale > 0) {
    c.status = DerivativeStatus::not_accurate;
  } else if (!c.rows.empty()) {
    c.status = DerivativeStatus::along_constraints;
  }
  return c;
}

}  // namespace sinew
