// tests/constraint/solve/forward_dynamics_test.cpp - every method of constrained dynamics against every other [F08 8.5]
#include "sinew/constraint/solve/forward_dynamics.hpp"

#include "sinew/tree/aba.hpp"
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

struct Answer {
  std::vector<double> qdd, lambda;
  SolveCertificate c;
};
Answer solve(const LoopState& l, ConstrainedMethod method, const Surroundings<double>& around = {}) {
  ConstrainedWorkspace ws(l.model, l.set, {.method = method});
  Answer a{std::vector<double>(l.s.v.size()), std::vector<double>(static_cast<std::size_t>(l.set.rows())), {}};
  a.c = constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, a.qdd, a.lambda, around);
  return a;
}

// Straight from 8.36, with dense matrices and a pseudo-inverse, on the oracle's H and bias: qdd, and lambda = A^+ b.
std::pair<Numbers, Numbers> dense_oracle(const LoopState& l) {
  const Eigen::Index n = l.model.nv(), m = l.set.rows();
  ConstraintRows rows(l.model, l.set);
  calc_constraint_rows(l.model, l.set, rows, l.s.q, l.s.v);
  Grid<double> K = jacobian(l.model, l.set, rows);
  const Eigen::MatrixXd Ke = Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(K.numbers.data(), m, n);
  const Eigen::MatrixXd Hi = dense_inverse(naive_mass_matrix(l.model, l.s.q));
  const std::vector<double> zero(l.s.v.size()), h = naive_rnea(l.model, l.s.q, l.s.v, zero);
  const Eigen::VectorXd f =
      Eigen::Map<const Eigen::VectorXd>(l.tau.data(), n) - Eigen::Map<const Eigen::VectorXd>(h.data(), n);
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(rows.k.data(), m) - Ke * (Hi * f);
  // A^+ b by the eigenvectors of A.
  const auto [values, vectors] = symmetric_eigen(dense_product(dense_product(Ke, Hi), Ke.transpose()));
  Eigen::VectorXd y = vectors.transpose() * b;
  for (Eigen::Index i = 0; i < m; ++i) y[i] = values[i] > 1e-11 * values[m - 1] ? y[i] / values[i] : 0;
  const Eigen::VectorXd lambda = vectors * y, x = Hi * (f + Ke.transpose() * lambda);
  return {Numbers(x.begin(), x.end()), Numbers(lambda.begin(), lambda.end())};
}

}  // namespace

TEST(ConstrainedForwardDynamics, AllMethodsAgree) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    const Answer first = solve(l, ConstrainedMethod::kkt);
    const double scale = std::max(1.0, largest(first.qdd));
    const auto [qdd, lambda] = dense_oracle(l);
    EXPECT_TRUE(near(first.qdd, qdd, 1, scale, 3e-13));
    EXPECT_TRUE(near(first.lambda, lambda, 1, std::max(1.0, largest(lambda)), 1e-12));
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      const Answer a = solve(l, method);
      EXPECT_EQ(a.c.status, SolveStatus::solved) << to_string(a.c.status);
      EXPECT_EQ(a.c.algorithm, to_string(method));
      EXPECT_TRUE(near(a.qdd, first.qdd, 1, scale, 1e-12));
      if (method == ConstrainedMethod::proximal) {
        EXPECT_TRUE(near(a.lambda, lambda, 1, std::max(1.0, largest(lambda)), 2e-6));
      }
      if (a.c.rank >= 0) {
        EXPECT_EQ(a.c.rank, c.rank);
        EXPECT_EQ(static_cast<int>(a.c.redundant.size()), l.set.rows() - c.rank);
        EXPECT_TRUE(near(a.lambda, first.lambda, 1, std::max(1.0, largest(first.lambda)), 1e-12));
      }
      EXPECT_TRUE(is_small(a.c.constraint_residual, 1e-13 * a.c.constraint_scale));
      EXPECT_TRUE(is_small(a.c.dynamics_residual, 2e-14 * a.c.dynamics_scale));
    }
  }
}

TEST(ConstrainedForwardDynamics, WithoutRowsIsAba) {
  for_random_trees(12, [&](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<double> tau = random_numbers(rng, m.nv());
    std::vector<Force<double>> external;
    for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec3(rng), random_vec3(rng)});
    const Surroundings<double> around{external, 0.3};
    AbaWorkspace<double> aba_ws(m);
    std::vector<double> want(s.v.size()), got(want), lambda;
    aba(m, aba_ws, s.q, s.v, tau, want, around);
    const ConstraintSet set(m);
    ASSERT_EQ(set.rows(), 0);
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(m, set, {.method = method});
      const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, s.q, s.v, tau, got, lambda, around);
      EXPECT_EQ(c.status, SolveStatus::solved);
      EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 1e-10));
    }
  });
}

