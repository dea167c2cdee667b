// tests/operators/task_points_test.cpp - B, the Jacobian and the compliance as operators
#include "sinew/operators/task_points.hpp"

#include <gtest/gtest.h>

#include "sinew/operators/algebra.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/tree/jacobian.hpp"
#include "support/dense_algebra.hpp"
#include "support/no_alloc.hpp"
#include "support/random_sko.hpp"
#include "support/stated_cost.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
using sko::Nodes;
using sko::Points;

// Points on any nodes, two of them on one node, of 1 to 3 components.
template <class T>
std::vector<sko::PickOff> random_points(const sko::SkoModel<T>& m, Random& rng, int count) {
  std::vector<sko::PickOff> out;
  for (int i = 0; i < count; ++i) {
    const int node = i == 1 ? out[0].node : static_cast<int>(rng.uniform(0, m.shape().nodes() - 1e-9));
    const int columns = 1 + i % 3;
    out.push_back({node, columns, random_numbers(rng, columns * m.shape().size(node))});
  }
  return out;
}
MatrixXd dense_of(const sko::Shape& s, const std::vector<sko::PickOff>& points) {
  int columns = 0;
  for (const sko::PickOff& p : points) columns += p.columns;
  MatrixXd B = MatrixXd::Zero(s.size(), columns);
  int begin = 0;
  for (const sko::PickOff& p : points) {
    for (int i = 0; i < s.size(p.node); ++i)
      for (int j = 0; j < p.columns; ++j) B(s.begin(p.node) + i, begin + j) = p.block[at(i * p.columns + j)];
    begin += p.columns;
  }
  return B;
}
template <class R, class C>
MatrixXd matrix_of(const sko::OperatorAlgebra<double>& o, const sko::Operator<R, C>& x) {
  const sko::Application<double> a(o, x);
  const std::vector<double> v = sko::materialise(o, x);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(v.data(), a.rows(),
                                                                                                  a.cols());
}
double worst_of(const MatrixXd& got, const MatrixXd& want) {
  return (got - want).cwiseAbs().maxCoeff() / std::max(1e-300, want.cwiseAbs().maxCoeff());
}

TEST(TaskPoints, JacobianAndComplianceAreTheDenseOnes) {
  Random rng(41);
  for (int trial = 0; trial < 60; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 12, trial % 3 * 0.5);
    const sko::OperatorAlgebra<double> o(m);
    const std::vector<sko::PickOff> points = random_points(m, rng, 5);
    sko::TaskPoints<double> tips(m, points);
    const MatrixXd B = dense_of(m.shape(), points);
    EXPECT_EQ(matrix_of(o, tips.B), B);
    EXPECT_EQ(matrix_of(o, ~tips.B), B.transpose());
    const MatrixXd J = dense_product(B.transpose(), matrix_of(o, o.partial_velocities()));
    EXPECT_TRUE(is_small(worst_of(matrix_of(o, o.jacobian(tips.B)), J), 1e-14));
    const MatrixXd Lambda = dense_product(J, dense_product(dense_inverse(matrix_of(o, o.mass())), J.transpose()));
    EXPECT_TRUE(is_small(worst_of(matrix_of(o, o.compliance(tips.B)), Lambda), 1e-13));
    // and the blocks that calc_compliance finds along the paths, with the R term
    sko::SkoDynamics<double> ws(m);
    solve_riccati(m, ws.riccati);
    calc_propagators(m, ws.riccati);
    Grid<double> by_paths(tips.size(), tips.size());
    calc_compliance(m, ws, points, by_paths);
    for (int i = 0; i < tips.size(); ++i)
      for (int j = 0; j < tips.size(); ++j)
        EXPECT_TRUE(is_small(std::abs(by_paths(i, j) - Lambda(i, j)), 1e-13 * Lambda.cwiseAbs().maxCoeff()));
    // Between two lists of points.
    const sko::TaskPoints<double> others(m, random_points(m, rng, 3), "C");
    const MatrixXd cross = matrix_of(o, ~tips.B * o.Omega() * others.B);
    EXPECT_TRUE(is_small(worst_of(matrix_of(o, ~others.B * o.Omega() * tips.B), cross.transpose()), 5e-14));
  }
}

TEST(TaskPoints, PrintsAndSimplifies) {
  Random rng(42);
  const sko::SkoModel<double> m = random_sko(rng, 6);
  const sko::OperatorAlgebra<double> o(m);
  const sko::TaskPoints<double> tips(m, random_points(m, rng, 2)), hands(m, random_points(m, rng, 2), "B_hands");
  EXPECT_EQ(to_string(o.jacobian(tips.B)), "B* A* H*");
  EXPECT_EQ(to_string(~hands.B * o.Omega() * tips.B), "B_hands* psi* H* D^-1 H psi B");
  // From [J11 59] to [J11 60]: the formula found, not written.
  const auto J = o.jacobian(tips.B);
  const auto as_printed = J * sko::inverse(o.mass()) * ~J;
  EXPECT_EQ(to_string(as_printed), "B* A* H* (1 - K* psi* H*) D^-1 (1 - H psi K) H A B");
  const auto found = sko::simplify(as_printed);
  EXPECT_EQ(to_string(found), "B* psi* H* D^-1 H psi B");
  EXPECT_EQ(found.reason(), "[J11 45]");
  EXPECT_TRUE(is_small(worst_of(matrix_of(o, found), matrix_of(o, as_printed)), 2e-14));
  const sko::Application<double> slow(o, as_printed), fast(o, found);
  EXPECT_LT(fast.multiplications(), slow.multiplications());
  EXPECT_NE(fast.describe().find("B: from points to nodes"), std::string::npos) << fast.describe();
  // Other rules.
  const auto f = sko::identity<sko::Freedoms>();
  EXPECT_EQ(to_string(sko::simplify(o.D_inverse * o.H * o.psi * o.M * ~o.psi * ~o.H)), "1");
  EXPECT_EQ(to_string(sko::simplify((f + o.H * o.A * o.K) * o.H * o.psi)), "H A");
  EXPECT_EQ(to_string(sko::simplify(2 * ~(o.H * o.G) + o.D)), "2 + D");
  EXPECT_EQ(to_string(sko::simplify(o.A * o.M)), "A M");
  EXPECT_EQ(sko::simplify(o.A * o.M).reason(), "");
}

