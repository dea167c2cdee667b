// tests/constraint/rows/constraint_test.cpp - kinds of constraints and their equations of motion (MOD-6, MOD-7, MOD-8)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "sinew/constraint/rows/classify.hpp"
#include "sinew/constraint/rows/motion_constraint.hpp"
#include "sinew/constraint/solve/constrained_body.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/spatial/active_forces.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {
namespace {

// Kinds of constraints (MOD-6) ------------------------------------------------------------------------------------
template <class F>
class Constraint : public VelocityConstraint {
 public:
  Constraint(int n, int m, F f, bool equality = true) : n_(n), m_(m), f_(f), equality_(equality) {}
  int coordinates() const override { return n_; }
  int rows() const override { return m_; }
  bool equality() const override { return equality_; }
  void calc(const Dual* q, const Dual& t, Dual* K, Dual* k) const override { f_(q, t, K, k); }

 private:
  int n_, m_;
  F f_;
  bool equality_;
};

const Dual kTwo(2);

TEST(Classify, RodIsHolonomicAndScleronomic) {  // x^2 + y^2 = const
  const Constraint c(2, 1, [](const Dual* q, const Dual&, Dual* K, Dual*) { K[0] = kTwo * q[0], K[1] = kTwo * q[1]; });
  const ConstraintClass k = classify(c, std::vector{0.3, 0.4});
  EXPECT_TRUE(k.equality && k.holonomic && k.scleronomic);
  EXPECT_EQ(k.rank, 1);
}
TEST(Classify, RodOfChangingLengthIsRheonomicButHolonomic) {  // x^2 + y^2 = (1 + sin t)^2
  const Constraint c(2, 1, [](const Dual* q, const Dual& t, Dual* K, Dual* k) {
    K[0] = kTwo * q[0], K[1] = kTwo * q[1];
    k[0] = kTwo * (Dual(1) + sin(t)) * cos(t);
  });
  const ConstraintClass k = classify(c, std::vector{0.3, 0.4}, 0.2);
  EXPECT_TRUE(k.holonomic);
  EXPECT_FALSE(k.scleronomic);
}
TEST(Classify, SkateIsNonholonomic) {  // xdot sin a = ydot cos a
  const Constraint c(3, 1, [](const Dual* q, const Dual&, Dual* K, Dual*) { K[0] = sin(q[2]), K[1] = -cos(q[2]); });
  const ConstraintClass k = classify(c, std::vector{0.1, 0.2, 0.7});
  EXPECT_FALSE(k.holonomic);
  EXPECT_GT(k.curl, 0.1);
  EXPECT_TRUE(k.scleronomic);
}
// x, y, yaw, pitch, roll of a sphere of radius r: the point of contact is at rest.
TEST(Classify, RollingSphereIsNonholonomicOfRankTwo) {
  const Constraint c(5, 2, [](const Dual* q, const Dual&, Dual* K, Dual*) {
    const Dual r(0.5);
    // World angular velocity: wx = -sin(y) p' + cos(y) cos(p) r', wy = cos(y) p' + sin(y) cos(p) r'
    K[0] = Dual(1), K[3] = -r * cos(q[2]), K[4] = -r * sin(q[2]) * cos(q[3]);
    K[6] = Dual(1), K[8] = -r * sin(q[2]), K[9] = r * cos(q[2]) * cos(q[3]);
  });
  const ConstraintClass k = classify(c, std::vector{0.1, 0.2, 0.7, 0.3, -0.4});
  EXPECT_FALSE(k.holonomic);
  EXPECT_EQ(k.rank, 2);  // five position freedoms, three of velocity
}
TEST(Classify, FloorIsOneSided) {
  const Constraint c(
      1, 1, [](const Dual*, const Dual&, Dual* K, Dual*) { K[0] = Dual(1); }, false);
  const ConstraintClass k = classify(c, std::vector{0.0});
  EXPECT_FALSE(k.equality);
  EXPECT_TRUE(k.holonomic);
}
// A string of length p around three equal discs: l12 + l23 + l31 + 2 pi r = p ties three bodies together.
TEST(Classify, StringAroundThreeDiscsIsHolonomic) {
  const Constraint c(6, 1, [](const Dual* q, const Dual&, Dual* K, Dual*) {
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3;
      const Dual dx = q[2 * b] - q[2 * a], dy = q[2 * b + 1] - q[2 * a + 1], l = sqrt(dx * dx + dy * dy);
      K[2 * b] += dx / l, K[2 * b + 1] += dy / l;
      K[2 * a] -= dx / l, K[2 * a + 1] -= dy / l;
    }
  });
  const ConstraintClass k = classify(c, std::vector{0.0, 0.1, 2.0, 0.3, 0.7, 1.9});
  EXPECT_TRUE(k.holonomic);
  EXPECT_TRUE(is_small(k.curl, 1e-14));
  EXPECT_EQ(k.rank, 1);
}

