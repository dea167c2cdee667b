// src/constraint/rank/assemble.cpp
#include "sinew/constraint/rank/assemble.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "linear/pivoted_qr.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
namespace {

double largest_of(const std::vector<double>& x) {
  double out = 0;
  for (const double e : x) out = std::isfinite(e) ? std::max(out, std::abs(e)) : HUGE_VAL;
  return out;
}

// The shortest x with K x = -e, up to the rank: with K^T P = Q R it is -Q R^-T P^T e.
void calc_step(const linear::Matrix& K, const std::vector<double>& e, std::vector<double>& x) {
  const linear::PivotedQr qr(transpose(K));
  const int rank = qr.find_rank(linear::kDependentWhileAssembling);
  linear::Matrix y(K.cols(), 1);
  for (int i = 0; i < rank; ++i) {
    double sum = -e[qr.order()[i]];
    for (int k = 0; k < i; ++k) sum -= qr.r(k, i) * y(k, 0);
    y(i, 0) = sum / qr.r(i, i);
  }
  qr.multiply(y);
  std::copy_n(y.data(), x.size(), x.begin());
}

}  // namespace

Assembly assemble(const Model& m, const ConstraintSet& set, VectorView<double> q, double time,
                  const AssembleOptions& options) {
  check_set("assemble", m, set);
  check_size("assemble", "q", q.size(), at(m.nq()));
  ConstraintRows rows(m, set);
  linear::Matrix K(set.rows(), m.nv());
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
    if (out.closed || out.iterations == options.iterations || m.nv() == 0 || !std::isfinite(error)) break;

    get_constraint_jacobian(m, set, rows, K);
    calc_step(K, rows.position, dv);
    const double longest = largest_of(dv);
    if (longest > options.longest_step)
      for (double& x : dv) x *= options.longest_step / longest;
    integrate(m, q, dv, 1, q);
    normalize<double>(m, q);
  }
  std::copy(best.begin(), best.end(), q.begin());
  return out;
}

}  // namespace sinew
