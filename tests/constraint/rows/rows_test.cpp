// tests/constraint/rows/rows_test.cpp - rows of loop joints and masks against differences, Jacobians and each other
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/closed_loops.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

class EveryLoopKind : public testing::TestWithParam<JointKind> {};

TEST_P(EveryLoopKind, IsClosedWhereItWasBuiltAndMovesAsItsErrorsSay) {
  for_random_trees(24, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    std::vector<ConstraintSpec> loops;
    for (int k = 0; k < 3; ++k) loops.emplace_back(closed_loop(m, GetParam(), s.q, rng, "l" + std::to_string(k)));
    const ConstraintSet set(m, loops);
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    EXPECT_TRUE(near(rows.position, std::vector<double>(rows.position.size()), 1e3));
    expect_rates_match(m, set, s, 100);
  });
}

// The rows straight from the definition: T^T (J_b - J_a), with Jacobians of tree/jacobian.hpp. [F08 8.12, 8.19]
TEST_P(EveryLoopKind, IsTheDifferenceOfTwoJacobians) {
  for_random_trees(24, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    const LoopSpec loop = closed_loop(m, GetParam(), s.q, rng, "loop");
    const ConstraintSet set(m, {loop});
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    Grid<double> K = jacobian(m, set, rows);

    // Rows as forces on body b, read back from the set, and the Jacobians in the coordinates of the world.
    JacobianWorkspace<double> ws(m);
    calc_jacobian(m, ws, s.q);
    Grid<double> J_a(6, m.nv()), J_b(6, m.nv()), expected(set.rows(), m.nv());
    const BodyEntry &a = m.bodies()[*m.find_body(loop.body_a)], &b = m.bodies()[*m.find_body(loop.body_b)];
    get_jacobian(m, ws, a, ReferenceFrame::world, J_a);
    get_jacobian(m, ws, b, ReferenceFrame::world, J_b);
    const auto entries = set.problem().entries();
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const bool on_b = e == 0 || entries[e - 1].row != entries[e].row;
      if (b.node > 0 ? !on_b : false) continue;
      const double sign = b.node > 0 ? 1 : -1;
      const Force<double> f = sign * apply_inverse(ws.kinematics.X[entries[e].node], rows.K[e]);
      const double T[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
      for (int c = 0; c < m.nv(); ++c)
        for (int k = 0; k < 6; ++k) expected(entries[e].row, c) += T[k] * (J_b(k, c) - J_a(k, c));
    }
    if (a.node == 0 && b.node == 0) return;
    EXPECT_TRUE(near(K.numbers, expected.numbers, 2e3));
  });
}

