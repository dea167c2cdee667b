// tests/tree/projection_test.cpp - articulated bodies by projection (TREE-8)
#include "sinew/tree/projection.hpp"

#include <gtest/gtest.h>

#include "sinew/joint/joint.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/assembly.hpp"
#include "support/dense6.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// 1 Against the naive path -------------------------------------------------------------------------------------------

Eigen::MatrixXd naive_jacobian(const Model& m, const NaiveMotions& motions, const BodyEntry& body) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, m.nv());
  Matrix6d X = to_eigen(to_dense(body.in_node));
  for (std::size_t i = at(body.node); i != 0; i = at(m.nodes()[i].parent)) {
    J.middleCols(m.nodes()[i].v, m.nodes()[i].nv) = X * motions.S[i];
    X = X * motions.X[i];
  }
  return J;
}
// All bodies as handles: Phi and b are what unit forces do to accelerations. [F08 7.4]
TEST(Projection, IsTheResponseToForces) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Place> places(m.bodies().begin(), m.bodies().end());
    const std::size_t rows = 6 * places.size();
    ProjectionWorkspace<double> ws(m, places);
    Grid<double> Phi{int(rows), int(rows)};
    std::vector<double> b(rows);
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      project(m, ws, s.q, s.v, s.a, Phi, b, {{}, 0.2});
      EXPECT_EQ(allocations.count(), 0);
    }
    std::vector<Force<double>> f;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < places.size(); ++i) {
      f.push_back({random_vec(rng), random_vec(rng)});
      for (const double x : to_array(f.back())) numbers.push_back(x);
    }
    const std::vector<double> a = naive_forward_dynamics(m, s.q, s.v, s.a, f, 0.2);
    const NaiveMotions naive = naive_motions(m, s.q, s.v, a, 0.2);
    std::vector<double> want;
    for (const BodyEntry& body : m.bodies())
      for (const double x : to_array(apply(body.in_node, to_motion(naive.a[body.node])))) want.push_back(x);
    if (m.nv() == 0) return;
    const Eigen::MatrixXd Minv = dense_inverse(naive_mass_matrix(m, s.q, 0.2));
    const double condition = Minv.norm();
    EXPECT_TRUE(near(plus(Phi * numbers, b), want, 100 * (1 + condition)));
    // Phi = J M^-1 J^T, its rank that of J [F08 7.14]
    const Eigen::MatrixXd J = naive_jacobian(m, naive, m.bodies().back());
    const Eigen::MatrixXd block = J * Minv * J.transpose();
    std::vector<double> own;
    for (std::size_t i = rows - 6; i < rows; ++i)
      for (std::size_t j = rows - 6; j < rows; ++j) own.push_back(Phi.numbers[i * rows + j]);
    EXPECT_TRUE(near(own, numbers_of(block), 100 * (1 + condition)));
    if (condition > 1e4) return;
    const Eigen::MatrixXd got = Eigen::Map<Eigen::MatrixXd>(own.data(), 6, 6);
    EXPECT_EQ(dense_rank(got, 1e-9), dense_rank(J, 1e-5));
  });
}
// A floating tree seen from its base: (J M^-1 J^T)^-1 is the inertia that assembling it body by body gives.
TEST(Projection, OfAFloatingTreeIsTheAssembledInertia) {
  for_seeds(10, [](Random& rng) {
    ModelBuilder b("floating chain");
    for (const char* name : {"one", "two", "three"}) {
      const RigidInertia<double> I = random_inertia(rng);
      b.body(name).mass(I.m, centre_of_mass(I), inertia_about_centre(I));
    }
    b.free("free", "world", "one");
    b.revolute("first", "one", "two").at({0.3, 0.1, 0}).axis({0, 0, 1});
    b.revolute("second", "two", "three").at({0.5, 0, 0.2}).axis({0, 1, 0});
    const Model m = b.build().value();
    const TreeState s = random_state(m, rng);
    ArticulatedBody<double> subtree{to_articulated(m.nodes()[3].inertia), {}};
    for (int i = 3; i > 1; --i) {
      const Node& n = m.nodes()[i];
      JointMotion<double> motion;
      calc_joint(n.joint, s.q.data() + n.q, s.v.data() + n.v, 0, motion);
      AssemblyJoint<double> joint{.nv = 1};
      joint.S[0] = motion.S[0];
      const ArticulatedBody<double> passed = assemble({}, subtree, joint);
      const Transform<double> X = motion.X * n.placement;
      subtree.I = apply_inverse(X, passed.I) + m.nodes()[n.parent].inertia;
    }
    ProjectionWorkspace<double> ws(m, {m.bodies()[1]});
    Grid<double> Phi(6, 6);
    std::vector<double> bias(6);
    project(m, ws, s.q, s.v, s.a, Phi, bias);
    const ArticulatedInertia<double> I = apply(m.bodies()[1].in_node, subtree.I);
    const Dense unity = to_dense(I) * [&] {
      Dense out;
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) out(i, j) = Phi(i, j);
      return out;
    }();
    EXPECT_TRUE(near(unity, dense_identity(), 1000));
  });
}

// 2 Scalars, discipline ----------------------------------------------------------------------------------------------

TEST(Projection, AllScalarsAgree) {
  expect_parity(8, 1000, []<class T>(const Model& m, const auto& q, const auto& v, const auto& tau) {
    ProjectionWorkspace<T> ws(m, {m.bodies().back()});
    std::vector<T> Phi(36), b(6);
    project(m, ws, q, v, tau, MatrixView<T>(Phi.data(), 6, 6), b);
    Phi.insert(Phi.end(), b.begin(), b.end());
    return Phi;
  });
}
TEST(Projection, WrongSizesAreRefusedByName) {
  const Model m = compile(mechanisms::chain(3)).value();
  ProjectionWorkspace<double> ws(m, {m.bodies()[1]});
  std::vector<double> x(3), b(6);
  Grid<double> Phi(6, 5);
  try {
    project(m, ws, x, x, x, Phi, b);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "project: Phi is 6 x 5, the model needs 6 x 6");
  }
}

}  // namespace
}  // namespace sinew::test