// Rolling round a square and back to where it started, the sphere has turned.
TEST(RollingSphere, ClosedPathChangesTheOrientation) {
  ModelBuilder b("ball");
  b.body("ball").mass(solid_sphere(1, 0.5));
  JointSpec x, y, turn;
  x.name = "x", x.kind = JointKind::prismatic, x.axis = {1, 0, 0};
  y.name = "y", y.kind = JointKind::prismatic, y.axis = {0, 1, 0};
  turn.name = "turn", turn.kind = JointKind::spherical;
  b.composite("floor", "world", "ball", {x, y, turn});
  const Model m = b.build().value();

  State s = make_state(m);
  const double r = 0.5, dt = 0.01;
  double worst = 0;
  const auto E_of = [&] { return to_rotation(Quaternion<double>{s.q[2], s.q[3], s.q[4], s.q[5]}); };
  for (const Vec3<double> way : {Vec3<double>{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}})
    for (int i = 0; i < 80; ++i) {
      const Vec3<double> w = apply(E_of(), (1 / r) * cross(Vec3<double>{0, 0, 1}, way));  // rolls, in its own frame
      s.v = {way.x, way.y, w.x, w.y, w.z};
      integrate(m, s.q, s.v, dt, s.q);
      // The contact point's velocity: v + w x (-r z).
      const Vec3<double> slip = way - r * cross(apply_inverse(E_of(), w), Vec3<double>{0, 0, 1});
      worst = std::max(worst, norm(slip));
    }
  EXPECT_TRUE(is_small(worst, 5e-14));
  EXPECT_NEAR(s.q[0], 0, 2e-14);
  EXPECT_NEAR(s.q[1], 0, 2e-14);
  EXPECT_LT(std::abs(s.q[2]), 0.9);  // cos of half the turn that is left
}

// Implicit and explicit (MOD-7) -----------------------------------------------------------------------------------
TEST(MotionConstraint, ImplicitAndExplicitAgree) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::srand(seed);
    const int n = 7, nc = 3;
    const Eigen::MatrixXd R = Eigen::MatrixXd::Random(n, n);
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> H = R * R.transpose() + Eigen::MatrixXd::Identity(n, n);
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> K = Eigen::MatrixXd::Random(nc, n);
    const Eigen::VectorXd C = Eigen::VectorXd::Random(n), tau = Eigen::VectorXd::Random(n),
                          k = Eigen::VectorXd::Random(nc);
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> G = dense_kernel(K);
    const Eigen::VectorXd g = dense_solve(K, k);
    ASSERT_TRUE(is_small((K * G).cwiseAbs().maxCoeff(), 2e-14));
    ASSERT_TRUE(is_small((K * g - k).cwiseAbs().maxCoeff(), 2e-14));

    const EquationOfMotion e{{H.data(), 7, 7}, C, tau};
    const ImplicitSolution a = solve_implicit(e, {K.data(), 3, 7}, k);
    const ExplicitSolution b = solve_explicit(e, {G.data(), 7, 4}, g);
    const auto map = [](const std::vector<double>& x) {
      return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    EXPECT_TRUE(is_small((map(a.qdd) - map(b.qdd)).norm(), 1e-12)) << "seed " << seed;
    EXPECT_TRUE(is_small((G.transpose() * map(b.tau_c)).norm(), 3e-13)) << "seed " << seed;
    EXPECT_TRUE(is_small((K.transpose() * map(a.lambda) - map(b.tau_c)).norm(), 3e-12)) << "seed " << seed;
    EXPECT_TRUE(is_small((K * map(a.qdd) - k).norm(), 3e-13)) << "seed " << seed;
  }
}
TEST(MotionConstraint, RefusesDependentRowsAndWrongSizes) {
  const std::vector<double> H{1, 0, 0, 1}, C{0, 0}, tau{1, 1}, K{1, 0, 1, 0}, k{0, 0}, three{0, 0, 0};
  const EquationOfMotion e{{H.data(), 2, 2}, C, tau};
  EXPECT_THROW(solve_implicit(e, {K.data(), 2, 2}, k), std::domain_error);
  EXPECT_THROW(solve_implicit(e, {K.data(), 1, 2}, k), std::invalid_argument);
  EXPECT_THROW(solve_explicit(e, {K.data(), 2, 1}, three), std::invalid_argument);
}
TEST(MotionConstraint, NoConstraintIsPlainDynamics) {
  const std::vector<double> H{2, 0, 0, 4}, C{0, 0}, tau{1, 1}, none;
  const EquationOfMotion e{{H.data(), 2, 2}, C, tau};
  EXPECT_EQ(solve_implicit(e, {none.data(), 0, 2}, none).qdd, (std::vector{0.5, 0.25}));
}

