// tests/operators/operators_test.cpp - the algebra on random SKO models, against dense matrices
#include "sinew/operators/algebra.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sinew/operators/identities.hpp"
#include "support/dense_algebra.hpp"
#include "support/no_alloc.hpp"
#include "support/random_sko.hpp"
#include "support/stated_cost.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

using sko::Freedoms;
using sko::Nodes;
using Algebra = sko::OperatorAlgebra<double>;
using Eigen::MatrixXd;

template <class R, class C>
MatrixXd dense(const Algebra& o, const sko::Operator<R, C>& x) {
  const sko::Application<double> a(o, x);
  const std::vector<double> values = sko::materialise(o, x);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(),
                                                                                                  a.rows(), a.cols());
}

// E_A, H and M straight from the blocks: the path that knows no recursion.
MatrixXd dense_kernel_of(const sko::SkoModel<double>& m) {
  const sko::Shape& s = m.shape();
  MatrixXd E = MatrixXd::Zero(s.size(), s.size());
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < m.A().rows(k); ++i)
      for (int j = 0; j < m.A().cols(k); ++j)
        E(s.begin(s.parent(k)) + i, s.begin(k) + j) = m.A()[k][i * m.A().cols(k) + j];
  return E;
}
MatrixXd dense_diagonal_of(const sko::Shape& s, const sko::Blocks<double>& b, bool hinge) {
  MatrixXd X = MatrixXd::Zero(hinge ? s.freedoms() : s.size(), s.size());
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < b.rows(k); ++i)
      for (int j = 0; j < b.cols(k); ++j)
        X((hinge ? s.freedom_begin(k) : s.begin(k)) + i, s.begin(k) + j) = b[k][i * b.cols(k) + j];
  return X;
}
double difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
}

TEST(Operators, AllIdentitiesHoldOnAThousandModels) {
  Random rng(11);
  std::map<std::string, double> worst;
  for (int trial = 0; trial < 1000; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 24, trial % 3 * 0.5);
    const Algebra o(m);
    for (const sko::CheckedIdentity& x : sko::check_identities(o, rng)) {
      double& w = worst[x.equation + ": " + x.formula];
      if (!(x.residual <= w)) w = x.residual;  // a NaN stays
    }
  }
  EXPECT_EQ(worst.size(), 41U);
  for (const auto& [name, residual] : worst) EXPECT_TRUE(is_small(residual, 3e-13)) << name;
}

TEST(Operators, ApplyEqualsDenseMatrices) {
  Random rng(12);
  for (int trial = 0; trial < 40; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 12);
    const Algebra o(m);
    const sko::Shape& s = m.shape();
    const MatrixXd one = MatrixXd::Identity(s.size(), s.size());
    const MatrixXd E = dense_kernel_of(m), A = dense_inverse(one - E);
    const MatrixXd H = dense_diagonal_of(s, m.H(), true), M = dense_diagonal_of(s, m.M(), false);
    EXPECT_TRUE(is_small(difference(dense(o, o.A), A), 2e-14));
    EXPECT_TRUE(is_small(difference(dense(o, ~o.A), A.transpose()), 2e-14));
    EXPECT_TRUE(is_small((dense(o, o.A_tilde) - (A - one)).cwiseAbs().maxCoeff() / A.cwiseAbs().maxCoeff(), 2e-14));
    EXPECT_TRUE(is_small((dense(o, ~o.A_tilde) - (A - one).transpose()).cwiseAbs().maxCoeff(),
                         2e-14 * A.cwiseAbs().maxCoeff()));
    const MatrixXd HA = dense_product(H, A), mass = dense_product(HA, dense_product(M, HA.transpose()));
    EXPECT_TRUE(is_small(difference(dense(o, o.mass()), mass), 2e-14));
    EXPECT_TRUE(is_small(difference(dense(o, sko::inverse(o.mass())), dense_inverse(mass)), 2e-13));
    EXPECT_TRUE(is_small(difference(dense(o, o.partial_velocities()), HA.transpose()), 2e-14));
    EXPECT_TRUE(is_small(difference(dense(o, 2.5 * o.M - o.M), 1.5 * M), 1e-14));
  }
}