TEST(ConstrainedForwardDynamics, ContradictingRowsAreNamed) {
  // Two welds of the same body to the world, one of which moves away.
  const Model m = compile(mechanisms::pendulum(3)).value();
  const std::string body = m.bodies()[3].name;
  MaskConstraint still{.name = "still",
                       .body_a = "",
                       .body_b = body,
                       .pose_a = {},
                       .pose_b = {},
                       .blocked = {false, false, false, true, false, true},
                       .laws = {}};
  KinematicsWorkspace<double> kinematics(m);
  std::vector<double> q{0.4, -0.7, 0.9}, v(3), qdd(3), lambda(4);
  calc_kinematics(m, kinematics, q);
  still.pose_a = get_body_pose(m, kinematics, 3);
  MaskConstraint moving = still;
  moving.name = "moving";
  const MotionLaw away = [](double t) { return MotionSample{t * t, 2 * t, 2}; };
  moving.laws = {away, MotionLaw{}};
  const ConstraintSet set(m, {still, moving});
  for (const ConstrainedMethod method : kMethods) {
    SCOPED_TRACE(to_string(method));
    ConstrainedWorkspace ws(m, set, {.method = method});
    const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, q, v, v, qdd, lambda);
    EXPECT_EQ(c.status, SolveStatus::inconsistent) << to_string(c.status);
    EXPECT_EQ(c.contradicting, (std::vector<int>{0, 2})) << testing::PrintToString(c.contradicting);
    EXPECT_TRUE(c.rank == 2 || c.rank == -1) << c.rank;
    // Least squares: half way between what the two ask for.
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, q, v);
    std::vector<double> Kx(4);
    multiply_by_constraint_jacobian(m, set, rows, qdd, Kx);
    EXPECT_TRUE(near(Kx[0], (rows.k[0] + rows.k[2]) / 2, 1, 1, 1e-6));
  }
}

TEST(ConstrainedForwardDynamics, ACorruptedAnswerIsObjectedTo) {
  const LoopState l(mechanisms::four_bar());
  ConstrainedWorkspace ws(l.model, l.set);
  std::vector<double> qdd(3), lambda(5);
  SolveCertificate c = constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, qdd, lambda);
  ASSERT_EQ(c.status, SolveStatus::solved);
  const auto certified = [&](const std::vector<double>& a, const std::vector<double>& f) {
    SolveCertificate out = c;
    certify(l.model, l.set, ws.rows, ws.check, l.s.q, l.s.v, l.tau, ws.rows.k, a, f, out);
    return out;
  };
  EXPECT_EQ(certified(qdd, lambda).status, SolveStatus::solved);
  for (std::size_t i = 0; i < qdd.size(); ++i) {
    std::vector<double> bad = qdd;
    bad[i] += 1e-4 * (1 + std::abs(bad[i]));
    EXPECT_EQ(certified(bad, lambda).status, SolveStatus::not_reached);
  }
  std::vector<double> bad = lambda;
  for (double& x : bad) x *= 1.001;
  EXPECT_EQ(certified(qdd, bad).status, SolveStatus::not_reached);
  bad[2] = std::nan("");
  EXPECT_EQ(certified(qdd, bad).status, SolveStatus::non_finite);
  EXPECT_EQ(certified(qdd, bad).culprit, "lambda");
  EXPECT_EQ(certified(qdd, bad).culprit_index, 2);
}

TEST(ConstrainedForwardDynamics, NamesWhatIsNotFinite) {
  LoopState l(mechanisms::four_bar());
  for (const ConstrainedMethod method : kMethods) {
    ConstrainedWorkspace ws(l.model, l.set, {.method = method});
    std::vector<double> qdd(3), lambda(5), bad = l.tau;
    bad[1] = INFINITY;
    const SolveCertificate& c = constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, bad, qdd, lambda);
    EXPECT_EQ(c.status, SolveStatus::non_finite);
    EXPECT_EQ(c.culprit, "tau");
    EXPECT_EQ(c.culprit_index, 1);
    EXPECT_TRUE(std::isnan(qdd[0]) && std::isnan(lambda[0]));
    constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, qdd, lambda);
    EXPECT_EQ(c.status, SolveStatus::solved);
    EXPECT_EQ(c.culprit, "");
  }
}

TEST(ConstrainedForwardDynamics, AllocatesNothingAndRepeatsItsBits) {
  for (const LoopState& l : {LoopState(mechanisms::scissor_lift()), LoopState(mechanisms::stewart_platform())})
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      const Answer want = solve(l, method);
      ConstrainedWorkspace ws(l.model, l.set, {.method = method});
      Answer a = want;
      constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, a.qdd, a.lambda);
      AllocationCount allocations;
      constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, a.qdd, a.lambda);
      EXPECT_TRUE(allocations.count() == 0 || method == ConstrainedMethod::sparse) << allocations.count();
      EXPECT_EQ(a.qdd, want.qdd);
      EXPECT_EQ(a.lambda, want.lambda);
    }
}

}  // namespace sinew::test