// One body, three methods (MOD-8) ---------------------------------------------------------------------------------
ConstrainedBody random_constrained_body(Random& rng, int freedoms) {
  ConstrainedBody b;
  const BodySpec s = random_body(rng, "b");
  b.I = make_inertia(s.mass, s.com, s.inertia);
  for (int i = 0; i < freedoms; ++i) b.S.push_back({random_vec(rng), random_vec(rng)});
  b.Sdot_qd = {random_vec(rng), random_vec(rng)};
  b.p = {random_vec(rng), random_vec(rng)};
  return b;
}
TEST(ConstrainedBody, ThreeMethodsAgreeForEveryNumberOfFreedoms) {
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    Random rng(seed);
    const int n = static_cast<int>(seed % 7);
    const ConstrainedBody b = random_constrained_body(rng, n);
    const Force<double> f{random_vec(rng), random_vec(rng)};
    const ConstrainedAcceleration one = accelerate_by_projection(b, f), two = accelerate_by_multipliers(b, f);
    const ApparentInertia apparent = calc_apparent_inertia(b);
    const Motion<double> three = apparent.Phi * f + apparent.b;  // [F08 3.53]
    const double scale = 100 * (1 + largest(flatten(one.a)));
    EXPECT_TRUE(near(one.a, two.a, slack(5000, "2726 with Clang"), scale)) << "seed " << seed;
    EXPECT_TRUE(near(one.a, three, slack(2000, "943 with Clang"), scale)) << "seed " << seed;
    for (const Motion<double>& s : b.S) EXPECT_NEAR(dot(s, one.constraint_force), 0, 3e-15 * scale) << "seed " << seed;
  }
}
TEST(ConstrainedBody, ApparentInertiaHasRangeSAndNullspaceItsComplement) {
  Random rng(5);
  for (int n = 0; n <= 6; ++n) {
    const ConstrainedBody b = random_constrained_body(rng, n);
    const InverseInertia<double> Phi = calc_apparent_inertia(b).Phi;
    const DualForces forces = dual_forces(b.S);
    for (const Force<double>& t : forces.constraint) EXPECT_TRUE(near(Phi * t, Motion<double>{}, 100, 100));
    MotionSubspace range;
    for (const Force<double>& t : forces.active) range.push_back(Phi * t);
    EXPECT_EQ(rank(range), n);
  }
}
// Example 3.2: a gear at (-r, 0, 0) drives a revolute joint with a force along y. The joint turns as under a pure
// couple; the bearing carries the tooth's push.
TEST(ConstrainedBody, GearDrivesThroughItsToothContact) {
  const double r = 0.2, tau = 3, Izz = 0.7;
  ConstrainedBody b;
  b.I = make_inertia(2.0, Vec3<double>{}, Sym3<double>::diagonal(0.5, 0.6, Izz));
  b.S = {{{0, 0, 1}, {}}};
  const Force<double> drive = tau * make_active_forces(b.S, {{{0, 0, -r}, {0, 1, 0}}})[0];  // T_a tau
  const Motion<double> turning{{0, 0, tau / Izz}, {}};
  const Force<double> couple{{0, 0, tau}, {}}, bearing{{}, {0, tau / r, 0}};
  for (const auto accelerate : {accelerate_by_projection, accelerate_by_multipliers}) {
    const ConstrainedAcceleration by_tooth = accelerate(b, drive), by_couple = accelerate(b, couple);
    EXPECT_TRUE(near(by_tooth.a, turning, 10));
    EXPECT_TRUE(near(by_tooth.constraint_force, bearing, 10));
    EXPECT_TRUE(near(by_couple.a, turning, 10));
    EXPECT_TRUE(near(by_couple.constraint_force, Force<double>{}, 10));
  }
  EXPECT_TRUE(near(calc_apparent_inertia(b).Phi * drive, turning, 10));
  EXPECT_TRUE(near(accelerate_coordinates(b, {dot(b.S[0], drive)}), std::vector<double>{tau / Izz}, 10));
}

}  // namespace
}  // namespace sinew::test