template <class A, class B>
concept Multiplies = requires(const A& a, const B& b) { a* b; };

TEST(TaskPoints, WhatDoesNotFitIsRefused) {
  using B = sko::Operator<Nodes, Points>;
  static_assert(!Multiplies<B, B> && Multiplies<sko::Operator<Points, Nodes>, B>);
  static_assert(!Multiplies<sko::Operator<sko::Freedoms, sko::Freedoms>, sko::Operator<Points, Nodes>>);
  Random rng(43);
  const sko::SkoModel<double> m = random_sko(rng, 4), other = random_sko(rng, 4);
  const sko::OperatorAlgebra<double> o(m);
  const std::vector<sko::PickOff> points = random_points(m, rng, 2);
  sko::TaskPoints<double> tips(m, points), twin(m, points, "C");
  const sko::TaskPoints<double> elsewhere(other, random_points(other, rng, 2));
  const auto complaint = [](const auto& call) -> std::string {
    try {
      (void)call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(complaint([&] { return tips.B * ~twin.B; }).find("different lists of points do not combine: 'B' and 'C*'"),
            std::string::npos);
  EXPECT_NE(complaint([&] { return tips.B + twin.B; }).find("different lists of points"), std::string::npos);
  EXPECT_NE(complaint([&] { return o.compliance(elsewhere.B); }).find("different models"), std::string::npos);
  EXPECT_NE(complaint([&] { return sko::inverse(o.compliance(tips.B)); }).find("no factorization"), std::string::npos);
  EXPECT_NE(complaint([&] {
              return sko::Application<double>(o, sko::identity<Points>());
            }).find("the identity of any list of points"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              return sko::TaskPoints<double>(m, {{9, 1, {}}});
            }).find("there is no node 9"),
            std::string::npos);
  // The identity takes the points of what it meets.
  const auto shifted = sko::identity<Points>() + o.compliance(tips.B);
  EXPECT_EQ(matrix_of(o, shifted),
            MatrixXd(matrix_of(o, o.compliance(tips.B)) + MatrixXd::Identity(tips.size(), tips.size())));
}

TEST(TaskPoints, StatedCostIsTheCountedOneAndNothingIsAllocated) {
  Random rng(44);
  for (int trial = 0; trial < 10; ++trial) {
    const sko::SkoModel<Counted> m = random_sko<Counted>(rng, 2 + trial);
    const sko::OperatorAlgebra<Counted> o(m);
    const sko::TaskPoints<Counted> tips(m, random_points(m, rng, 4));
    const auto expect = [&](const auto& x) { expect_stated_cost(o, x, rng); };
    expect(tips.B), expect(~tips.B), expect(o.jacobian(tips.B)), expect(~tips.B * o.M);
  }
  const sko::SkoModel<double> m = random_sko(rng, 8);
  const sko::OperatorAlgebra<double> o(m);
  sko::TaskPoints<double> tips(m, random_points(m, rng, 4));
  sko::Application<double> a(o, o.compliance(tips.B), 2);
  std::vector<double> x(at(2 * tips.size()), 1.0), y(x);
  const AllocationCount allocations;
  a.apply(x, y);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(TaskPoints, OnRigidBodiesTheJacobianIsThatOfTree) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    sko::RigidSko r(m);
    r.update(s.q, s.v);
    const sko::OperatorAlgebra<double> o(r.sko);
    std::vector<sko::PickOff> list;
    std::vector<Place> places;
    for (const BodyEntry& b : m.bodies())
      if (b.node > 0) list.push_back(make_pick_off(r, b)), places.push_back(b);
    const sko::TaskPoints<double> bodies(r.sko, list);
    const MatrixXd J = matrix_of(o, o.jacobian(bodies.B));
    JacobianWorkspace<double> ws(m);
    calc_jacobian(m, ws, s.q);
    double worst = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Grid<double> want(6, m.nv());
      get_jacobian(m, ws, places[i], ReferenceFrame::body, want);
      for (int row = 0; row < 6; ++row)
        for (int f = 0; f < m.nv(); ++f)
          worst = std::max(worst, std::abs(J(6 * Eigen::Index(i) + row, f) - want(row, r.coordinate(f))));
    }
    EXPECT_TRUE(is_small(worst, 3e-13));
    EXPECT_THROW(make_pick_off(r, m.bodies()[0]), std::invalid_argument);
  });
}

}  // namespace
}  // namespace sinew::test
