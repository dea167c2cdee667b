// tests/constraint/closure/closure_test.cpp - the arm that a piston raises, closed by formulae [F08 Fig 8.3]
#include "sinew/constraint/closure/closure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/constraint/rank/explicit_form.hpp"
#include "sinew/constraint/rows/motion_constraint.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/crank_piston_closure.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

struct Arm {
  mechanisms::CrankPistonOptions options;
  Model m = compile(mechanisms::crank_piston(options)).value();
  ConstraintSet set{m};
  CrankPiston closure{options.l1, options.l2};
};

TEST(Closure, AgreesWithTheConstraints) {
  const Arm arm;
  for (const double y0 : {0.4, 1.1, 2.5, -0.9}) {
    const ClosureCheck c =
        check_closure(arm.m, arm.set, arm.closure, std::vector<double>{y0, 0.3}, std::vector<double>{1.3, -0.7});
    EXPECT_TRUE(near(c.position, 0.0, 30));
    EXPECT_TRUE(near(c.velocity, 0.0, 30));
    EXPECT_TRUE(near(c.acceleration, 0.0, 100));
    EXPECT_TRUE(near(c.rate, 0.0, 50, 1, 0x1p-35));
  }
  // A wrong sign does not pass.
  const CrankPiston wrong(arm.options.l1 + 0.1, arm.options.l2);
  const ClosureCheck c = check_closure(arm.m, arm.set, wrong, std::vector<double>{1, 0}, std::vector<double>{1, 0});
  EXPECT_GT(c.position, 0.01);
  EXPECT_GT(c.velocity, 0.01);
}

TEST(Closure, RefusesWhatItsFormulaeCannotDo) {
  const CrankPiston equal(0.5, 0.5);
  const Arm arm;
  ClosedMotion motion(arm.m, equal);
  EXPECT_THROW(calc_closure(equal, std::vector<double>{0, 0}, std::vector<double>{0, 0}, motion), std::domain_error);
  EXPECT_THROW(calc_closure(equal, std::vector<double>{0}, std::vector<double>{0, 0}, motion), std::invalid_argument);
}

struct Dynamics {
  std::vector<double> H, C, tau;
  EquationOfMotion view() const { return {{H.data(), C.size(), C.size()}, C, tau}; }
};
Dynamics dynamics_of(const Model& m, const std::vector<double>& q, const std::vector<double>& v) {
  const auto n = static_cast<std::size_t>(m.nv());
  Dynamics out{std::vector<double>(n * n), std::vector<double>(n), std::vector<double>(n)};
  CrbaWorkspace<double> crba_ws(m);
  RneaWorkspace<double> rnea_ws(m);
  crba(m, crba_ws, q, {out.H.data(), n, n});
  calc_bias(m, rnea_ws, q, v, out.C);
  return out;
}

// G and g from formulae and from elimination of K give the same accelerations.
TEST(Closure, MovesAsTheConstraintsDo) {
  const Arm arm;
  const std::vector<double> y{0.9, 0.4}, yd{1.1, -2};
  ClosedMotion motion(arm.m, arm.closure);
  calc_closure(arm.closure, y, yd, motion);
  ConstraintRows rows(arm.m, arm.set);
  calc_constraint_rows(arm.m, arm.set, rows, motion.q, motion.v);
  Grid<double> K(arm.set.rows(), arm.m.nv());
  get_constraint_jacobian(arm.m, arm.set, rows, K);
  const ExplicitForm f = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, rows.k, {.independent = {0, 3}});
  EXPECT_EQ(f.rank, 2);
  EXPECT_TRUE(near(f.inconsistency, 0.0, 100));
  EXPECT_TRUE(near(f.G, motion.G, 50));
  EXPECT_TRUE(near(f.g, motion.g, 100));

  const Dynamics e = dynamics_of(arm.m, motion.q, motion.v);
  const ExplicitSolution by_formula = solve_explicit(e.view(), motion.basis(), motion.g);
  const ExplicitForm free_choice = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, rows.k);
  const ExplicitSolution by_rows = solve_explicit(e.view(), free_choice.basis(), free_choice.g);
  EXPECT_TRUE(near(by_formula.qdd, by_rows.qdd, 100));
  // K qdd = k
  EXPECT_TRUE(near(K * by_formula.qdd, rows.k, 300));
}

TEST(Closure, DoesNotDrift) {
  const Arm arm;
  ClosedMotion motion(arm.m, arm.closure);
  std::vector<double> y{1.1, 0.2}, yd{0, 0};
  const auto slope = [&](const std::vector<double>& s) {
    calc_closure(arm.closure, std::vector<double>{s[0], s[1]}, std::vector<double>{s[2], s[3]}, motion);
    const ExplicitSolution x = solve_explicit(dynamics_of(arm.m, motion.q, motion.v).view(), motion.basis(), motion.g);
    return std::vector<double>{s[2], s[3], x.ydd[0], x.ydd[1]};
  };
  const auto moved = [](std::vector<double> s, const std::vector<double>& d, double h) {
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += h * d[i];
    return s;
  };
  std::vector<double> s{y[0], y[1], yd[0], yd[1]};
  const double h = 0.01;
  for (int step = 0; step < 200; ++step) {
    const auto k1 = slope(s), k2 = slope(moved(s, k1, h / 2)), k3 = slope(moved(s, k2, h / 2)),
               k4 = slope(moved(s, k3, h));
    for (std::size_t i = 0; i < 4; ++i) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  slope(s);
  ConstraintRows rows(arm.m, arm.set);
  calc_constraint_rows(arm.m, arm.set, rows, motion.q, motion.v);
  EXPECT_TRUE(near(rows.position, std::vector<double>(5), 30)) << "after 200 coarse steps";
  EXPECT_TRUE(near(rows.velocity, std::vector<double>(5), 100));
}

TEST(Closure, AllocatesNothing) {
  const Arm arm;
  ClosedMotion motion(arm.m, arm.closure);
  const std::vector<double> y{0.9, 0.4}, yd{1.1, -2};
  const AllocationCount allocations;
  calc_closure(arm.closure, y, yd, motion);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
