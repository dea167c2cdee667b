// tests/tree/momentum_test.cpp - momentum, its rate, and the centroidal map with its rate
#include "sinew/tree/momentum.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/tree/centre_of_mass.hpp"
#include "sinew/tree/centroidal.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// The same force about another point.
Force<double> about(const Force<double>& f, const Vec3<double>& p) { return {f.ang - cross(p, f.lin), f.lin}; }

TEST(Momentum, OfASphereOnAString) {
  ModelBuilder b("sling");
  b.body("ball").mass(solid_sphere(2, 0.1), make_placement({1.5, 0, 0}));
  b.revolute("hand", "world", "ball");
  const Model m = b.build().value();
  MomentumWorkspace<double> ws(m);
  const std::vector<double> q{0.0}, v{3.0}, a{0.0};
  const double Ic = 0.4 * 2 * 0.1 * 0.1, orbit = 2 * 1.5 * 1.5;
  EXPECT_TRUE(near(calc_momentum(m, ws, q, v), Force<double>{{0, 0, 3 * (orbit + Ic)}, {0, 9, 0}}, 4));
  EXPECT_TRUE(near(calc_centroidal_momentum(m, ws, q, v), Force<double>{{0, 0, 3 * Ic}, {0, 9, 0}}, 4));
  EXPECT_TRUE(near(calc_momentum_rate(m, ws, q, v, a), Force<double>{{0, 0, 0}, {-27, 0, 0}}, 10));
}

// Sum over nodes of the naive velocities and 6x6 inertias.
TEST(Momentum, EqualsTheNaiveSum) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const NaiveMotions naive = naive_motions(m, s.q, s.v, s.a, 0.3);
    Vector6d h = Vector6d::Zero(), dh = h;
    for (std::size_t i = 1; i < m.nodes().size(); ++i) {
      const Matrix6d I = to_eigen(to_dense(m.nodes()[i].inertia));
      const Vector6d own = I * naive.v[i];
      h += naive.X0[i].transpose() * own;
      dh += naive.X0[i].transpose() * (I * naive.a[i] + to_eigen(to_dense_cross_force(to_motion(naive.v[i]))) * own);
    }
    MomentumWorkspace<double> ws(m);
    EXPECT_TRUE(near(calc_momentum(m, ws, s.q, s.v, 0.3), to_force(h), 500));
    EXPECT_TRUE(near(calc_momentum_rate(m, ws, s.q, s.v, s.a, 0.3), to_force(dh), 500));
    if (m.nodes().size() == 1) return;
    CentreOfMassWorkspace<double> com(m);
    const Vec3<double> c = calc_centre_of_mass(m, com, s.q, 0.3);
    EXPECT_TRUE(near(calc_centroidal_momentum(m, ws, s.q, s.v, 0.3), about(to_force(h), c), 500));
    EXPECT_TRUE(near(calc_centroidal_momentum_rate(m, ws, s.q, s.v, s.a, 0.3), about(to_force(dh), c), 500));
  });
}

TEST(Momentum, RatesAreDerivatives) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        if (m.nodes().size() == 1) return;
        const TreeState s = random_state(m, rng);
        const std::vector<Dual> q = moving_q(m, s), v = moving(s.v, s.a);
        MomentumWorkspace<double> ws(m);
        MomentumWorkspace<Dual> dual(m);
        EXPECT_TRUE(near(slope_of(calc_momentum(m, dual, q, v)), calc_momentum_rate(m, ws, s.q, s.v, s.a), 500));
        EXPECT_TRUE(near(slope_of(calc_centroidal_momentum(m, dual, q, v)),
                         calc_centroidal_momentum_rate(m, ws, s.q, s.v, s.a), 500));
      },
      true);
}

