// src/constraint/rows/motion_constraint.cpp
#include "sinew/constraint/rows/motion_constraint.hpp"

#include <algorithm>

#include "linear/matrix.hpp"
#include "sinew/linear/pivoted_elimination.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {
namespace {

using linear::Matrix, linear::multiply, linear::transpose;

void check(const char* call, const EquationOfMotion& e) {
  check_size(call, "H's rows", e.H.rows(), e.C.size());
  check_size(call, "H's columns", e.H.cols(), e.C.size());
  check_size(call, "tau", e.tau.size(), e.C.size());
}
void check_rank(const char* what, const Matrix& m, int full) {
  if (m.size() > 0 && linear::eliminate(m, linear::rounding_of(full)).rank < full)
    throw std::domain_error(std::string(what) + " does not have full rank");
}

}  // namespace

ImplicitSolution solve_implicit(const EquationOfMotion& e, MatrixView<const double> K, VectorView<const double> k) {
  check("solve_implicit", e);
  check_size("solve_implicit", "K's columns", K.cols(), e.C.size());
  check_size("solve_implicit", "k", k.size(), K.rows());
  check_rank("solve_implicit: K", linear::make_matrix(K), static_cast<int>(K.rows()));
  const std::size_t n = e.C.size(), m = K.rows();
  Matrix A(static_cast<int>(n + m), static_cast<int>(n + m));
  const MatrixView<double> a = A;
  std::vector<double> rhs(n + m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a(i, j) = e.H(i, j);
    for (std::size_t r = 0; r < m; ++r) a(i, n + r) = a(n + r, i) = K(r, i);
    rhs[i] = e.tau[i] - e.C[i];
  }
  std::copy(k.begin(), k.end(), rhs.begin() + static_cast<std::ptrdiff_t>(n));
  const std::vector<double> x = linear::solve(A, rhs);  // [F08 3.17]
  ImplicitSolution out{{x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)}, {}};
  for (std::size_t r = 0; r < m; ++r) out.lambda.push_back(-x[n + r]);
  return out;
}

ExplicitSolution solve_explicit(const EquationOfMotion& e, MatrixView<const double> G_view,
                                VectorView<const double> g) {
  check("solve_explicit", e);
  check_size("solve_explicit", "G's rows", G_view.rows(), e.C.size());
  check_size("solve_explicit", "g", g.size(), e.C.size());
  const Matrix H = linear::make_matrix(e.H), G = linear::make_matrix(G_view), Gt = transpose(G);
  check_rank("solve_explicit: G", G, G.cols());
  std::vector<double> rest = multiply(H, g);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = e.tau[i] - e.C[i] - rest[i];
  ExplicitSolution out;
  out.ydd = linear::solve(multiply(Gt, multiply(H, G)), multiply(Gt, rest));  // [F08 3.20]
  out.qdd = multiply(G, out.ydd);
  for (std::size_t i = 0; i < g.size(); ++i) out.qdd[i] += g[i];
  out.tau_c = multiply(H, out.qdd);
  for (std::size_t i = 0; i < g.size(); ++i) out.tau_c[i] += e.C[i] - e.tau[i];
  return out;
}

}  // namespace sinew
