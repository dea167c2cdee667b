// tests/constraint/two_trees/dense_trees.hpp - two coupled trees by dense matrices of size nv: the oracle [R92 0.22]
#pragma once
#include "sinew/constraint/two_trees/primary_secondary.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline MatrixView<double> view_of(Matrix& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}
inline MatrixView<const double> view_of(const Matrix& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}
inline Numbers joined(Numbers a, const Numbers& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Numbers entries_of(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }
inline Eigen::VectorXd vector_of(const Numbers& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
inline Matrix random_coefficients(Random& rng, Eigen::Index rows, Eigen::Index cols) {
  Matrix a(rows, cols);
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = rng.uniform(-1, 1);
  return a;
}

// One tree at a state: M, T - C, J of the closure points, J' v, and the rows of its loops.
struct DenseTree {
  Matrix M, J, K;
  Eigen::VectorXd f, bias, k;
  DenseTree(const Model& m, const std::vector<Place>& places, const ConstraintSet* loops, const Numbers& q,
            const Numbers& v, const Numbers& tau, double time = 0)
      : M(m.nv(), m.nv()), J(6 * places.size(), m.nv()), K(loops ? loops->rows() : 0, m.nv()), f(m.nv()) {
    CrbaWorkspace<double> crba_ws(m);
    crba(m, crba_ws, q, view_of(M), time);
    RneaWorkspace<double> rnea(m);
    Numbers h(at(m.nv()));
    calc_bias(m, rnea, q, v, h, {.external = {}, .time = time});
    f = vector_of(tau) - vector_of(h);
    JacobianWorkspace<double> jacobian(m);
    calc_jacobian_rates(m, jacobian, q, v, time);
    bias.resize(J.rows()), k.resize(K.rows());
    for (std::size_t i = 0; i < places.size(); ++i) {
      Matrix rows(6, m.nv());
      get_jacobian(m, jacobian, places[i], ReferenceFrame::mixed, view_of(rows));
      J.middleRows(static_cast<Eigen::Index>(6 * i), 6) = rows;
      const auto c = to_array(get_bias_acceleration(jacobian, places[i], ReferenceFrame::mixed));
      for (std::size_t j = 0; j < 6; ++j) bias[static_cast<Eigen::Index>(6 * i + j)] = c[j];
    }
    if (!loops) return;
    ConstraintRows rows(m, *loops);
    calc_constraint_rows(m, *loops, rows, q, v, time);
    get_constraint_jacobian(m, *loops, rows, view_of(K));
    k = vector_of(rows.k);
  }
};

inline Matrix block_diagonal(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  if (out.size() == 0) return out;  // Eigen makes blocks of nothing by arithmetic on a null pointer
  out.topLeftCorner(a.rows(), a.cols()) = a, out.bottomRightCorner(b.rows(), b.cols()) = b;
  return out;
}

// All rows G x = k: coupling first, then the loops of both; x = x_free + M^-1 G^T W^+ (k - G x_free).
struct DenseTrees {
  Matrix M, G;
  Eigen::VectorXd f, k;
  DenseTrees(const DenseTree& p, const DenseTree& s, const Matrix& A_P, const Matrix& A_S, const Numbers& U)
      : M(block_diagonal(p.M, s.M)), f(p.f.size() + s.f.size()) {
    const Eigen::Index rows = A_P.rows(), n = p.M.rows();
    G = Matrix::Zero(rows + p.K.rows() + s.K.rows(), M.rows());
    G.topLeftCorner(rows, n) = dense_product(A_P, p.J);
    G.topRightCorner(rows, s.M.rows()) = dense_product(A_S, s.J);
    G.bottomRows(p.K.rows() + s.K.rows()) = block_diagonal(p.K, s.K);
    f << p.f, s.f;
    k.resize(G.rows());
    k << vector_of(U), p.k, s.k;
  }
  // The square root of M^-1.
  Matrix inverse_root() const {
    const SymmetricEigen e = symmetric_eigen(M);
    return dense_product(dense_product(e.vectors, e.values.cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix()),
                         e.vectors.transpose());
  }
  // Smaller eigenvalues of the scaled W count as zero.
  Numbers solve(const Eigen::VectorXd& free, double least = 1e-11) const {
    const Matrix Y = dense_product(inverse_root(), G.transpose());
    Matrix W = dense_product(Y.transpose(), Y);
    Eigen::VectorXd scale(W.rows()), b = k - G * free;
    for (Eigen::Index i = 0; i < W.rows(); ++i)
      scale[i] = W(i, i) > 1e-20 * W.diagonal().maxCoeff() ? 1 / std::sqrt(W(i, i)) : 0;
    W = dense_product(dense_product(scale.asDiagonal().toDenseMatrix(), W), scale.asDiagonal().toDenseMatrix());
    const SymmetricEigen e = symmetric_eigen(W);
    Eigen::VectorXd y = e.vectors.transpose() * b.cwiseProduct(scale);
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = e.values[i] > least ? y[i] / e.values[i] : 0;
    const Eigen::VectorXd lambda = (e.vectors * y).cwiseProduct(scale);
    return entries_of(free + dense_solve(M, G.transpose() * lambda));
  }
  Numbers accelerate() const { return solve(dense_solve(M, f)); }
};

}  // namespace sinew::test
