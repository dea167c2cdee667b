// src/constraint/rank/assemble.cpp
#include "sinew/constraint/rank/assemble.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double largest_of(const std::vector<double>& x) {
  double out = 0;
  for (const double e : x) out = std::isfinite(e) ? std::max(out, std::abs(e)) : HUGE_VAL;
  return out;
}

}  // namespace

Assembly assemble(const Model& m, const ConstraintSet& set, VectorView<double> q, double time,
                  const AssembleOptions& options) {
  check_set("assemble", m, set);
  check_size("assemble", "q", q.size(), at(m.nq()));
  ConstraintRows rows(m, set);
  const auto n = static_cast<Eigen::Index>(m.nv()), count = static_cast<Eigen::Index>(set.rows());
  RowMajor K(count, n);
  std::vector<double> best(q.begin(), q.end()), dv(rows.zeros.size());
  Assembly out{false, HUGE_VAL, 0};
  for (;; ++out.iterations) {
    calc_constraint_rows(m, set, rows, q, rows.zeros, time);
    const double error = largest_of(rows.position);
    if (error < out.error) {
      out.error = error;
      std::copy(q.begin(), q.end(), best.begin());
    }
    out.closed = out.error <= options.tolerance;
    if (out.closed || out.iterations == options.iterations || n == 0 || !std::isfinite(error)) break;

    // dv = -K^T (K K^T + a little)^-1 e: the shortest, as far as the rows agree.
    get_constraint_jacobian(m, set, rows, {K.data(), static_cast<std::size_t>(count), static_cast<std::size_t>(n)});
    Eigen::MatrixXd A = K * K.transpose();
    A.diagonal().array() += 1e-14 * std::max(A.diagonal().maxCoeff(), 1e-300);
    const Eigen::Map<const Eigen::VectorXd> e(rows.position.data(), count);
    Eigen::Map<Eigen::VectorXd> step(dv.data(), n);
    step = -K.transpose() * A.ldlt().solve(e);
    const double longest = step.cwiseAbs().maxCoeff();
    if (longest > options.longest_step) step *= options.longest_step / longest;
    integrate(m, q, dv, 1, q);
    normalize<double>(m, q);
  }
  std::copy(best.begin(), best.end(), q.begin());
  return out;
}

}  // namespace sinew