// On a floating base the forces from outside are gravity, the external ones and the six of the base joint.
TEST(Momentum, ChangesByTheTotalWrench) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelSpec spec = random_tree(seed, {7, {}, 0.4});
    spec.joints[0].kind = JointKind::free;
    spec.joints[0].reversed = false;
    for (std::size_t i = 1; i < spec.joints.size(); ++i)
      if (spec.joints[i].parent == spec.world) spec.joints[i].parent = "body0";
    const Model m = compile(spec).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    std::vector<Force<double>> external;
    for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
    external[0] = {};
    const std::vector<double> tau = naive_rnea(m, s.q, s.v, s.a, external, 0.3);

    MomentumWorkspace<double> ws(m);
    const Force<double> rate = calc_momentum_rate(m, ws, s.q, s.v, s.a, 0.3);
    const auto& X = ws.motion.kinematics.X;
    Force<double> total = apply_inverse(X[1], Force<double>{{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}});
    for (std::size_t b = 0; b < external.size(); ++b)
      total += apply_inverse(m.bodies()[b].in_node * X[m.bodies()[b].node], external[b]);
    CentreOfMassWorkspace<double> com(m);
    const Vec3<double> weight = m.mass() * m.gravity();
    total += Force<double>{cross(calc_centre_of_mass(m, com, s.q, 0.3), weight), weight};
    EXPECT_TRUE(near(rate, total, 1000));
  }
}

// h = A v, dh/dt = A a + dA/dt v, and the bias without the matrix.
TEST(Centroidal, MapAndRateGiveMomentumAndRate) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        if (m.nodes().size() == 1) return;
        const TreeState s = random_state(m, rng);
        CentroidalWorkspace<double> ws(m);
        MomentumWorkspace<double> momentum(m);
        Grid<double> A(6, m.nv()), dA(6, m.nv()), A2(6, m.nv());
        calc_centroidal_map(m, ws, s.q, A2);
        calc_centroidal_map_rate(m, ws, s.q, s.v, A, dA);
        EXPECT_TRUE(near(A.numbers, A2.numbers, 0));
        EXPECT_TRUE(near(A * s.v, calc_centroidal_momentum(m, momentum, s.q, s.v), 500));
        EXPECT_TRUE(near(plus(A * s.a, dA * s.v), calc_centroidal_momentum_rate(m, momentum, s.q, s.v, s.a), 500));
        EXPECT_TRUE(near(dA * s.v, calc_centroidal_bias(m, momentum, s.q, s.v), 500));
        CentreOfMassWorkspace<double> com(m);
        EXPECT_TRUE(near(ws.centre_of_mass, calc_centre_of_mass(m, com, s.q), 0));
        EXPECT_TRUE(near(ws.velocity, calc_centre_of_mass_velocity(m, com, s.q, s.v), 50));
      },
      true);
}

TEST(Centroidal, RateIsTheDerivativeOfTheMap) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        if (m.nodes().size() == 1) return;
        const TreeState s = random_state(m, rng);
        CentroidalWorkspace<double> ws(m);
        CentroidalWorkspace<Dual> dual(m);
        Grid<double> A(6, m.nv()), dA(6, m.nv());
        Grid<Dual> moving_map(6, m.nv());
        calc_centroidal_map_rate(m, ws, s.q, s.v, A, dA);
        calc_centroidal_map(m, dual, moving_q(m, s), moving_map);
        EXPECT_TRUE(near(dA.numbers, slopes(moving_map.numbers), 500));
      },
      true);
}

// Against the sum of 6x6 inertias, moved to the centre of mass.
TEST(Centroidal, CompositeInertiaIsThatOfAllBodies) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    if (m.nodes().size() == 1) return;
    const TreeState s = random_state(m, rng);
    CentroidalWorkspace<double> ws(m);
    const RigidInertia<double> I = calc_composite_inertia(m, ws, s.q, 0.3);
    const NaiveMotions naive = naive_motions(m, s.q, s.v, s.a, 0.3);
    Matrix6d sum = Matrix6d::Zero();
    for (std::size_t i = 1; i < m.nodes().size(); ++i)
      sum += naive.X0[i].transpose() * to_eigen(to_dense(m.nodes()[i].inertia)) * naive.X0[i];
    const Matrix6d X = to_eigen(to_dense(shift_frame(-ws.centre_of_mass)));
    EXPECT_TRUE(near(numbers_of(to_eigen(to_dense(I))), numbers_of(X.transpose() * sum * X), 500));
    EXPECT_TRUE(near(I.h, Vec3<double>{}, 100));
  });
}

