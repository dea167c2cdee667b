// src/constraint/solve/constrained_derivatives.cpp
#include "sinew/constraint/solve/constrained_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "constraint/rows/row_slopes.hpp"
#include "constraint/solve/dependence_slopes.hpp"
#include "constraint/solve/response_columns.hpp"
#include "sinew/derivative/aba_derivatives.hpp"

namespace sinew {

struct ConstrainedDerivativesWorkspace::Impl {
  Impl(const Model& m, const ConstraintSet& set)
      : slopes(m, set),
        tree(m),
        external(m.bodies().size()),
        effort(at(m.nv())),
        a(effort),
        sample(effort),
        tangent(effort),
        still(effort),
        touched(at(m.nv())),
        C(at(m.nv()) * at(m.nv())),
        dtau_dv(C),
        M(C),
        G_q(at(set.rows()) * at(m.nv())),
        G_v(G_q),
        VT(G_q),
        D(G_q),
        B(3 * G_q.size()),
        work(B),
        left(B),
        mu(at(set.rows())),
        row_unit(mu),
        gap(mu) {}
  RowSlopes slopes;
  AbaDerivativesWorkspace<double> tree;
  std::vector<Force<double>> external;  // (bodies) external forces and those of the rows
  std::vector<double> effort, a, sample, tangent, still;
  std::vector<unsigned char> touched;  // (nv)
  std::vector<double> C, dtau_dv, M;   // (nv x nv) of calc_rnea_derivatives, for impulses; C: also of add_force_slopes
  std::vector<double> G_q, G_v;        // (rows x nv) slopes of G
  std::vector<double> VT, D;           // (rows x nv) K M^-1; slopes of K x
  std::vector<double> B, work, left;   // (rows x 3 nv)
  std::vector<double> mu, row_unit, gap;
};

namespace {

using DerivativesImpl = ConstrainedDerivativesWorkspace::Impl;

ConstrainedOptions check_method(const ConstrainedOptions& o) {
  if (o.method != ConstrainedMethod::multipliers)
    throw std::invalid_argument("ConstrainedDerivativesWorkspace: the method is " + std::string(to_string(o.method)) +
                                "; derivatives are those of `multipliers`");
  return o;
}

// The three matrices of the acceleration (or velocity), and of the multipliers.
struct Blocks {
  const MatrixView<double>* x[3];
  const MatrixView<double>* lambda[3];
};

DerivativeCertificate& start_derivatives(ConstrainedDerivativesWorkspace& ws, const SolveCertificate& solution) {
  DerivativeCertificate& c = ws.certificate;
  c.status = DerivativeStatus::exact;
  c.solution = solution.status;
  c.rank = solution.rank;
  c.residual = c.scale = 0;
  c.rows.clear(), c.coordinates.clear();
  return c;
}
const DerivativeCertificate& give_up_derivatives(ConstrainedDerivativesWorkspace& ws, const Blocks& out) {
  ws.certificate.status = DerivativeStatus::not_solved;
  for (int b = 0; b < 3; ++b) fill_nan(*out.x[b]), fill_nan(*out.lambda[b]);
  return ws.certificate;
}

// External forces, and those of the rows on their bodies.
void gather_forces(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, DerivativesImpl& impl,
                   In<Force<double>> external, In<double> lambda) {
  for (std::size_t b = 0; b < impl.external.size(); ++b)
    impl.external[b] = external.size() == 0 ? Force<double>{} : external[b];
  add_pair_forces(m, set, impl.slopes, rows, lambda, impl.external);
}

// x - V A^+ K x: the part that the rows allow. Needs VT.
void make_allowed(ForceEquation& e, const ConstrainedSystem& s, DerivativesImpl& impl, std::vector<double>& x) {
  const std::size_t n = x.size(), rows = impl.mu.size();
  for (std::size_t r = 0; r < rows; ++r) {
    e.b[r] = 0;
    for (std::size_t i = 0; i < n; ++i) e.b[r] += s.K[r * n + i] * x[i];
  }
  solve_factored(e, impl.mu);
  for (std::size_t r = 0; r < rows; ++r) add_multiple(x.data(), -impl.mu[r], impl.VT.data() + r * n, n);
}

// (2), (3) and (4): out.x holds U on entry (the last: M^-1), impl.D the change of velocity errors with q. lambda: of
// the solution.
const DerivativeCertificate& finish_derivatives(const Model& m, ConstrainedDerivativesWorkspace& ws, In<double> q,
                                                In<double> lambda, double time, const Blocks& out) {
  DerivativesImpl& impl = *ws.impl;
  DerivativeCertificate& c = ws.certificate;
  const ConstrainedSystem& s = ws.solution.system;
  ForceEquation& e = std::get<MultipliersWorkspace>(ws.solution.solver).equation;
  const RankOptions& rank = ws.solution.options.rank;
  const DofTree& tree = m.dof_tree();
  const std::size_t n = s.f.size(), rows = s.k.size();
  const auto matrix = [&](std::vector<double>& x) { return MatrixView<double>(x.data(), rows, n); };
  const auto in = [](const MatrixView<double>& x) {
    return MatrixView<const double>(x.data(), x.rows(), x.cols(), x.stride());
  };
  const MatrixView<double> VT = matrix(impl.VT), G[] = {matrix(impl.G_q), matrix(impl.G_v)}, D = matrix(impl.D);
  multiply_rows(tree, s, in(*out.x[2]), VT);
  const auto block = [&](std::vector<double>& x, std::size_t k) {
    return MatrixView<double>(x.data() + (rows > 0 ? k * n : 0), rows, n, 3 * n);
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const MatrixView<double> B = block(impl.B, k);
    multiply_rows(tree, s, in(*out.x[k]), B);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) B(r, j) = -G[k](r, j) - B(r, j);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < n; ++j) {
      block(impl.B, 2)(r, j) = -VT(r, j);  // U of forces is M^-1
      c.scale = std::max(c.scale, std::abs(block(impl.B, 0)(r, j)));
    }
  fill_sample(impl.tangent, 0.3);
  bool q_branches = false, v_branches = false;
  const bool redundant = e.dependence.rest() > 0;
  if (redundant) {
    calc_row_units(e, impl.row_unit);
    make_allowed(e, s, impl, impl.tangent);
    // Allowed are dq with K dq = 0, and dv with K dv = -(the change of velocity errors along dq).
    for (std::size_t r = 0; r < rows; ++r) {
      e.b[r] = 0;
      for (std::size_t k = 0; k < n; ++k) e.b[r] -= D(r, k) * impl.tangent[k];
    }
    solve_factored(e, impl.mu);
    std::fill(impl.sample.begin(), impl.sample.end(), 0.0);
    for (std::size_t r = 0; r < rows; ++r) add_multiple(impl.sample.data(), impl.mu[r], impl.VT.data() + r * n, n);
    const double q_level = name_gaps(e, rank, impl.row_unit, G[0], e.size, c),
                 v_level = name_gaps(e, rank, impl.row_unit, G[1], e.size, c);
    q_branches =
        has_gap_along(e, rank, impl.row_unit, G[0], impl.tangent, G[1], impl.sample, std::max(q_level, v_level));
    v_branches = has_gap_along(e, rank, impl.row_unit, G[0], impl.still, G[1], impl.tangent, v_level);
    // The rank itself: N^T d(K z) = 0 for an allowed z.
    fill_sample(impl.sample, 1.7);
    make_allowed(e, s, impl, impl.sample);
    calc_product_slopes(m, impl.slopes, q, impl.sample, time, D);
    for (std::size_t r = 0; r < rows; ++r) {
      impl.gap[r] = 0;
      for (std::size_t i = 0; i < n; ++i) impl.gap[r] += std::abs(s.K[r * n + i] * impl.sample[i]);
    }
    const double level = name_gaps(e, rank, impl.row_unit, D, impl.gap, c);
    q_branches |= has_gap_along(e, rank, impl.row_unit, D, impl.tangent, D, impl.still, level);
    // (4): w = M^-1 K^T mu with A mu = lambda
    std::copy(lambda.begin(), lambda.end(), e.b.begin());
    solve_factored(e, impl.mu);
    std::fill(impl.sample.begin(), impl.sample.end(), 0.0);
    for (std::size_t r = 0; r < rows; ++r) add_multiple(impl.sample.data(), impl.mu[r], impl.VT.data() + r * n, n);
    calc_product_slopes(m, impl.slopes, q, impl.sample, time, D);
  }