TEST(Operators, SeveralColumnsAreTheSameBitsAsOne) {
  Random rng(13);
  const sko::SkoModel<double> m = random_sko(rng, 9);
  const Algebra o(m);
  const auto x = sko::inverse(o.mass());
  sko::Application<double> one(o, x), three(o, x, 3);
  std::vector<double> in(at(3 * one.cols())), out(at(3 * one.rows())), column(at(one.cols())), y(at(one.rows()));
  for (double& v : in) v = rng.normal();
  three.apply(in, out);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = in[3 * i + c];
    one.apply(column, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], out[3 * i + c]);
  }
}

TEST(Operators, StatedCostIsTheCountedOne) {
  Random rng(14);
  for (int trial = 0; trial < 20; ++trial) {
    const sko::SkoModel<Counted> m = random_sko<Counted>(rng, 2 + trial);
    const sko::OperatorAlgebra<Counted> o(m);
    const auto expect = [&](const auto& x) { expect_stated_cost(o, x, rng); };
    expect(o.A), expect(~o.A), expect(o.A_tilde), expect(~o.A_tilde), expect(o.E_A), expect(~o.E_A);
    expect(o.mass()), expect(o.H), expect(~o.H), expect(o.M + 2 * o.P), expect(o.K), expect(~o.K);
  }
}

TEST(Operators, FormulasArePrintedAndInversesSayWhy) {
  Random rng(15);
  const sko::SkoModel<double> m = random_sko(rng, 4), other = random_sko(rng, 4);
  const Algebra o(m), p(other);
  EXPECT_EQ(sko::to_string(o.mass()), "H A M A* H*");
  EXPECT_EQ(sko::to_string(sko::inverse(o.mass())), "(1 - K* psi* H*) D^-1 (1 - H psi K)");
  EXPECT_EQ(sko::inverse(o.mass()).reason(), "innovations factorization [J11 51]");
  EXPECT_EQ(sko::to_string(sko::inverse(2 * o.mass())), "0.5 (1 - K* psi* H*) D^-1 (1 - H psi K)");
  EXPECT_EQ(sko::to_string(sko::inverse(o.A)), "1 - E_A");
  EXPECT_EQ(sko::to_string(sko::inverse(~o.A * ~o.psi)), "(1 - E_psi*) (1 - E_A*)");
  EXPECT_EQ(sko::to_string(~(o.A * o.M) - 3 * ~o.A), "M A* - 3 A*");
  try {
    sko::inverse(o.A * o.tau);
    ADD_FAILURE() << "tau has no inverse";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("no factorization of 'A tau' is known"), std::string::npos) << e.what();
  }
  try {
    o.A* p.M;
    ADD_FAILURE() << "operators of two models were combined";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("different models"), std::string::npos) << e.what();
  }
  EXPECT_THROW(sko::Application<double>(o, p.A), std::invalid_argument);
}

TEST(Operators, ScalesOfZeroAndThoseWithoutAnExactReciprocal) {
  Random rng(17);
  const sko::SkoModel<double> m = random_sko(rng, 5);
  const Algebra o(m);
  EXPECT_EQ(dense(o, o.M + 0 * o.P), dense(o, o.M));
  const sko::Application<double> sum(o, o.M + 49 * o.M);  // one scaling, one addition
  const sko::Application<double> one(o, o.M);
  EXPECT_EQ(sum.multiplications(), 2 * one.multiplications() + m.shape().size());
}

TEST(Operators, AnApplicationAllocatesNothing) {
  Random rng(18);
  const sko::SkoModel<double> m = random_sko(rng, 8);
  const Algebra o(m);
  sko::Application<double> solve(o, sko::inverse(o.mass()));
  sko::SkoDynamics<double> ws(m);
  std::vector<double> x(at(solve.cols()), 1.0), y(x);
  const AllocationCount allocations;
  solve.apply(x, y);
  sko::inverse_dynamics<double>(m, ws, x, y);
  sko::forward_dynamics<double>(m, ws, y, x);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(Operators, AWrongBlockIsCaught) {
  Random rng(16);
  sko::SkoModel<double> m = random_sko(rng, 6);
  const Algebra o(m);
  int child = 0;
  while (m.shape().parent(child) == sko::kInertial) ++child;
  m.A(child)[0] += 1e-6;  // and no update()
  double worst = 0;
  for (const sko::CheckedIdentity& x : sko::check_identities(o, rng)) worst = std::max(worst, x.residual);
  EXPECT_GT(worst, 1e-9);
}

}  // namespace
}  // namespace sinew::test
