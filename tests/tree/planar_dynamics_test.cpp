// tests/tree/planar_dynamics_test.cpp - trees in a plane, against the same trees in space
#include "sinew/tree/planar_dynamics.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

PlanarLink random_link(Random& rng, int parent, PlanarJointKind kind) {
  PlanarLink l;
  l.parent = parent;
  l.kind = kind;
  l.placement = random_planar_transform(rng);
  l.inertia = random_planar_inertia(rng);
  return l;
}
PlanarModel random_planar_tree(Random& rng, int n) {
  std::vector<PlanarLink> links;
  for (int i = 0; i < n; ++i) {
    const int parent = rng.below(3) == 0 ? rng.below(i + 1) - 1 : i - 1;
    const bool slides = rng.below(3) == 0;
    links.push_back(random_link(rng, parent, slides ? PlanarJointKind::prismatic : PlanarJointKind::revolute));
  }
  return PlanarModel(std::move(links), random_vec2(rng));
}
// The same in the x-y plane of space; what the plane does not see of an inertia is made up.
Model in_space(const PlanarModel& m) {
  ModelBuilder b("planar tree");
  b.gravity({m.gravity.x, m.gravity.y, 0});
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarLink& l = m.links[i];
    const PlanarRigidInertia<double>& I = l.inertia;
    const double x = I.h.x / I.m, y = I.h.y / I.m, Ic = I.I - I.m * (x * x + y * y);
    const std::string name = std::to_string(i), parent = l.parent < 0 ? "world" : std::to_string(l.parent);
    b.body(name).mass(I.m, {x, y, 0}, Sym3<double>::diagonal(Ic, Ic, Ic));
    const bool turns = l.kind == PlanarJointKind::revolute;
    (turns ? b.revolute("joint" + name, parent, name).axis({0, 0, 1})
           : b.prismatic("joint" + name, parent, name).axis({1, 0, 0}))
        .at({l.placement.r.x, l.placement.r.y, 0}, {0, 0, std::atan2(l.placement.s, l.placement.c)});
  }
  return b.build().value();
}

// Two rods: the double pendulum's textbook mass matrix and gravity.
TEST(PlanarDynamics, DoublePendulum) {
  constexpr double l = 0.8, mass = 1.5, g = 9.81;
  const PlanarModel m = planar_rods(2, l, mass, {0, -g});
  PlanarWorkspace<double> ws(m);
  const std::vector<double> q{0.3, 0.9}, zero(2), v{1.1, -0.4};
  Grid<double> M(2, 2);
  planar_crba(m, ws, q, M);
  const double ml2 = mass * l * l, c2 = std::cos(q[1]);
  EXPECT_TRUE(near(M.numbers,
                   std::vector<double>{ml2 * (5. / 3 + c2), ml2 * (1. / 3 + c2 / 2), ml2 * (1. / 3 + c2 / 2), ml2 / 3},
                   10));
  std::vector<double> tau(2);
  planar_rnea(m, ws, q, zero, zero, tau);
  const double lower = mass * g * l / 2 * std::cos(q[0] + q[1]);
  EXPECT_TRUE(near(tau, std::vector<double>{1.5 * mass * g * l * std::cos(q[0]) + lower, lower}, 10));
  std::vector<double> moving(2);
  planar_rnea(m, ws, q, v, zero, moving);
  const double h = ml2 / 2 * std::sin(q[1]);
  EXPECT_TRUE(near(moving, std::vector<double>{tau[0] - h * v[1] * (2 * v[0] + v[1]), tau[1] + h * v[0] * v[0]}, 3));
}

TEST(PlanarDynamics, IsDynamicsInSpace) {
  for_seeds(40, [](Random& rng) {
    const int n = 1 + rng.below(12);
    const PlanarModel m = random_planar_tree(rng, n);
    const Model space = in_space(m);
    const TreeState s = random_state(space, rng);
    PlanarWorkspace<double> ws(m);
    std::vector<double> tau(at(n)), a(at(n));
    Grid<double> M(n, n);
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      planar_rnea(m, ws, s.q, s.v, s.a, tau);
      planar_crba(m, ws, s.q, M);
      planar_aba(m, ws, s.q, s.v, tau, a);
      EXPECT_EQ(allocations.count(), 0);
    }
    const Eigen::MatrixXd want = naive_mass_matrix(space, s.q);
    EXPECT_TRUE(near(tau, naive_rnea(space, s.q, s.v, s.a), 500));
    EXPECT_TRUE(near(M.numbers, numbers_of(want), 100));
    EXPECT_TRUE(near(a, s.a, 500 + 10 * want.norm() * dense_inverse(want).norm()));
  });
}

template <class T>
std::vector<T> run_all(const PlanarModel& m, const std::vector<double>& x) {
  std::vector<T> y, tau(x.size()), M(x.size() * x.size());
  for (const double e : x) y.push_back(lit<T>(e));
  PlanarWorkspace<T> ws(m);
  planar_rnea(m, ws, y, y, y, tau);
  planar_aba(m, ws, y, y, tau, y);
  planar_crba(m, ws, y, MatrixView<T>(M.data(), x.size(), x.size()));
  y.insert(y.end(), tau.begin(), tau.end());
  y.insert(y.end(), M.begin(), M.end());
  return y;
}
TEST(PlanarDynamics, AllScalarsAgree) {
  for_seeds(10, [](Random& rng) {
    const PlanarModel m = random_planar_tree(rng, 5);
    const std::vector<double> x = random_numbers(rng, 5), want = run_all<double>(m, x);
#define SINEW_CHECK(T) EXPECT_TRUE(near(run_all<T>(m, x), want, 100, 0, double(ScalarTraits<T>::kEpsilon)));
    SINEW_FOR_EACH_SCALAR(SINEW_CHECK)
#undef SINEW_CHECK
  });
}
// A planar link costs less than half of one in space.
TEST(PlanarDynamics, CostsLess) {
  const auto cost = [](int n) {
    Random rng(1);
    std::vector<PlanarLink> links;
    for (int i = 0; i < n; ++i) links.push_back(random_link(rng, i - 1, PlanarJointKind::revolute));
    const PlanarModel m(links, {.3, .4});
    PlanarWorkspace<Counted> ws(m);
    std::vector<Counted> x(at(n), Counted(0.37)), tau(at(n));
    const Tally tally;
    planar_rnea(m, ws, x, x, x, tau);
    return tally.count();
  };
  const OperationCount a = cost(10), b = cost(20);
  EXPECT_LT(b.mul - a.mul, 10 * 93 / 2);
  EXPECT_LT(b.add - a.add, 10 * 81 / 2);
}
TEST(PlanarDynamics, WrongInputsAreRefusedByName) {
  PlanarLink loop;
  loop.parent = 0;
  EXPECT_THROW(PlanarModel({loop}), std::invalid_argument);
  const PlanarModel m = planar_rods(3);
  PlanarWorkspace<double> ws(m);
  std::vector<double> two(2), three(3);
  try {
    planar_rnea(m, ws, three, two, three, three);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "planar_rnea: v has 2 entries, the model needs 3");
  }
  EXPECT_THROW(planar_crba(m, ws, three, MatrixView<double>(three.data(), 1, 3)), std::invalid_argument);
  EXPECT_THROW(planar_aba(planar_rods(2), ws, two, two, two, two), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