  const auto all = [&](std::vector<double>& x) { return MatrixView<double>(x.data(), rows, 3 * n); };
  solve_columns(e, ws.solution.certificate.least_row, all(impl.B), all(impl.work), all(impl.left));
  for (std::size_t k = 0; k < 3; ++k) add_response(in(VT), in(block(impl.B, k)), *out.x[k]);
  for (std::size_t k = 0; k < 3; ++k) {
    const MatrixView<double> B = block(impl.B, k);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(B.data() + r * B.stride(), n, &(*out.lambda[k])(r, 0));
  }
  if (redundant)
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t r = 0; r < rows; ++r) impl.gap[r] = D(r, j);
      project(e.dependence, impl.gap);
      for (std::size_t r = 0; r < rows; ++r) (*out.lambda[0])(r, j) += D(r, j) - impl.gap[r];
    }

  // What the answer does to the rows, along one direction.
  for (std::size_t r = 0; r < rows; ++r) {
    double rate = 0, terms = 0;
    for (std::size_t j = 0; j < n; ++j) rate += G[0](r, j) * impl.tangent[j], terms += std::abs(G[0](r, j));
    impl.gap[r] = rate;
    c.scale = std::max(c.scale, terms);
  }
  for (std::size_t i = 0; i < n; ++i) {
    impl.sample[i] = 0;
    for (std::size_t j = 0; j < n; ++j) impl.sample[i] += (*out.x[0])(i, j) * impl.tangent[j];
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) {
      const double term = s.K[r * n + i] * impl.sample[i];
      impl.gap[r] += term;
      c.scale = std::max(c.scale, std::abs(term));
    }
  for (const double x : impl.gap) c.residual = std::max(c.residual, std::abs(x));

  std::sort(c.rows.begin(), c.rows.end());
  std::sort(c.coordinates.begin(), c.coordinates.end());
  if (q_branches) fill_nan(*out.x[0]), fill_nan(*out.lambda[0]);
  if (v_branches) fill_nan(*out.x[1]), fill_nan(*out.lambda[1]);
  if (q_branches || v_branches)
    c.status = DerivativeStatus::rank_changes;
  else if (!(c.residual <= ws.solution.options.residual_tolerance * c.scale) && c.scale > 0)
    c.status = DerivativeStatus::not_accurate;
  else if (!c.rows.empty())
    c.status = DerivativeStatus::along_constraints;
  return c;
}

