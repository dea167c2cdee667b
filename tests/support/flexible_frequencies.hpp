// tests/support/flexible_frequencies.hpp - frequencies of one flexible body, at rest or spinning
#pragma once
#include <cmath>
#include <vector>

#include "support/dense_algebra.hpp"
#include "support/flexible_case.hpp"

namespace sinew::test {

// omega of the modes, at rest or with the joint turning at `speed`: stiffness by differences of inverse dynamics.
inline std::vector<double> frequencies(const Model& m, const sko::FlexibleBody& body, double speed) {
  const sko::FlexibleModel flexible(m, {body});
  sko::FlexibleSko f(flexible);
  const int n = body.modes, rigid = m.nv();
  FlexibleState s{std::vector<double>(m.neutral().begin(), m.neutral().end()), std::vector<double>(at(rigid), speed),
                  std::vector<double>(at(rigid), 0.0)};
  for (auto* x : {&s.q, &s.v, &s.a}) x->resize(x->size() + at(n), 0.0);
  Eigen::MatrixXd K(n, n), M(n, n);
  const double h = 1e-4;
  for (int i = 0; i < n; ++i) {
    s.q[at(m.nq() + i)] = h;
    const std::vector<double> after = inverse_dynamics_of(f, s);
    s.q[at(m.nq() + i)] = -h;
    const std::vector<double> before = inverse_dynamics_of(f, s);
    s.q[at(m.nq() + i)] = 0;
    const std::vector<double> rest = inverse_dynamics_of(f, s);
    s.a[at(rigid + i)] = 1;
    const std::vector<double> pushed = inverse_dynamics_of(f, s);
    s.a[at(rigid + i)] = 0;
    for (int r = 0; r < n; ++r) {
      K(r, i) = (after[at(rigid + r)] - before[at(rigid + r)]) / (2 * h);
      M(r, i) = pushed[at(rigid + r)] - rest[at(rigid + r)];
    }
  }
  const SymmetricEigen mass = symmetric_eigen(M);
  const Eigen::MatrixXd root =
      mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal() * mass.vectors.transpose();
  const Eigen::VectorXd squares =
      symmetric_eigen(dense_product(root, dense_product(0.5 * (K + K.transpose()), root))).values;
  std::vector<double> out;
  for (const double x : squares) out.push_back(std::sqrt(x));
  return out;
}

}  // namespace sinew::test
