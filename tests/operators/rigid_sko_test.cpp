// tests/operators/rigid_sko_test.cpp - rigid models through the SKO recursions, against the tree algorithms
#include "sinew/operators/rigid_sko.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/operators/algebra.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_sko.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

double size_of(const std::vector<double>& x) {
  double out = 1;
  for (const double v : x) out = std::max(out, std::abs(v));
  return out;
}

TEST(RigidSko, EqualsTheTreeAlgorithms) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    const Surroundings<double> around{{}, 0.3};
    sko::RigidSko r(m);
    r.update(s.q, s.v, around);
    sko::SkoDynamics<double> ws(r.sko);
    const std::size_t n = at(m.nv());

    std::vector<double> stacked(n), want(n), got(n);
    RneaWorkspace<double> rnea_ws(m);
    rnea(m, rnea_ws, s.q, s.v, s.a, want, around);
    sko::inverse_dynamics<double>(r.sko, ws, r.stack(s.a), stacked);
    EXPECT_TRUE(near(r.unstack(stacked), want, 100)) << "inverse dynamics";

    AbaWorkspace<double> aba_ws(m);
    aba(m, aba_ws, s.q, s.v, want, got, around);
    sko::forward_dynamics<double>(r.sko, ws, r.stack(want), stacked);
    EXPECT_TRUE(near(r.unstack(stacked), got, 2e4, size_of(want) + size_of(got))) << "forward dynamics";

    std::vector<double> M(n * n), of_sko(n * n);
    CrbaWorkspace<double> crba_ws(m);
    crba(m, crba_ws, s.q, MatrixView<double>(M.data(), n, n), 0.3);
    sko::calc_mass_matrix<double>(r.sko, ws, MatrixView<double>(of_sko.data(), n, n));
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t row = at(r.coordinate(static_cast<int>(i))), col = at(r.coordinate(static_cast<int>(j)));
        worst = std::max(worst, std::abs(of_sko[i * n + j] - M[row * n + col]));
      }
    EXPECT_TRUE(is_small(worst, 1e-13 * size_of(M))) << "mass matrix";
  });
}

TEST(RigidSko, IdentitiesHoldOnRandomTrees) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    sko::RigidSko r(m);
    r.update(s.q, s.v);
    const sko::OperatorAlgebra<double> o(r.sko);
    for (const sko::CheckedIdentity& x : sko::check_identities(o, rng))
      EXPECT_TRUE(is_small(x.residual, 1e-11)) << x.equation << ' ' << x.formula;  // hinges with cond(D) of 1e4
  });
}

TEST(SkoDynamics, ForwardUndoesInverseAndLogDetIsTheDense) {
  Random rng(21);
  for (int trial = 0; trial < 100; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 15);
    const std::size_t n = at(m.shape().freedoms());
    sko::SkoDynamics<double> ws(m);
    std::vector<double> a = random_numbers(rng, static_cast<int>(n)), f(n), back(n), mass(n * n);
    sko::inverse_dynamics<double>(m, ws, a, f);
    sko::forward_dynamics<double>(m, ws, f, back);
    EXPECT_TRUE(near(back, a, 500, size_of(f)));
    sko::calc_mass_matrix<double>(m, ws, MatrixView<double>(mass.data(), n, n));
    const Eigen::MatrixXd M = Eigen::Map<Eigen::MatrixXd>(mass.data(), Eigen::Index(n), Eigen::Index(n));
    EXPECT_NEAR(sko::calc_log_determinant(m, ws.riccati), std::log(dense_determinant(M)), 1e-12);
    // Operational space: Lambda = J M^-1 J^* with J = B^* A^* H^*, three points on any nodes.
    sko::calc_propagators(m, ws.riccati);
    std::vector<sko::PickOff> points;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(m.shape().size(), 6);
    for (int p = 0; p < 3; ++p) {
      const int node = static_cast<int>(rng.uniform(0, m.shape().nodes() - 1e-9));
      sko::PickOff b{node, 2, random_numbers(rng, 2 * m.shape().size(node))};
      for (int i = 0; i < m.shape().size(node); ++i)
        for (int c = 0; c < 2; ++c) B(m.shape().begin(node) + i, 2 * p + c) = b.block[at(2 * i + c)];
      points.push_back(std::move(b));
    }
    std::vector<double> Lambda(36);
    sko::calc_compliance(m, ws, points, MatrixView<double>(Lambda.data(), 6, 6));
    const sko::OperatorAlgebra<double> o(m);
    const std::vector<double> v = sko::materialise(o, o.partial_velocities());
    const Eigen::MatrixXd V = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        v.data(), m.shape().size(), Eigen::Index(n));
    const Eigen::MatrixXd J = dense_product(B.transpose(), V);
    const Eigen::MatrixXd want = dense_product(J, dense_product(dense_inverse(M), J.transpose()));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        EXPECT_TRUE(is_small(std::abs(Lambda[at(6 * i + j)] - want(i, j)), 3e-13 * want.cwiseAbs().maxCoeff()));
  }
}

TEST(SkoDynamics, AHingeWithoutInertiaIsNamed) {
  sko::SkoModel<double> m(sko::Shape({{"base", 2, 1}, {"light", 2, 1}}, {{sko::kInertial, 0}, {0, 1}}));
  const std::vector<double> one = {1, 0, 0, 1}, H = {1, 0}, light = {0, 0, 0, 1};
  m.set_weight(1, {one.data(), 2, 2});
  m.set_hinge(0, {H.data(), 1, 2});
  m.set_hinge(1, {H.data(), 1, 2});
  m.set_inertia(0, {one.data(), 2, 2});
  m.set_inertia(1, {light.data(), 2, 2});
  sko::SkoDynamics<double> ws(m);
  std::vector<double> f(2), a(2);
  try {
    sko::forward_dynamics<double>(m, ws, f, a);
    ADD_FAILURE() << "a hinge without inertia was solved";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("node 1 'light'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sinew::test