// U += M^-1 C, in the rows of C that were touched.
void add_response_to_forces(const DerivativesImpl& impl, const MatrixView<double>& Minv, const MatrixView<double>& U) {
  const std::size_t n = U.rows();
  for (std::size_t h = 0; h < n; ++h) {
    if (!impl.touched[h]) continue;
    for (std::size_t i = 0; i < n; ++i)
      if (const double x = Minv(i, h); x != 0) add_multiple(U.data() + i * U.stride(), x, impl.C.data() + h * n, n);
  }
}

void check_blocks(const char* call, const Blocks& out, const char* const (&names)[6], std::size_t rows, std::size_t n) {
  for (std::size_t b = 0; b < 3; ++b) {
    check_shape(call, names[b], *out.x[b], n, n);
    check_shape(call, names[3 + b], *out.lambda[b], rows, n);
  }
}

}  // namespace

ConstrainedDerivativesWorkspace::ConstrainedDerivativesWorkspace(const Model& m, const ConstraintSet& set,
                                                                 const ConstrainedOptions& o)
    : solution(m, set, check_method(o)), impl(std::make_unique<Impl>(m, set)) {
  certificate.rows.reserve(at(set.rows()));
  certificate.coordinates.reserve(at(m.nv()));
}
ConstrainedDerivativesWorkspace::~ConstrainedDerivativesWorkspace() = default;
ConstrainedDerivativesWorkspace::ConstrainedDerivativesWorkspace(ConstrainedDerivativesWorkspace&&) noexcept = default;
ConstrainedDerivativesWorkspace& ConstrainedDerivativesWorkspace::operator=(
    ConstrainedDerivativesWorkspace&&) noexcept = default;

