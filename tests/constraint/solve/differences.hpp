// tests/constraint/solve/differences.hpp - derivatives by differences of solutions
#pragma once
#include <array>

#include "sinew/constraint/solve/constrained_derivatives.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

using Matrix = Grid<double>;
using Column = std::vector<double>;

// a and lambda, one after the other, and their derivatives.
struct SlopesOutcome {
  SlopesOutcome(int n, int m)
      : a(at(n)), lambda(at(m)), a_q(n, n), a_v(n, n), a_tau(n, n), lambda_q(m, n), lambda_v(m, n), lambda_tau(m, n) {}
  ConstrainedDerivatives views() { return {a_q, a_v, a_tau, lambda_q, lambda_v, lambda_tau}; }
  ImpulseDerivatives impulse_views() { return {a_q, a_v, a_tau, lambda_q, lambda_v, lambda_tau}; }
  Column a, lambda;
  Matrix a_q, a_v, a_tau, lambda_q, lambda_v, lambda_tau;
  DerivativeStatus status = DerivativeStatus::exact;
};
// Rows of both matrices times x.
inline Column times(Matrix& of_a, Matrix& of_lambda, const Column& x) {
  Column out = of_a * x, more = of_lambda * x;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// A random tree with enough freedoms that rows are often independent.
struct SlopesTree {
  explicit SlopesTree(std::uint64_t seed) : model(compile(frozen(random_tree(seed, {7, all_kinds(), 0.5}))).value()) {}
  Model model;
};
// df/ds at s = 0 by differences over 2 h, h, h / 2 and h / 4: off by h^8.
template <class F>
Column romberg(F f, double h) {
  std::array<Column, 4> d;
  for (std::size_t k = 0; k < d.size(); ++k) {
    const double step = 2 * h / double(1 << k);
    const Column down = f(-step);
    d[k] = f(step);
    for (std::size_t i = 0; i < down.size(); ++i) d[k][i] = (d[k][i] - down[i]) / (2 * step);
  }
  for (std::size_t order = 1; order < d.size(); ++order)
    for (std::size_t k = d.size(); k-- > order;)
      for (std::size_t i = 0; i < d[k].size(); ++i) d[k][i] += (d[k][i] - d[k - 1][i]) / double((1 << (2 * order)) - 1);
  return d.back();
}
// M^-1 multiplies everything, and what it loses cannot be had back.
inline double scale_of(const Model& m, const Column& q, std::initializer_list<const Column*> sizes) {
  MassInverseWorkspace<double> ws(m);
  Matrix Minv(m.nv(), m.nv());
  calc_mass_inverse(m, ws, q, Minv);
  double size = 1;
  for (const Column* x : sizes) size = std::max(size, largest(*x));
  return size * std::max(1.0, largest(Minv.numbers));
}
// Where steps of any size may be taken: mostly rounding over h. Along constraints steps must be so small
// that rows still count as implied.
inline constexpr double kFar = 0x1p-8, kFarError = 0x1p-42, kNearby = 0x1p-14, kNearbyError = 0x1p-36;

}  // namespace sinew::test
