// tests/tree/jacobian_test.cpp - Jacobians in world, body and mixed frames, their rates and products (TREE-10)
#include "sinew/tree/jacobian.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/model/builder.hpp"
#include "sinew/tree/velocity.hpp"
#include "support/dense_algebra.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

constexpr ReferenceFrame kAll[] = {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::mixed};

// The planar 2R arm of every textbook.
TEST(Jacobian, OfAPlanarArm) {
  ModelBuilder b("2R");
  b.body("upper").mass(solid_sphere(1, 0.1));
  b.body("fore").mass(solid_sphere(1, 0.1)).frame("tip", make_placement({0.5, 0, 0}));
  b.revolute("shoulder", "world", "upper");
  b.revolute("elbow", "upper", "fore").at({0.8, 0, 0});
  const Model m = b.build().value();
  JacobianWorkspace<double> ws(m);
  const double q1 = 0.4, q2 = 0.9;
  calc_jacobian(m, ws, std::vector{q1, q2});
  Grid<double> J(6, 2);
  get_jacobian(m, ws, *m.find_frame("tip"), ReferenceFrame::mixed, J);
  const double s1 = 0.8 * std::sin(q1), c1 = 0.8 * std::cos(q1), s12 = 0.5 * std::sin(q1 + q2),
               c12 = 0.5 * std::cos(q1 + q2);
  EXPECT_TRUE(near(J.numbers, std::vector<double>{0, 0, 0, 0, 1, 1, -s1 - s12, -s12, c1 + c12, c12, 0, 0}, 10));
}

// Column by column from the naive subspaces, over all kinds.
TEST(Jacobian, EqualsTheNaiveOneOnRandomTrees) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    JacobianWorkspace<double> ws(m);
    calc_jacobian(m, ws, s.q, 0.3);
    const NaiveMotions naive = naive_motions(m, s.q, s.v, s.a, 0.3);
    Grid<double> all(6, m.nv()), J(6, m.nv());
    get_joint_motions(m, ws, all);
    Eigen::MatrixXd want = Eigen::MatrixXd::Zero(6, m.nv());
    for (std::size_t i = 1; i < m.nodes().size(); ++i)
      want.middleCols(m.nodes()[i].v, m.nodes()[i].nv) = dense_product(dense_inverse(naive.X0[i]), naive.S[i]);
    EXPECT_TRUE(near(all.numbers, numbers_of(want), 300));
    for (const BodyEntry& b : m.bodies()) {
      get_jacobian(m, ws, b, ReferenceFrame::body, J);
      Eigen::MatrixXd own = Eigen::MatrixXd::Zero(6, m.nv());
      for (std::size_t i = 1; i < m.nodes().size(); ++i)
        if (m.topology().is_ancestor(static_cast<int>(i), b.node))
          own.middleCols(m.nodes()[i].v, m.nodes()[i].nv) =
              to_eigen(to_dense(b.in_node)) * naive.X0[b.node] * want.middleCols(m.nodes()[i].v, m.nodes()[i].nv);
      EXPECT_TRUE(near(J.numbers, numbers_of(own), 300));
    }
  });
}

// J v is the velocity, J a + dJ/dt v the acceleration, and the bias acceleration is dJ/dt v; J^T f works as f does.
TEST(Jacobian, TimesVelocityIsVelocityAndItsRateGivesAcceleration) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = compile(frozen(with_frames(random_tree(seed), seed))).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    JacobianWorkspace<double> ws(m);
    VelocityWorkspace<double> motion(m);
    calc_jacobian_rates(m, ws, s.q, s.v);
    calc_accelerations(m, motion, s.q, s.v, s.a);
    Grid<double> J(6, m.nv()), dJ(6, m.nv());
    std::vector<double> tau(s.v.size());
    for (const Place& place : places_of(m))
      for (const ReferenceFrame r : kAll) {
        get_jacobian(m, ws, place, r, J);
        get_jacobian_rate(m, ws, place, r, dJ);
        const Motion<double> v = get_velocity(motion, place, r);
        EXPECT_TRUE(near(J * s.v, v, 500));
        const std::vector<double> bias = dJ * s.v, a = plus(J * s.a, bias);
        EXPECT_TRUE(near(bias, get_bias_acceleration(ws, place, r), 100));
        if (r == ReferenceFrame::mixed)
          EXPECT_TRUE(near(a, get_classical_acceleration(motion, place, r), 500));
        else
          EXPECT_TRUE(near(a, get_acceleration(motion, place, r), 500));
        const Force<double> f{random_vec(rng), random_vec(rng)};
        multiply_by_jacobian_transpose(m, ws, place, r, f, tau);
        EXPECT_TRUE(near(product(tau, s.v), dot(f, v), 500));
        EXPECT_TRUE(near(product(tau, s.a), product(J * s.a, flatten(f)), 500));
      }
  }
}

