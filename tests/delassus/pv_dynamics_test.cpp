// tests/delassus/pv_dynamics_test.cpp - the PV solver (OS-8)
#include "sinew/delassus/pv_points.hpp"

#include <gtest/gtest.h>

#include "support/delassus_case.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;
// Against the augmented system, for random right-hand sides, where the rows are independent.
TEST(PvDynamics, SolvesTheAugmentedSystem) {
  int solved = 0, singular = 0;
  for (int seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0 || conditioning(c) > 1e6) continue;
    Random rng(static_cast<std::uint64_t>(seed));
    const std::vector<double> f = random_numbers(rng, c.model.nv()), k = random_numbers(rng, c.problem.rows());
    const Eigen::MatrixXd J = naive_constraint_jacobian(c), M = naive_mass_matrix(c.model, c.q);
    const bool independent = J.rows() == 0 || dense_rank(J, 1e-7) == J.rows();
    PvDynamicsWorkspace ws(c.model, c.problem);
    std::vector<double> x(f.size(), 7), lambda(k.size(), 7);
    PvOutcome outcome;
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      outcome = solve_pv(c.model, ws, c.q, f, c.K, k, x, lambda);
      EXPECT_EQ(allocations.count(), 0);
    }
    if (!independent) {
      EXPECT_FALSE(outcome);
      EXPECT_LT(outcome.singular_row, c.problem.rows());
      ++singular;
      continue;
    }
    if (!outcome) continue;  // independent, but only just
    ++solved;
    const Eigen::Map<const Eigen::VectorXd> X(x.data(), M.rows()), L(lambda.data(), J.rows()), F(f.data(), M.rows()),
        target(k.data(), J.rows());
    const double forces = M.norm() * X.norm() + J.norm() * L.norm() + F.norm();
    EXPECT_TRUE(near(numbers_of(M * X), numbers_of(F + J.transpose() * L), 1000, forces));
    EXPECT_TRUE(near(numbers_of(J * X), k, 10 * conditioning(c) / outcome.least_pivot, J.norm() * X.norm()));
  }
  EXPECT_GT(solved, 100);
  EXPECT_GT(singular, 20);
}

