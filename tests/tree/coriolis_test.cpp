// tests/tree/coriolis_test.cpp - the Coriolis matrix and the rate of the mass matrix
#include "sinew/tree/coriolis.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/dense6.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// The planar 2R arm: C = k [-v2  -(v1 + v2); v1  0], k = m2 l1 c2 sin q2. Unique here: two coordinates, and skew.
TEST(Coriolis, OfAPlanarArm) {
  const double l1 = 0.8, c2 = 0.3, m2 = 1.7;
  ModelBuilder b("2R");
  b.body("upper").mass(2, {0.4, 0, 0}, Sym3<double>::diagonal(0.01, 0.02, 0.02));
  b.body("fore").mass(m2, {c2, 0, 0}, Sym3<double>::diagonal(0.01, 0.03, 0.03));
  b.revolute("shoulder", "world", "upper");
  b.revolute("elbow", "upper", "fore").at({l1, 0, 0});
  const Model m = b.build().value();
  const double v1 = 0.6, v2 = -1.1, k = m2 * l1 * c2 * std::sin(0.9);
  CoriolisWorkspace<double> ws(m);
  Grid<double> C(2, 2), dM(2, 2);
  calc_coriolis_matrix(m, ws, std::vector{0.4, 0.9}, std::vector{v1, v2}, C);
  EXPECT_TRUE(near(C.numbers, std::vector<double>{-k * v2, -k * (v1 + v2), k * v1, 0}, 10));
  calc_mass_matrix_rate(m, ws, std::vector{0.4, 0.9}, std::vector{v1, v2}, dM);
  EXPECT_TRUE(near(dM.numbers, std::vector<double>{-2 * k * v2, -k * v2, -k * v2, 0}, 10));
}

// (1) to (3) of the header, with 6x6 matrices.
TEST(Coriolis, TheFactorOfOneBodyIsWhatItsDerivationSays) {
  for_seeds(20, [](Random& rng) {
    const RigidInertia<double> I = random_inertia(rng);
    const Motion<double> v = random_motion(rng);
    const Dense D = to_dense(I), X = to_dense_cross(v), Xf = to_dense_cross_force(v);
    const Force<double> f = I * v;
    Dense bar;  // f xbar*
    for (int k = 0; k < 6; ++k) {
      Array6 unit{};
      unit[std::size_t(k)] = 1;
      const Array6 column = to_array(cross(to_motion(unit), f));
      for (int i = 0; i < 6; ++i) bar(i, k) = column[std::size_t(i)];
    }
    const Dense B = 0.5 * (Xf * D - D * X + bar);
    EXPECT_TRUE(near(B * to_array(v), to_array(cross(v, I * v)), 50));
    EXPECT_TRUE(near(B + transposed(B), Xf * D - D * X, 50));
    const double half = 0.5 * (I.I.xx + I.I.yy + I.I.zz);
    const Sym3<double> P = Sym3<double>::diagonal(half, half, half) - I.I;
    const Mat3<double> N = skew(v.ang) * to_mat3(P) + skew(I.h) * skew(v.lin);
    Dense want = -1.0 * detail::blocks(N, Mat3<double>{}, skew(f.lin), Mat3<double>{});
    EXPECT_TRUE(near(B, want, 50));
  });
}

// C v + g = h, against the naive inverse dynamics.
TEST(Coriolis, TimesVelocityIsTheVelocityPartOfTheBias) {
  for_random_trees(
      60,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        const std::vector<double> rest(s.v.size()), h = naive_rnea(m, s.q, s.v, rest);
        CoriolisWorkspace<double> ws(m);
        Grid<double> C(m.nv(), m.nv());
        calc_coriolis_matrix(m, ws, s.q, s.v, C);
        EXPECT_TRUE(near(plus(C * s.v, naive_rnea(m, s.q, rest, rest)), h, 1000));
      },
      true);
}

// dM/dt - 2 C skew and dM/dt = C + C^T; dM/dt against differences of the naive mass matrix along the motion.
TEST(Coriolis, MassMatrixRateLessTwiceItIsSkew) {
  for_random_trees(
      60,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        CoriolisWorkspace<double> ws(m);
        Grid<double> C(m.nv(), m.nv()), dM(m.nv(), m.nv());
        calc_coriolis_matrix(m, ws, s.q, s.v, C);
        calc_mass_matrix_rate(m, ws, s.q, s.v, dM);
        const double h = 1e-3;
        Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(m.nv(), m.nv());
        const std::pair<double, double> weights[] = {{h, 45}, {2 * h, -9}, {3 * h, 1}};  // error of order h^6
        std::vector<double> q(s.q.size());
        for (const auto& [step, weight] : weights)
          for (const double sign : {1.0, -1.0}) {
            integrate(m, s.q, s.v, sign * step, q);
            slope += sign * weight / (60 * h) * naive_mass_matrix(m, q);
          }
        EXPECT_TRUE(near(dM.numbers, numbers_of(slope), 1e5));
        for (int i = 0; i < m.nv(); ++i)
          for (int j = 0; j < m.nv(); ++j)
            EXPECT_TRUE(near(dM(i, j) - 2 * C(i, j), -(dM(j, i) - 2 * C(j, i)), 10, 1 + largest(dM.numbers)));
      },
      true);
}