TEST_P(EveryLoopKind, TransmitsNoPowerAlongItsFreedoms) {
  for_random_trees(12, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    const ConstraintSet set(m, {closed_loop(m, GetParam(), s.q, rng, "loop")});
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    Grid<double> K = jacobian(m, set, rows);
    const std::vector<double> lambda = random_numbers(rng, set.rows()), x = random_numbers(rng, m.nv());
    std::vector<double> tau(x.size()), y(lambda.size());
    multiply_by_constraint_jacobian_transpose(m, set, rows, lambda, tau);
    multiply_by_constraint_jacobian(m, set, rows, x, y);
    EXPECT_TRUE(near(y, K * x, 200));
    EXPECT_TRUE(near(product(tau, x), product(lambda, y), 500)) << "power in is power out";
  });
}
INSTANTIATE_TEST_SUITE_P(All, EveryLoopKind, testing::ValuesIn(loop_kinds()),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

TEST(ConstraintRows, VelocityErrorIsKTimesVWhereNothingDependsOnTime) {
  for_random_trees(
      24,
      [](const Model& m, Random& rng) {
        if (m.nv() == 0) return;
        const TreeState s = random_state(m, rng);
        std::vector<ConstraintSpec> loops;
        for (const JointKind k : loop_kinds())
          loops.emplace_back(closed_loop(m, k, s.q, rng, std::string(to_string(k))));
        const ConstraintSet set(m, loops);
        ConstraintRows rows(m, set);
        calc_constraint_rows(m, set, rows, s.q, s.v);
        Grid<double> K = jacobian(m, set, rows);
        EXPECT_TRUE(near(K * s.v, rows.velocity, 200));
      },
      true);
}

// X_err = 1 - d x gives delta = T^T d, and the formulae of the book's table. [F08 8.26, 8.27, Table 8.1]
TEST(LoopPositionError, IsTheBooksToSecondOrder) {
  Random rng(3);
  for (int seed = 0; seed < 50; ++seed) {
    const ModelSpec spec = random_tree(7, {.bodies = 1, .kinds = {JointKind::free}, .branching = 0});
    const Model m = compile(spec).value();
    for (const JointKind kind :
         {JointKind::fixed, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical, JointKind::spherical}) {
      Joint joint;
      joint.kind = kind;
      double q[7], rest[6] = {};
      const double lower[6] = {-1, -1, -1, -1, -1, -1}, upper[6] = {1, 1, 1, 1, 1, 1};
      random(joint, rng, lower, upper, q);
      JointMotion<double> motion;
      calc_joint(joint, q, rest, 0, motion);
      JointComplements<double> force;
      calc_complements(joint, q, 0, force);
      const double size = 1e-5;
      const Motion<double> d{random_vec(rng, size), random_vec(rng, size)};
      const Displacement<double> moved = exp(d);
      const Transform<double> X = Transform<double>{to_rotation(moved.turn), moved.shift} * motion.X;

      // A free body whose frame stands at X in the world: frame b is put there, frame a is the world's.
      TreeState s = random_state(m, rng);
      KinematicsWorkspace<double> ws(m);
      calc_kinematics(m, ws, s.q);
      const LoopSpec loop{.name = "loop",
                          .kind = kind,
                          .body_a = "world",
                          .body_b = "body0",
                          .pose_a = {},
                          .pose_b = X * inverse(get_body_pose(m, ws, 1))};
      const ConstraintSet set(m, {loop});
      ConstraintRows rows(m, set);
      calc_constraint_rows(m, set, rows, s.q, s.v);

      std::vector<double> expected;
      for (int r = 0; r < set.rows(); ++r) expected.push_back(dot(force.constraint[r], d));
      EXPECT_TRUE(near(rows.position, expected, 20, size * size, 1)) << to_string(kind);

      const Mat6<double> x = to_dense(X);
      const auto at = [&](int i, int j) { return x(i - 1, j - 1); };
      std::vector<double> table;
      if (kind == JointKind::fixed)
        table = {(at(2, 3) - at(3, 2)) / 2, (at(3, 1) - at(1, 3)) / 2, (at(1, 2) - at(2, 1)) / 2,
                 (at(5, 3) - at(6, 2)) / 2, (at(6, 1) - at(4, 3)) / 2, (at(4, 2) - at(5, 1)) / 2};
      if (kind == JointKind::revolute)
        table = {at(2, 3), -at(1, 3), at(5, 3), -at(4, 3), at(4, 1) * at(2, 1) + at(4, 2) * at(2, 2)};
      if (kind == JointKind::prismatic)
        table = {(at(2, 3) - at(3, 2)) / 2, (at(3, 1) - at(1, 3)) / 2, (at(1, 2) - at(2, 1)) / 2, at(5, 3), -at(4, 3)};
      if (kind == JointKind::cylindrical) table = {at(2, 3), -at(1, 3), at(5, 3), -at(4, 3)};
      if (kind == JointKind::spherical)
        for (const auto& [i, j] : {std::pair{5, 3}, {6, 1}, {4, 2}})
          table.push_back(at(i, 1) * at(j, 1) + at(i, 2) * at(j, 2) + at(i, 3) * at(j, 3));
      EXPECT_TRUE(near(rows.position, table, 20, size * size, 1)) << to_string(kind);
    }
  }
}

// A weld upside down is as wrong as can be, and says so.
TEST(LoopPositionError, SeesAHalfTurn) {
  const Model m = compile(random_tree(7, {.bodies = 1, .kinds = {JointKind::free}, .branching = 0})).value();
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(6);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  const Transform<double> over = rotate_frame(rotation_z(3.1));
  const ConstraintSet set(m, {LoopSpec{.name = "weld",
                                       .kind = JointKind::fixed,
                                       .body_a = "world",
                                       .body_b = "body0",
                                       .pose_a = {},
                                       .pose_b = over * inverse(get_body_pose(m, ws, 1))}});
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, q, v);
  EXPECT_TRUE(near(rows.position, std::vector<double>{0, 0, 3.1, 0, 0, 0}, 100));
}

TEST(ConstraintRows, AllocateNothing) {
  const Model m = compile(random_tree(5, {.bodies = 12, .kinds = {}, .branching = 0.5})).value();
  Random rng(5);
  const TreeState s = random_state(m, rng);
  std::vector<ConstraintSpec> specs;
  for (const JointKind k : loop_kinds()) specs.emplace_back(closed_loop(m, k, s.q, rng, std::string(to_string(k))));
  specs.emplace_back(MaskConstraint{.name = "mask", .body_a = "", .body_b = "body3"});
  specs.emplace_back(RollingConstraint{.name = "ball", .body_b = "body4", .radius = 0.1});
  const ConstraintSet set(m, specs);
  ConstraintRows rows(m, set);
  std::vector<double> lambda = random_numbers(rng, set.rows()), tau(s.v.size()), k(lambda.size());
  Grid<double> K(set.rows(), m.nv());
  const AllocationCount allocations;
  calc_constraint_rows(m, set, rows, s.q, s.v);
  get_constraint_jacobian(m, set, rows, K);
  multiply_by_constraint_jacobian_transpose(m, set, rows, lambda, tau);
  multiply_by_constraint_jacobian(m, set, rows, s.v, k);
  stabilize(rows, {.period = 0.1}, k);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
