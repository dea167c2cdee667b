// tests/operators/lyapunov_test.cpp
#include "sinew/operators/lyapunov.hpp"

#include <gtest/gtest.h>

#include "sinew/operators/algebra.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_sko.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;

MatrixXd dense_resolvent(const sko::Shape& s, const sko::Blocks<double>& A) {
  MatrixXd E = MatrixXd::Identity(s.size(), s.size());
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < A.rows(k); ++i)
      for (int j = 0; j < A.cols(k); ++j) E(s.begin(s.parent(k)) + i, s.begin(k) + j) -= A[k][i * A.cols(k) + j];
  return dense_inverse(E);
}
MatrixXd dense_blocks(const sko::Shape& s, const sko::Blocks<double>& X) {
  MatrixXd out = MatrixXd::Zero(s.size(), s.size());
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < X.rows(k); ++i)
      for (int j = 0; j < X.cols(k); ++j) out(s.begin(k) + i, s.begin(k) + j) = X[k][i * X.cols(k) + j];
  return out;
}

TEST(Lyapunov, BlocksAreThoseOfTheDenseProducts) {
  Random rng(31);
  for (int trial = 0; trial < 40; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 2 + trial % 10);
    const sko::Shape& s = m.shape();
    sko::Blocks<double> B = m.A(), X = m.M(), Y = m.M();  // B unlike A, X not symmetric
    for (int k = 0; k < s.nodes(); ++k) {
      for (int i = 0; i < B.rows(k) * B.cols(k); ++i) B[k][i] = rng.normal() / 3;
      for (int i = 0; i < X.rows(k) * X.cols(k); ++i) X[k][i] = rng.normal();
    }
    const MatrixXd A_dense = dense_resolvent(s, m.A()), B_dense = dense_resolvent(s, B), X_dense = dense_blocks(s, X);
    for (const bool forward : {true, false}) {
      const MatrixXd Z = forward ? dense_product(A_dense, dense_product(X_dense, B_dense.transpose()))
                                 : dense_product(A_dense.transpose(), dense_product(X_dense, B_dense));
      (forward ? sko::solve_forward_lyapunov<double> : sko::solve_backward_lyapunov<double>)(s, m.A(), B, X, Y);
      for (int i = 0; i < s.nodes(); ++i)
        for (int j = 0; j < s.nodes(); ++j) {
          const std::vector<double> block =
              forward ? sko::calc_forward_block(s, m.A(), B, Y, i, j) : sko::calc_backward_block(s, m.A(), B, Y, i, j);
          ASSERT_EQ(block.size(), at(s.size(i) * s.size(j)));
          for (int r = 0; r < s.size(i); ++r)
            for (int c = 0; c < s.size(j); ++c) {
              const double got = block[at(r * s.size(j) + c)];
              EXPECT_TRUE(is_small(std::abs(got - Z(s.begin(i) + r, s.begin(j) + c)), 3e-14 * Z.cwiseAbs().maxCoeff()));
              if (forward && !s.related(i, j)) {
                EXPECT_EQ(got, 0);
              }
            }
        }
    }
  }
}

TEST(Lyapunov, BlocksThatDoNotFitAreRefused) {
  Random rng(33);
  const sko::SkoModel<double> m = random_sko(rng, 3), other = random_sko(rng, 4);
  sko::Blocks<double> small;
  for (int k = 0; k < 3; ++k) small.add(1, 0);
  EXPECT_THROW(sko::solve_forward_lyapunov(m.shape(), m.A(), m.A(), m.M(), small), std::invalid_argument);
  EXPECT_THROW(sko::solve_backward_lyapunov(m.shape(), m.A(), m.A(), small, small), std::invalid_argument);
  sko::Blocks<double> Y = other.M();
  EXPECT_THROW(sko::solve_forward_lyapunov(m.shape(), m.A(), m.A(), other.M(), Y), std::invalid_argument);
  EXPECT_THROW(sko::calc_forward_block(m.shape(), m.A(), m.A(), Y, 0, 0), std::invalid_argument);
}

// Lemma .5 of R92 leaves R of [J11 21] out: right on a chain, wrong on a tree.
TEST(Lyapunov, WithoutRIsRightOnChainsOnly) {
  Random rng(32);
  for (const double branching : {0.0, 1.0}) {
    double worst = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const sko::SkoModel<double> m = random_sko(rng, 8, branching);
      const sko::Shape& s = m.shape();
      sko::Blocks<double> Y = m.M();
      sko::solve_backward_lyapunov(s, m.A(), m.A(), m.M(), Y);
      const MatrixXd A = dense_resolvent(s, m.A()), one = MatrixXd::Identity(s.size(), s.size());
      const MatrixXd D = dense_blocks(s, Y), Z = dense_product(A.transpose(), dense_product(dense_blocks(s, m.M()), A));
      const MatrixXd without_R = D + dense_product((A - one).transpose(), D) + dense_product(D, A - one);
      worst = std::max(worst, (Z - without_R).cwiseAbs().maxCoeff() / Z.cwiseAbs().maxCoeff());
    }
    if (branching == 0) {
      EXPECT_TRUE(is_small(worst, 3e-14));
    } else {
      EXPECT_GT(worst, 0.01);
    }
  }
}

// The smallest counterexample, in exact numbers: a base of unit inertia moves along its first axis and carries two
// children of unit inertia, each free along the second. D of the base is 3, so a unit force on one child along the
// first axis accelerates both, and the base, by 1/3. [R92 .42] has 0 between the children.
TEST(Lyapunov, LemmaFiveOfR92FailsOnThreeNodes) {
  sko::SkoModel<double> m(
      sko::Shape({{"left", 2, 1}, {"right", 2, 1}, {"base", 2, 1}}, {{2, 0}, {2, 1}, {sko::kInertial, 2}}));
  const std::vector<double> one = {1, 0, 0, 1}, first = {1, 0}, second = {0, 1};
  for (int k = 0; k < 3; ++k) {
    m.set_inertia(k, {one.data(), 2, 2});
    m.set_hinge(k, {k == 2 ? first.data() : second.data(), 1, 2});
    if (k < 2) m.set_weight(k, {one.data(), 2, 2});
  }
  const sko::OperatorAlgebra<double> o(m);
  const sko::TaskPoints<double> ends(m, {{0, 1, first}, {1, 1, first}});
  const std::vector<double> Lambda = sko::materialise(o, o.compliance(ends.B));
  const auto printed = ~ends.B * (o.Upsilon + ~o.psi_tilde * o.Upsilon + o.Upsilon * o.psi_tilde) * ends.B;
  const std::vector<double> without_R = sko::materialise(o, printed);
  for (const std::size_t i : {0U, 3U}) {
    EXPECT_NEAR(Lambda[i], 1.0 / 3, 1e-15);
    EXPECT_NEAR(without_R[i], 1.0 / 3, 1e-15);
  }
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_NEAR(Lambda[i], 1.0 / 3, 1e-15);
    EXPECT_EQ(without_R[i], 0);
  }
}

}  // namespace
}  // namespace sinew::test