// dM/dt against dual numbers: M = sum of J_i^T I_i J_i is made of the library's kinematics in Dual.
TEST(Coriolis, MassMatrixRateIsTheDerivative) {
  for_random_trees(
      40,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        CoriolisWorkspace<double> ws(m);
        CoriolisWorkspace<Dual> dual(m);
        Grid<double> dM(m.nv(), m.nv());
        Grid<Dual> C(m.nv(), m.nv());
        calc_mass_matrix_rate(m, ws, s.q, s.v, dM);
        calc_coriolis_matrix(m, dual, moving_q(m, s), moving(s.v, s.a), C);
        // M_jk = J_j . I^c J_k with the subtree of the deeper node
        std::vector<int> node(s.v.size());
        for (std::size_t i = 1; i < m.nodes().size(); ++i)
          for (int k = 0; k < m.nodes()[i].nv; ++k) node[m.nodes()[i].v + k] = static_cast<int>(i);
        for (std::size_t j = 0; j < node.size(); ++j)
          for (std::size_t k = 0; k < node.size(); ++k) {
            const bool related =
                m.topology().is_ancestor(node[j], node[k]) || m.topology().is_ancestor(node[k], node[j]);
            const auto deeper = static_cast<std::size_t>(std::max(node[j], node[k]));
            const double want = related ? dot(dual.J[j], dual.Ic[deeper] * dual.J[k]).slope : 0;
            EXPECT_TRUE(near(dM(static_cast<int>(j), static_cast<int>(k)), want, 500, 1 + largest(dM.numbers)));
          }
      },
      true);
}

// A prescribed joint is a joint with a given velocity: dM/dt is the block of the other coordinates.
TEST(Coriolis, SeesPrescribedMotion) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double time = 0.7;
    const ModelSpec spec = random_tree(seed, {6, {JointKind::prescribed, JointKind::revolute}, 0.3});
    ModelSpec driven = spec;
    for (JointSpec& j : driven.joints)
      if (j.kind == JointKind::prescribed) j.kind = j.prescribed_kind;
    const Model m = compile(spec).value(), twin = compile(driven).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    TreeState t = random_state(twin, rng);
    std::vector<int> places;  // of our coordinates in the twin
    for (std::size_t k = 0; k < spec.joints.size(); ++k) {
      const auto x = static_cast<std::size_t>(twin.joints()[k].v);
      if (m.joints()[k].nv == 0) {
        t.q[x] = spec.joints[k].law(time).position, t.v[x] = spec.joints[k].law(time).velocity;
      } else {
        const auto y = static_cast<std::size_t>(m.joints()[k].v);
        t.q[x] = s.q[y], t.v[x] = s.v[y];
        places.push_back(twin.joints()[k].v);
      }
    }
    CoriolisWorkspace<double> one(m), other(twin);
    Grid<double> dM(m.nv(), m.nv()), all(twin.nv(), twin.nv());
    calc_mass_matrix_rate(m, one, s.q, s.v, dM, time);
    calc_mass_matrix_rate(twin, other, t.q, t.v, all, time);
    for (int i = 0; i < m.nv(); ++i)
      for (int j = 0; j < m.nv(); ++j)
        EXPECT_TRUE(near(dM(i, j), all(places[i], places[j]), 300, 1 + largest(all.numbers)));
  }
}

TEST(Coriolis, OfAThousandBodies) {
  const Model m = compile(frozen(random_tree(1, {1000, {}, 0.1}))).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const std::vector<double> rest(s.v.size()), h = naive_rnea(m, s.q, s.v, rest);
  CoriolisWorkspace<double> ws(m);
  Grid<double> C(m.nv(), m.nv());
  calc_coriolis_matrix(m, ws, s.q, s.v, C);
  EXPECT_TRUE(near(plus(C * s.v, naive_rnea(m, s.q, rest, rest)), h, 1e3));
}

TEST(Coriolis, OfAModelWithoutFreedomIsEmpty) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone");
  const Model m = b.build().value();
  CoriolisWorkspace<double> ws(m);
  Grid<double> C(0, 0);
  calc_coriolis_matrix(m, ws, std::vector<double>{}, std::vector<double>{}, C);
  calc_mass_matrix_rate(m, ws, std::vector<double>{}, std::vector<double>{}, C);
}

TEST(Coriolis, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>&) {
                  CoriolisWorkspace<T> ws(m);
                  Grid<T> C(m.nv(), m.nv());
                  calc_coriolis_matrix(m, ws, q, v, C, 0.3);
                  return C.numbers;
                });
}

TEST(Coriolis, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  CoriolisWorkspace<double> ws(m);
  Grid<double> C(m.nv(), m.nv()), C2(m.nv(), m.nv()), low(3, m.nv());
  const AllocationCount allocations;
  calc_mass_matrix_rate(m, ws, s.q, s.v, C2);
  calc_coriolis_matrix(m, ws, s.q, s.v, C);
  EXPECT_EQ(allocations.count(), 0);
  calc_coriolis_matrix(m, ws, s.q, s.v, C2);
  EXPECT_TRUE(near(C.numbers, C2.numbers, 0));
  const std::vector<double> one(1);
  EXPECT_THROW(calc_coriolis_matrix(m, ws, one, s.v, C), std::invalid_argument);
  EXPECT_THROW(calc_coriolis_matrix(m, ws, s.q, one, C), std::invalid_argument);
  EXPECT_THROW(calc_coriolis_matrix(m, ws, s.q, s.v, low), std::invalid_argument);
  EXPECT_THROW(calc_mass_matrix_rate(m, ws, s.q, s.v, low), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