// A workspace that had other rows before gives the bits of a new one, and takes them without allocation.
TEST(PvDynamics, RoomIsUsedAgainForOtherRows) {
  int compared = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0) continue;
    Random rng(static_cast<std::uint64_t>(seed));
    const std::span<const Entry> all = c.problem.entries();
    PvDynamicsWorkspace again(c.model, Problem(c.model, 0, {}));
    again.reserve(c.model, c.problem.rows(), static_cast<int>(all.size()));
    // all of them, half of them, all of them
    for (const std::size_t count : {all.size(), all.size() / 2, all.size()}) {
      const std::vector<Entry> entries(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      const AllocationCount allocations;
      again.assign(c.model, c.problem.rows(), entries);
      EXPECT_EQ(allocations.count(), 0);
      PvDynamicsWorkspace fresh(c.model, Problem(c.model, c.problem.rows(), entries));
      const std::vector<double> f = random_numbers(rng, c.model.nv()), k = random_numbers(rng, c.problem.rows());
      std::vector<double> x(f.size()), y(f.size()), lambda(k.size()), other(k.size());
      solve_pv(c.model, fresh, c.q, f, {c.K.data(), count}, k, x, lambda);
      solve_pv(c.model, again, c.q, f, {c.K.data(), count}, k, y, other);
      EXPECT_EQ(x, y);
      EXPECT_EQ(lambda, other);
      const std::size_t rows = k.size();
      std::vector<double> W(rows * rows), V(rows * rows);
      get_delassus_matrix(fresh, MatrixView<double>(W.data(), rows, rows));
      get_delassus_matrix(again, MatrixView<double>(V.data(), rows, rows));
      EXPECT_EQ(W, V);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

// Rows fixed in their bodies: the spatial accelerations along them are the target. External forces in every other case.
TEST(PvDynamics, BodiesAccelerateAsAsked) {
  int solved = 0;
  for (int seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0 || conditioning(c) > 1e6) continue;
    Random rng(static_cast<std::uint64_t>(seed));
    const std::vector<double> v = random_numbers(rng, c.model.nv()), tau = random_numbers(rng, c.model.nv()),
                              target = random_numbers(rng, c.problem.rows());
    std::vector<Force<double>> external(seed % 2 == 0 ? 0 : c.model.bodies().size());
    for (Force<double>& f : external) f = random_force(rng);
    PvDynamicsWorkspace ws(c.model, c.problem);
    std::vector<double> qdd(v.size()), lambda(target.size());
    const PvOutcome outcome = pv_forward_dynamics(c.model, ws, c.q, v, tau, c.K, target, qdd, lambda, {external});
    if (!outcome || outcome.least_pivot < 1e-4) continue;
    ++solved;
    // the rows
    const NaiveMotions motions = naive_motions(c.model, c.q, v, qdd);
    std::vector<double> along(target.size());
    double scale = 1;
    for (std::size_t e = 0; e < c.K.size(); ++e) {
      const auto& a = motions.a[c.problem.entries()[e].node];
      along[c.problem.entries()[e].row] += to_eigen(c.K[e]).dot(a);
      scale = std::max(scale, a.cwiseAbs().maxCoeff());
    }
    EXPECT_TRUE(near(along, target, 10 * conditioning(c) / outcome.least_pivot, scale));
    // the dynamics
    const Eigen::VectorXd force =
        naive_constraint_jacobian(c).transpose() * Eigen::Map<const Eigen::VectorXd>(lambda.data(), c.problem.rows());
    std::vector<double> supply = tau;
    for (std::size_t i = 0; i < supply.size(); ++i) supply[i] += force(static_cast<Eigen::Index>(i));
    EXPECT_TRUE(
        near(naive_rnea(c.model, c.q, v, qdd, external), supply, 200 * conditioning(c), scale + largest(lambda)));
  }
  EXPECT_GT(solved, 100);
}

// The accelerations of points of bodies, and of frames beside them.
TEST(PvDynamics, PointsAccelerateAsAsked) {
  int solved = 0;
  for (int seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    DelassusCase c = random_delassus_case(seed);
    Random rng(static_cast<std::uint64_t>(seed));
    std::vector<PointRow> points(c.K.size());
    for (std::size_t e = 0; e < c.K.size(); e += 2) {
      const std::vector<double> x = random_numbers(rng, 6);
      points[e] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      c.K[e] = {cross(points[e].p, points[e].direction), points[e].direction};
    }
    if (c.model.nv() == 0 || conditioning(c) > 1e6) continue;
    const std::vector<double> v = random_numbers(rng, c.model.nv()), tau = random_numbers(rng, c.model.nv()),
                              target = random_numbers(rng, c.problem.rows());
    PvDynamicsWorkspace ws(c.model, c.problem);
    std::vector<double> qdd(v.size()), lambda(target.size());
    const PvOutcome outcome = pv_forward_dynamics(c.model, ws, c.q, v, tau, c.K, points, target, qdd, lambda);
    if (!outcome || outcome.least_pivot < 1e-4) continue;
    ++solved;
    const NaiveMotions motions = naive_motions(c.model, c.q, v, qdd);
    std::vector<double> along(target.size());
    double scale = 1;
    for (std::size_t e = 0; e < c.K.size(); ++e) {
      const int node = c.problem.entries()[e].node;
      const Eigen::Matrix<double, 6, 1>&a = motions.a[node], &u = motions.v[node];
      const Eigen::Vector3d p(points[e].p.x, points[e].p.y, points[e].p.z), w = u.head<3>(), turn = a.head<3>();
      const Eigen::Vector3d n(points[e].direction.x, points[e].direction.y, points[e].direction.z);
      const Eigen::Vector3d of_point = a.tail<3>() + turn.cross(p) + w.cross(u.tail<3>() + w.cross(p));
      along[c.problem.entries()[e].row] += e % 2 == 0 ? n.dot(of_point) : to_eigen(c.K[e]).dot(a);
      scale = std::max({scale, a.cwiseAbs().maxCoeff(), of_point.cwiseAbs().maxCoeff()});
    }
    EXPECT_TRUE(near(along, target, 10 * conditioning(c) / outcome.least_pivot, scale));
  }
  EXPECT_GT(solved, 100);
}

TEST(PvDynamics, WithoutRowsItIsForwardDynamics) {
  for_random_trees(20, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    PvDynamicsWorkspace ws(m, Problem(m, 0, {}));
    std::vector<double> qdd(s.v.size());
    EXPECT_TRUE(pv_forward_dynamics(m, ws, s.q, s.v, s.a, {}, {}, qdd, {}));
    EXPECT_TRUE(near(qdd, naive_forward_dynamics(m, s.q, s.v, s.a), 4e5));
  });
}

TEST(PvDynamics, WrongSizesAreRefusedByName) {
  const DelassusCase c = random_delassus_case(3);
  PvDynamicsWorkspace ws(c.model, c.problem);
  std::vector<double> x(at(c.model.nv())), k(at(c.problem.rows())), wrong(k.size() + 1);
  EXPECT_THROW(solve_pv(c.model, ws, c.q, x, c.K, wrong, x, k), std::invalid_argument);
  EXPECT_THROW(pv_forward_dynamics(c.model, ws, c.q, x, x, c.K, k, x, wrong), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