// With prescribed joints the bias acceleration is the acceleration at dv/dt = 0.
TEST(Jacobian, BiasHoldsWhatPrescribedJointsDo) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<double> zero(s.a.size());
    JacobianWorkspace<double> ws(m);
    VelocityWorkspace<double> motion(m);
    calc_jacobian_rates(m, ws, s.q, s.v, 0.4);
    calc_accelerations(m, motion, s.q, s.v, zero, 0.4);
    for (const BodyEntry& b : m.bodies()) {
      EXPECT_TRUE(near(get_bias_acceleration(ws, b, ReferenceFrame::body),
                       get_acceleration(motion, b, ReferenceFrame::body), 500));
      EXPECT_TRUE(near(get_bias_acceleration(ws, b, ReferenceFrame::mixed),
                       get_classical_acceleration(motion, b, ReferenceFrame::mixed), 100));
    }
  });
}

// dJ/dt entry by entry against dual numbers: universal, yaw-pitch-roll, rack and pinion, user and reversed joints too.
TEST(Jacobian, RateIsTheDerivative) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = compile(frozen(with_frames(random_tree(seed, {6, {}, 0.3}), seed))).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    JacobianWorkspace<double> ws(m);
    JacobianWorkspace<Dual> dual(m);
    calc_jacobian_rates(m, ws, s.q, s.v);
    calc_jacobian(m, dual, moving_q(m, s));
    Grid<double> dJ(6, m.nv());
    Grid<Dual> J(6, m.nv());
    for (const Place& place : places_of(m))
      for (const ReferenceFrame r : kAll) {
        get_jacobian_rate(m, ws, place, r, dJ);
        get_jacobian(m, dual, place, r, J);
        EXPECT_TRUE(near(dJ.numbers, slopes(J.numbers), 500));
      }
  }
}

// Joints listed in another order: the same columns, in that order.
TEST(Jacobian, ColumnsFollowTheOrderOfTheJoints) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelSpec spec = random_tree(seed);
    ModelSpec turned = spec;
    std::reverse(turned.joints.begin(), turned.joints.end());
    const Model m = compile(spec).value(), n = compile(turned).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    std::vector<double> q(s.q.size());
    for (const JointEntry& j : m.joints()) std::copy_n(s.q.begin() + j.q, j.nq, q.begin() + n.find_joint(j.name)->q);
    JacobianWorkspace<double> one(m), other(n);
    calc_jacobian(m, one, s.q);
    calc_jacobian(n, other, q);
    Grid<double> J(6, m.nv()), K(6, m.nv());
    for (const BodyEntry& b : m.bodies()) {
      get_jacobian(m, one, b, ReferenceFrame::body, J);
      get_jacobian(n, other, *n.find_frame(b.name), ReferenceFrame::body, K);
      for (const JointEntry& j : m.joints())
        for (int k = 0; k < j.nv; ++k)
          for (int row = 0; row < 6; ++row) EXPECT_TRUE(near(J(row, j.v + k), K(row, n.find_joint(j.name)->v + k), 20));
    }
  }
}

TEST(Jacobian, OfAThousandBodies) {
  const Model m = compile(frozen(random_tree(1, {1000, {}, 0.02}))).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  JacobianWorkspace<double> ws(m);
  VelocityWorkspace<double> motion(m);
  calc_jacobian_rates(m, ws, s.q, s.v);
  calc_accelerations(m, motion, s.q, s.v, s.a);
  const NaiveMotions naive = naive_motions(m, s.q, s.v, s.a);
  Grid<double> J(6, m.nv()), dJ(6, m.nv());
  for (const int b : {1, 500, 1000}) {
    const BodyEntry& body = m.bodies()[b];
    const auto i = static_cast<std::size_t>(body.node);
    get_jacobian(m, ws, body, ReferenceFrame::body, J);
    get_jacobian_rate(m, ws, body, ReferenceFrame::body, dJ);
    const Matrix6d X = to_eigen(to_dense(body.in_node));
    EXPECT_TRUE(near(J * s.v, to_motion(X * naive.v[i]), 3e3));
    EXPECT_TRUE(near(plus(J * s.a, dJ * s.v), to_motion(X * naive.a[i]), 3e3));
    EXPECT_TRUE(near(get_acceleration(motion, body, ReferenceFrame::body), to_motion(X * naive.a[i]), 3e3));
  }
}

