// tests/lcp/free_rows_test.cpp - equations among the contacts: written out, eliminated, as pairs of inequalities
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "sinew/base/random.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/dense_algebra.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

using lcp::Certificate;
using lcp::FrictionProblem;
using lcp::Status;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A view: whatever is given must outlive it.
FrictionProblem make_problem(const Dense& W, const auto& q, const std::vector<double>& mu) {
  FrictionProblem p;
  p.W = {W.data(), static_cast<std::size_t>(W.rows()), static_cast<std::size_t>(W.cols())}, p.q = q, p.mu = mu;
  return p;
}

// [H -K^T -J^T; K 0 0; J 0 0], eliminated or written out: the same contact impulses, also with a row of K twice.
TEST(FreeRows, MayBeASaddle) {
  Random random(6);
  for (int trial = 0; trial < 30; ++trial) {
    const int nv = 9, nk = 2 + trial % 2, nc = 2;
    Eigen::MatrixXd A(nv, nv), K(nk, nv), J(3 * nc, nv);
    for (Eigen::MatrixXd* m : {&A, &K, &J})
      for (Eigen::Index i = 0; i < m->size(); ++i) (*m)(i) = random.normal();
    if (nk == 3) K.row(2) = K.row(0);
    const Eigen::MatrixXd H = dense_product(A, A.transpose()) + Eigen::MatrixXd::Identity(nv, nv);
    Eigen::VectorXd push(nv);
    for (int i = 0; i < nv; ++i) push[i] = random.normal();
    const int n = nv + nk + 3 * nc;
    Dense W = Dense::Zero(n, n);
    W.topLeftCorner(nv, nv) = H;
    W.block(0, nv, nv, nk) = -K.transpose(), W.block(0, nv + nk, nv, 3 * nc) = -J.transpose();
    W.block(nv, 0, nk, nv) = K, W.block(nv + nk, 0, 3 * nc, nv) = J;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(n);
    q.head(nv) = -push;
    const std::vector<double> mu{0.5, 0.2};
    FrictionProblem whole = make_problem(W, q, mu);
    whole.free = nv + nk;
    std::vector<double> z(static_cast<std::size_t>(n));
    for (const int directions : {0, 4}) {
      lcp::Solver solver({.directions = directions});
      const Certificate found = solver.solve(whole, z);
      EXPECT_EQ(found.status, Status::solved) << "trial " << trial << ": " << found.residual;
      // by hand: the motion that K leaves
      const Eigen::MatrixXd K2 = K.topRows(2), Hi = dense_inverse(H);
      const Eigen::MatrixXd KHi = dense_product(K2, Hi);
      const Eigen::MatrixXd P =
          Hi - dense_product(KHi.transpose(), dense_product(dense_inverse(dense_product(KHi, K2.transpose())), KHi));
      const Dense small = J * P * J.transpose();
      const Eigen::VectorXd small_q = J * P * push;
      std::vector<double> r(static_cast<std::size_t>(3 * nc));
      ASSERT_EQ(solver.solve(make_problem(small, small_q, mu), r).status, Status::solved);
      const Eigen::VectorXd v = Eigen::Map<Eigen::VectorXd>(z.data(), nv);
      const Eigen::VectorXd w = P * (push + J.transpose() * Eigen::Map<Eigen::VectorXd>(r.data(), 3 * nc));
      EXPECT_TRUE(is_small((v - w).cwiseAbs().maxCoeff(), 3e-14)) << "trial " << trial << " directions " << directions;
    }
  }
}

// Hinges as pairs of inequalities [J14 5]: both rows of a pair are there, the matrix is singular.
TEST(FreeRows, UnilateralPairsAreAHinge) {
  Random random(7);
  const int nv = 6;
  Eigen::MatrixXd A(nv, nv), K(2, nv), J(6, nv);
  for (Eigen::MatrixXd* m : {&A, &K, &J})
    for (Eigen::Index i = 0; i < m->size(); ++i) (*m)(i) = random.normal();
  const Eigen::MatrixXd H = dense_product(A, A.transpose()) + Eigen::MatrixXd::Identity(nv, nv);
  Eigen::MatrixXd rows(10, nv);
  rows << K, -K, J;
  Eigen::VectorXd v(nv);
  for (int i = 0; i < nv; ++i) v[i] = random.normal();
  const Dense W = dense_product(rows, dense_product(dense_inverse(H), rows.transpose()));
  const Eigen::VectorXd q = rows * v;
  const std::vector<double> mu{0.3, 0.6};
  FrictionProblem p = make_problem(W, q, mu);
  p.unilateral = 4;
  for (const int directions : {0, 4}) {
    std::vector<double> z(10);
    ASSERT_EQ(lcp::Solver({.directions = directions}).solve(p, z).status, Status::solved) << directions;
    const Eigen::VectorXd w = W * Eigen::Map<Eigen::VectorXd>(z.data(), 10) + q;
    EXPECT_TRUE(is_small(w.head(4).cwiseAbs().maxCoeff(), 1.5e-13));
  }
}

}  // namespace
}  // namespace sinew::test
