// tests/support/same_sko.hpp - do two SKO models of one system move alike?
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>

#include "sinew/base/random.hpp"
#include "sinew/operators/sko_dynamics.hpp"

namespace sinew::test {

using HingeMap = std::function<std::vector<double>(const std::vector<double>&)>;

// Relative differences. Accelerations are compared as forces, so that the condition of the mass matrix does not count;
// in the determinant it does.
struct SkoDifference {
  double inverse = 0, forward = 0, mass = 0, log_determinant = 0;
  double worst() const { return std::max({inverse, forward, mass}); }
};
// to_b: stacked hinge numbers of a in the order of b; to_a: back.
inline SkoDifference compare_sko(const sko::SkoModel<double>& a, const sko::SkoModel<double>& b, const HingeMap& to_b,
                                 const HingeMap& to_a, Random& rng) {
  const std::size_t n = at(a.shape().freedoms());
  sko::SkoDynamics<double> of_a(a), of_b(b);
  std::vector<double> qdd(n), tau(n), other(n), back(n), M(n * n), M_b(n * n);
  for (double& x : qdd) x = rng.normal();
  const auto largest = [](const std::vector<double>& x) {
    double out = 1e-300;
    for (const double v : x) out = std::max(out, std::abs(v));
    return out;
  };
  const auto apart = [&](const std::vector<double>& x, const std::vector<double>& y) {
    double out = 0;
    for (std::size_t i = 0; i < x.size(); ++i) out = std::max(out, std::abs(x[i] - y[i]));
    return out;
  };
  SkoDifference out;
  sko::inverse_dynamics<double>(a, of_a, qdd, tau);
  sko::inverse_dynamics<double>(b, of_b, to_b(qdd), other);
  out.inverse = apart(tau, to_a(other)) / largest(tau);
  sko::calc_mass_matrix<double>(a, of_a, MatrixView<double>(M.data(), n, n));
  sko::calc_mass_matrix<double>(b, of_b, MatrixView<double>(M_b.data(), n, n));
  for (std::size_t j = 0; j < n; ++j) {  // column by column: M_b e = to_b(M to_a(e))
    std::vector<double> e(n), column(n), want(n);
    e[j] = 1;
    const std::vector<double> x = to_a(e);
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = M_b[i * n + j];
      for (std::size_t k = 0; k < n; ++k) want[i] += M[i * n + k] * x[k];
    }
    out.mass = std::max(out.mass, apart(column, to_b(want)) / largest(M));
  }
  sko::forward_dynamics<double>(a, of_a, tau, back);
  sko::forward_dynamics<double>(b, of_b, to_b(tau), other);
  other = to_a(other);
  double scale = 1e-300, left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0, residual = 0;
    for (std::size_t k = 0; k < n; ++k) {
      row += std::abs(M[i * n + k] * back[k]);
      residual += M[i * n + k] * (other[k] - back[k]);
    }
    scale = std::max(scale, row), left = std::max(left, std::abs(residual));
  }
  out.forward = left / scale;
  out.log_determinant = std::abs(calc_log_determinant(a, of_a.riccati) - calc_log_determinant(b, of_b.riccati)) /
                        std::max(1.0, std::abs(calc_log_determinant(a, of_a.riccati)));
  return out;
}

}  // namespace sinew::test
