// src/constraint/rows/motion_constraint.cpp
#include "sinew/constraint/rows/motion_constraint.hpp"

#include <Eigen/LU>

namespace sinew {
namespace {

Eigen::MatrixXd to_eigen(MatrixView<const double> m) {
  Eigen::MatrixXd out(m.rows(), m.cols());
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = m(i, j);
  return out;
}
Eigen::VectorXd to_eigen(VectorView<const double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}
std::vector<double> to_vector(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

void check(const char* call, const EquationOfMotion& e) {
  check_size(call, "H's rows", e.H.rows(), e.C.size());
  check_size(call, "H's columns", e.H.cols(), e.C.size());
  check_size(call, "tau", e.tau.size(), e.C.size());
}
// One factorization serves ranks and solves: each further kind costs seconds to compile.
using Lu = Eigen::FullPivLU<Eigen::MatrixXd>;

Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return b.size() == 0 ? b : Eigen::VectorXd(Lu(A).solve(b));
}
void check_rank(const char* what, const Eigen::MatrixXd& m, Eigen::Index full) {
  if (m.size() > 0 && Lu(m).rank() < full) throw std::domain_error(std::string(what) + " does not have full rank");
}

}  // namespace

ImplicitSolution solve_implicit(const EquationOfMotion& e, MatrixView<const double> K_view,
                                VectorView<const double> k) {
  check("solve_implicit", e);
  check_size("solve_implicit", "K's columns", K_view.cols(), e.C.size());
  check_size("solve_implicit", "k", k.size(), K_view.rows());
  const Eigen::MatrixXd H = to_eigen(e.H), K = to_eigen(K_view);
  check_rank("solve_implicit: K", K, K.rows());
  const Eigen::Index n = H.rows(), nc = K.rows();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + nc, n + nc);
  A.topLeftCorner(n, n) = H;
  A.topRightCorner(n, nc) = K.transpose();
  A.bottomLeftCorner(nc, n) = K;
  Eigen::VectorXd rhs(n + nc);
  rhs << to_eigen(e.tau) - to_eigen(e.C), to_eigen(k);
  const Eigen::VectorXd x = solve(A, rhs);  // [F08 3.17]
  return {to_vector(x.head(n)), to_vector(-x.tail(nc))};
}

ExplicitSolution solve_explicit(const EquationOfMotion& e, MatrixView<const double> G_view,
                                VectorView<const double> g_view) {
  check("solve_explicit", e);
  check_size("solve_explicit", "G's rows", G_view.rows(), e.C.size());
  check_size("solve_explicit", "g", g_view.size(), e.C.size());
  const Eigen::MatrixXd H = to_eigen(e.H), G = to_eigen(G_view);
  const Eigen::VectorXd C = to_eigen(e.C), tau = to_eigen(e.tau), g = to_eigen(g_view);
  check_rank("solve_explicit: G", G, G.cols());
  const Eigen::MatrixXd HG = H.lazyProduct(G);
  const Eigen::VectorXd rest = tau - C - H.lazyProduct(g);
  const Eigen::VectorXd ydd = solve(G.transpose().lazyProduct(HG), G.transpose().lazyProduct(rest));  // [F08 3.20]
  const Eigen::VectorXd qdd = G.lazyProduct(ydd) + g;
  return {to_vector(qdd), to_vector(ydd), to_vector(H.lazyProduct(qdd) + C - tau)};
}

}  // namespace sinew