// A free-flying mechanism far away keeps its digits: everything is summed up about its own centre.
TEST(Centroidal, DoesNotDependOnWhereTheMechanismStands) {
  ModelSpec spec = random_tree(8, {5, {JointKind::revolute}, 0.4});
  spec.joints[0].kind = JointKind::free;
  for (JointSpec& j : spec.joints)
    if (&j != &spec.joints[0] && j.parent == spec.world) j.parent = "body0";
  const Model m = compile(spec).value();
  Random rng(8);
  TreeState s = random_state(m, rng);
  CentroidalWorkspace<double> ws(m);
  Grid<double> A(6, m.nv()), dA(6, m.nv()), A2(6, m.nv()), dA2(6, m.nv());
  calc_centroidal_map_rate(m, ws, s.q, s.v, A, dA);
  for (std::size_t k = 4; k < 7; ++k) s.q[k] += 0x1p20;  // 1000 km
  calc_centroidal_map_rate(m, ws, s.q, s.v, A2, dA2);
  EXPECT_TRUE(near(A.numbers, A2.numbers, 5 * 0x1p20));
  EXPECT_TRUE(near(dA.numbers, dA2.numbers, 5 * 0x1p20));
}

TEST(Momentum, IsTheSameInEveryScalar) {
  expect_parity(
      15, 100, []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
        std::vector<T> out;
        if (m.nodes().size() == 1) return out;
        MomentumWorkspace<T> ws(m);
        CentroidalWorkspace<T> map(m);
        Grid<T> A(6, m.nv()), dA(6, m.nv());
        calc_centroidal_map_rate(m, map, q, v, A, dA, 0.3);
        out = A.numbers;
        out.insert(out.end(), dA.numbers.begin(), dA.numbers.end());
        for (const Force<T>& f : {calc_momentum(m, ws, q, v, 0.3), calc_momentum_rate(m, ws, q, v, a, 0.3),
                                  calc_centroidal_momentum(m, ws, q, v, 0.3), calc_centroidal_bias(m, ws, q, v, 0.3)})
          for (const T& x : to_array(f)) out.push_back(x);
        return out;
      });
}

TEST(Momentum, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  MomentumWorkspace<double> ws(m);
  CentroidalWorkspace<double> map(m);
  Grid<double> A(6, m.nv()), dA(6, m.nv()), low(3, m.nv());
  const AllocationCount allocations;
  calc_momentum(m, ws, s.q, s.v);
  calc_momentum_rate(m, ws, s.q, s.v, s.a);
  calc_centroidal_momentum_rate(m, ws, s.q, s.v, s.a);
  calc_centroidal_bias(m, ws, s.q, s.v);
  calc_composite_inertia(m, map, s.q);
  calc_centroidal_map(m, map, s.q, A);
  calc_centroidal_map_rate(m, map, s.q, s.v, A, dA);
  EXPECT_EQ(allocations.count(), 0);
  const std::vector<double> one(1);
  EXPECT_THROW(calc_momentum(m, ws, one, s.v), std::invalid_argument);
  EXPECT_THROW(calc_momentum_rate(m, ws, s.q, s.v, one), std::invalid_argument);
  EXPECT_THROW(calc_centroidal_momentum(m, ws, s.q, one), std::invalid_argument);
  EXPECT_THROW(calc_composite_inertia(m, map, one), std::invalid_argument);
  EXPECT_THROW(calc_centroidal_map(m, map, s.q, low), std::invalid_argument);
  EXPECT_THROW(calc_centroidal_map_rate(m, map, s.q, s.v, A, low), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