const DerivativeCertificate& calc_constrained_derivatives(const Model& m, const ConstraintSet& set,
                                                          ConstrainedDerivativesWorkspace& ws, In<double> q,
                                                          In<double> v, In<double> tau, Out<double> a,
                                                          Out<double> lambda, const ConstrainedDerivatives& out,
                                                          const Surroundings<double>& s) {
  const char* call = "calc_constrained_derivatives";
  check_rows(call, m, set, ws.solution.rows);
  const std::size_t n = at(m.nv());
  const Blocks blocks{{&out.a_q, &out.a_v, &out.a_tau}, {&out.lambda_q, &out.lambda_v, &out.lambda_tau}};
  check_blocks(call, blocks, {"a_q", "a_v", "a_tau", "lambda_q", "lambda_v", "lambda_tau"}, at(set.rows()), n);
  const SolveCertificate& solved = constrained_forward_dynamics(m, set, ws.solution, q, v, tau, a, lambda, s);
  start_derivatives(ws, solved);
  if (solved.status != SolveStatus::solved) return give_up_derivatives(ws, blocks);

  DerivativesImpl& impl = *ws.impl;
  const double period = ws.solution.options.stabilization.period, rate = period > 0 ? 1 / period : 0;
  place_row_slopes(m, set, impl.slopes, q, v, a, s.time, rate > 0);
  if (solved.rank < set.rows())
    calc_row_slopes(m, impl.slopes, q, v, a, {0, 1, 0}, {impl.D.data(), at(set.rows()), n},
                    {impl.VT.data(), at(set.rows()), n});
  calc_row_slopes(m, impl.slopes, q, v, a, {1, 2 * rate, rate * rate}, {impl.G_q.data(), at(set.rows()), n},
                  {impl.G_v.data(), at(set.rows()), n});
  // (1)
  gather_forces(m, set, ws.solution.rows, impl, s.external, lambda);
  std::copy(tau.begin(), tau.end(), impl.effort.begin());
  add_gear_forces(impl.slopes, q, lambda, impl.effort);
  calc_aba_derivatives(m, impl.tree, q, v, impl.effort, impl.a, out.a_q, out.a_v, out.a_tau, {impl.external, s.time});
  std::fill(impl.C.begin(), impl.C.end(), 0.0);
  std::fill(impl.touched.begin(), impl.touched.end(), static_cast<unsigned char>(0));
  if (add_force_slopes(m, impl.slopes, q, lambda, {impl.C.data(), n, n}, impl.touched))
    add_response_to_forces(impl, out.a_tau, out.a_q);
  return finish_derivatives(m, ws, q, lambda, s.time, blocks);
}

const DerivativeCertificate& calc_impulse_derivatives(const Model& m, const ConstraintSet& set,
                                                      ConstrainedDerivativesWorkspace& ws, In<double> q,
                                                      In<double> before, In<double> impulse, In<double> target,
                                                      Out<double> after, Out<double> P, const ImpulseDerivatives& out,
                                                      double time) {
  const char* call = "calc_impulse_derivatives";
  check_rows(call, m, set, ws.solution.rows);
  const std::size_t n = at(m.nv()), rows = at(set.rows());
  const Blocks blocks{{&out.after_q, &out.after_before, &out.after_impulse}, {&out.P_q, &out.P_before, &out.P_impulse}};
  check_blocks(call, blocks, {"after_q", "after_before", "after_impulse", "P_q", "P_before", "P_impulse"}, rows, n);
  const SolveCertificate& solved = constrained_impulse(m, set, ws.solution, q, before, impulse, target, after, P, time);
  start_derivatives(ws, solved);
  if (solved.status != SolveStatus::solved) return give_up_derivatives(ws, blocks);

  DerivativesImpl& impl = *ws.impl;
  const MatrixView<double> G_q(impl.G_q.data(), rows, n), G_v(impl.G_v.data(), rows, n), C(impl.C.data(), n, n);
  place_row_slopes(m, set, impl.slopes, q, after, impl.still, time, false);
  if (target.size() == 0)
    calc_row_slopes(m, impl.slopes, q, after, impl.still, {0, 1, 0}, G_q, G_v);
  else
    calc_product_slopes(m, impl.slopes, q, after, time, G_q);
  std::fill(impl.G_v.begin(), impl.G_v.end(), 0.0);
  std::fill(impl.D.begin(), impl.D.end(), 0.0);

  // U_q = -M^-1 d(M x - K^T P) for x = after - before: the tree at rest, accelerated by x; without its weight.
  gather_forces(m, set, ws.solution.rows, impl, {}, P);
  for (std::size_t i = 0; i < n; ++i) impl.sample[i] = after[i] - before[i];
  const MatrixView<double> dtau_dv(impl.dtau_dv.data(), n, n), M(impl.M.data(), n, n);
  calc_rnea_derivatives(m, impl.tree.inverse, q, impl.still, impl.sample, impl.effort, out.after_q, dtau_dv, M,
                        {impl.external, time});
  calc_rnea_derivatives(m, impl.tree.inverse, q, impl.still, impl.still, impl.effort, C, dtau_dv, M, {{}, time});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) C(i, j) -= out.after_q(i, j);
  add_force_slopes(m, impl.slopes, q, P, C, impl.touched);
  std::fill(impl.touched.begin(), impl.touched.end(), static_cast<unsigned char>(1));
  // M^-1, then U of the three
  calc_aba_derivatives(m, impl.tree, q, impl.still, impl.still, impl.a, out.after_q, dtau_dv, out.after_impulse,
                       {{}, time});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out.after_q(i, j) = 0, out.after_before(i, j) = i == j ? 1 : 0;
  add_response_to_forces(impl, out.after_impulse, out.after_q);
  return finish_derivatives(m, ws, q, P, time, blocks);
}

}  // namespace sinew