TEST(Jacobian, OfTheWorldAndOfModelsWithoutFreedomIsZero) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone");
  const Model stone = b.build().value(), arm = compile(random_tree(1, {3, {JointKind::revolute}, 0.0})).value();
  for (const Model* m : {&stone, &arm}) {
    JacobianWorkspace<double> ws(*m);
    const std::vector<double> q(static_cast<std::size_t>(m->nq()), 0.3), v(static_cast<std::size_t>(m->nv()), 1.0);
    calc_jacobian_rates(*m, ws, q, v);
    Grid<double> J(6, m->nv());
    for (double& x : J.numbers) x = 7;
    get_jacobian(*m, ws, m->bodies()[0], ReferenceFrame::world, J);
    EXPECT_TRUE(near(J.numbers, std::vector<double>(J.numbers.size()), 0));
  }
}

TEST(Jacobian, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>&) {
                  JacobianWorkspace<T> ws(m);
                  calc_jacobian_rates(m, ws, q, v, 0.3);
                  Grid<T> J(6, m.nv()), dJ(6, m.nv());
                  std::vector<T> out, tau(v.size());
                  for (const BodyEntry& b : m.bodies()) {
                    get_jacobian(m, ws, b, ReferenceFrame::body, J);
                    get_jacobian_rate(m, ws, b, ReferenceFrame::mixed, dJ);
                    multiply_by_jacobian_transpose(m, ws, b, ReferenceFrame::body,
                                                   {{lit<T>(1), {}, {}}, {{}, {}, lit<T>(2)}}, tau);
                    for (const auto* numbers : {&J.numbers, &dJ.numbers, &tau})
                      out.insert(out.end(), numbers->begin(), numbers->end());
                    for (const T& x : to_array(get_bias_acceleration(ws, b, ReferenceFrame::mixed))) out.push_back(x);
                  }
                  return out;
                });
}

TEST(Jacobian, AllocatesNothingAndRepeatsItsBits) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  JacobianWorkspace<double> ws(m), again(m);
  Grid<double> J(6, m.nv()), dJ(6, m.nv()), J2(6, m.nv());
  std::vector<double> tau(s.v.size());
  const Place place = m.bodies()[20];
  const AllocationCount allocations;
  calc_jacobian(m, ws, s.q);
  calc_jacobian_rates(m, ws, s.q, s.v);
  get_joint_motions(m, ws, J);
  get_jacobian(m, ws, place, ReferenceFrame::mixed, J);
  get_jacobian_rate(m, ws, place, ReferenceFrame::mixed, dJ);
  multiply_by_jacobian_transpose(m, ws, place, ReferenceFrame::world, {}, tau);
  EXPECT_EQ(allocations.count(), 0);
  calc_jacobian_rates(m, again, s.q, s.v);
  get_jacobian_rate(m, again, place, ReferenceFrame::mixed, J2);
  EXPECT_TRUE(near(dJ.numbers, J2.numbers, 0));
}

TEST(Jacobian, RefusesWrongSizesByName) {
  const Model m = compile(random_tree(3, {3, {JointKind::revolute}, 0.0})).value();
  JacobianWorkspace<double> ws(m), wrong(compile(random_tree(3, {4, {JointKind::revolute}, 0.0})).value());
  const std::vector<double> three(3), two(2);
  std::vector<double> tau(2);
  Grid<double> J(6, 3), thin(6, 2), low(3, 3);
  EXPECT_THROW(calc_jacobian(m, ws, two), std::invalid_argument);
  EXPECT_THROW(calc_jacobian(m, wrong, three), std::invalid_argument);
  EXPECT_THROW(calc_jacobian_rates(m, ws, three, two), std::invalid_argument);
  calc_jacobian_rates(m, ws, three, three);
  EXPECT_THROW(get_joint_motions(m, ws, thin), std::invalid_argument);
  EXPECT_THROW(get_jacobian_rate(m, ws, m.bodies()[1], ReferenceFrame::body, low), std::invalid_argument);
  EXPECT_THROW(multiply_by_jacobian_transpose(m, ws, m.bodies()[1], ReferenceFrame::body, {}, tau),
               std::invalid_argument);
  try {
    get_jacobian(m, ws, m.bodies()[1], ReferenceFrame::body, thin);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "get_jacobian: J is 6 x 2, the model needs 6 x 3");
  }
}

}  // namespace
}  // namespace sinew::test
