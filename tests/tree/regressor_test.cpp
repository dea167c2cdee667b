// tests/tree/regressor_test.cpp - dynamics linear in the inertial parameters, and base parameters (HY-7)
#include "sinew/tree/regressor.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/base_parameters.hpp"
#include "sinew/tree/energy.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

std::vector<double> parameters_of(const Model& m) {
  std::vector<double> pi(inertial_parameter_count(m));
  get_inertial_parameters(m, pi);
  return pi;
}
Grid<double> regressor_of(const Model& m, const TreeState& s, double time = 0) {
  RegressorWorkspace<double> ws(m);
  Grid<double> Y(m.nv(), static_cast<int>(inertial_parameter_count(m)));
  calc_regressor(m, ws, s.q, s.v, s.a, Y, time);
  return Y;
}
std::vector<double> armature_force(const Model& m, const std::vector<double>& a) {
  std::vector<double> out;
  for (std::size_t k = 0; k < a.size(); ++k) out.push_back(m.dofs()[k].armature * a[k]);
  return out;
}

// A pendulum about y: tau = I_yy a - g (h_x cos q + h_z sin q).
TEST(Regressor, OfAPendulum) {
  ModelBuilder b("pendulum");
  b.body("bob").mass(1.5, {0.1, 0.2, -0.7}, Sym3<double>::diagonal(0.02, 0.02, 0.02));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0});
  const Model m = b.build().value();
  const double q = 0.4, a = 2, g = 9.81;
  Grid<double> Y = regressor_of(m, {{q}, {3}, {a}});
  EXPECT_TRUE(near(Y.numbers, std::vector<double>{0, -g * std::cos(q), 0, -g * std::sin(q), 0, 0, 0, a, 0, 0}, 10));
  EXPECT_TRUE(near(parameters_of(m),
                   std::vector<double>{1.5, 0.15, 0.3, -1.05, 0.02 + 1.5 * (0.04 + 0.49), -1.5 * 0.02, 1.5 * 0.07,
                                       0.02 + 1.5 * (0.01 + 0.49), 1.5 * 0.14, 0.02 + 1.5 * (0.01 + 0.04)},
                   10));
}

// Y pi is the inverse dynamics, less armature; welded bodies have columns of their own.
TEST(Regressor, TimesParametersIsTheInverseDynamics) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    Grid<double> Y = regressor_of(m, s, 0.3);
    EXPECT_TRUE(near(plus(Y * parameters_of(m), armature_force(m, s.a)), naive_rnea(m, s.q, s.v, s.a, {}, 0.3), 1000));
  });
}

// Column by column: only the parameters of the model change, so the difference of torques is the column.
TEST(Regressor, ColumnsAreDerivatives) {
  const ModelSpec spec = random_tree(12, {4, {}, 0.3});
  const Model m = compile(spec).value();
  Random rng(12);
  const TreeState s = random_state(m, rng);
  Grid<double> Y = regressor_of(m, s);
  const std::vector<double> tau = naive_rnea(m, s.q, s.v, s.a);
  ASSERT_GT(m.nv(), 3);
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    ModelSpec other = spec;  // inertia about the centre of mass: all of I, and nothing of m and h
    other.bodies[b].inertia = other.bodies[b].inertia + Sym3<double>{0.3, 0.01, 0.02, 0.4, 0.03, 0.5};
    const std::vector<double> changed = naive_rnea(compile(other).value(), s.q, s.v, s.a);
    const double delta[] = {0.3, 0.01, 0.02, 0.4, 0.03, 0.5};
    for (std::size_t k = 0; k < tau.size(); ++k) {
      double want = 0;
      for (int p = 0; p < 6; ++p) want += Y(static_cast<int>(k), static_cast<int>(10 * b) + 4 + p) * delta[p];
      EXPECT_TRUE(near(changed[k] - tau[k], want, 20, 1 + largest(tau)));
    }
  }
}

TEST(Regressor, OfEnergiesGivesTheEnergies) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    RegressorWorkspace<double> ws(m);
    EnergyWorkspace<double> energy(m);
    const std::vector<double> pi = parameters_of(m);
    std::vector<double> kinetic(pi.size()), potential(pi.size());
    calc_kinetic_energy_regressor(m, ws, s.q, s.v, kinetic, 0.3);
    calc_potential_energy_regressor(m, ws, s.q, potential, 0.3);
    const double rotors = 0.5 * product(armature_force(m, s.v), s.v);
    EXPECT_TRUE(near(product(kinetic, pi) + rotors, calc_kinetic_energy(m, energy, s.q, s.v, 0.3), 500));
    EXPECT_TRUE(near(product(potential, pi), calc_potential_energy(m, energy, s.q, 0.3), 30, 1 + 10 * m.mass()));
  });
}

// v^T Y is the rate of y_T + y_V: power and energy, parameter by parameter.
TEST(Regressor, PowerIsTheRateOfEnergyForEachParameter) {
  for_random_trees(
      30,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        Grid<double> Y = regressor_of(m, s);
        RegressorWorkspace<Dual> ws(m);
        std::vector<Dual> kinetic(Y.cols), potential(Y.cols);
        calc_kinetic_energy_regressor(m, ws, moving_q(m, s), moving(s.v, s.a), kinetic);
        calc_potential_energy_regressor(m, ws, moving_q(m, s), potential);
        std::vector<double> power(Y.cols);
        for (int k = 0; k < m.nv(); ++k)
          for (std::size_t p = 0; p < Y.cols; ++p) power[p] += s.v[k] * Y(k, static_cast<int>(p));
        EXPECT_TRUE(near(plus(slopes(kinetic), slopes(potential)), power, 1000));
      },
      true);
}

// Arms in a plane: 3 n base parameters if gravity acts in the plane, 3 n - 2 if not.
ModelSpec planar_arm(int n, const Vec3<double>& gravity) {
  ModelSpec spec = random_tree(7, {n, {JointKind::revolute}, 0.0});
  spec.gravity = gravity;
  for (JointSpec& j : spec.joints) {
    j.axis = {0, 0, 1};
    j.placement = shift_frame(Vec3<double>{0.7, 0, 0});
    j.child_placement = {};
    j.reversed = false;
  }
  return spec;
}
TEST(BaseParameters, OfPlanarArms) {
  for (int n = 1; n <= 4; ++n) {
    const auto rank = [n](const Vec3<double>& gravity) {
      return find_base_parameters(compile(planar_arm(n, gravity)).value()).rank();
    };
    EXPECT_EQ(rank({0, -9.81, 0}), 3 * n);
    EXPECT_EQ(rank({0, 0, -9.81}), 3 * n - 2);
    EXPECT_EQ(rank({0, 0, 0}), 3 * n - 2);
  }
}
// Arms without anything special: 7 n - 4, and 7 n - 6 where the first axis is along gravity; a floating base sees all
// ten parameters of the base and seven of every further link.
TEST(BaseParameters, OfGeneralArms) {
  for (int n = 1; n <= 6; ++n) {
    ModelSpec spec = mechanisms::gu(n);
    spec.gravity = {3, -5, 7};
    const BaseParameters general = find_base_parameters(compile(spec).value());
    EXPECT_EQ(general.rank(), 7 * n - 4) << n;
    EXPECT_GT(general.last_kept, 1e4 * general.first_left);
    // Gravity along the first axis.
    const JointSpec& first = spec.joints[0];
    spec.gravity = 9.81 * apply_inverse(first.placement.E, first.axis);
    EXPECT_EQ(find_base_parameters(compile(spec).value()).rank(), 7 * n - 6) << n;
    ModelSpec floating = random_tree(3, {n + 1, {JointKind::revolute}, 0.0});
    floating.joints[0].kind = JointKind::free;
    EXPECT_EQ(find_base_parameters(compile(floating).value()).rank(), 10 + 7 * n) << n;
  }
}

// The textbook's groups of the planar 2R arm: moving mass from the second link to the first, with its moment and
// inertia, changes nothing that can be felt.
TEST(BaseParameters, AreEqualForModelsThatMoveAlike) {
  const double l = 0.7, dm = 0.4;
  const Model m = compile(planar_arm(2, {0, -9.81, 0})).value();
  const BaseParameters base = find_base_parameters(m);
  const std::vector<double> pi = parameters_of(m);
  std::vector<double> other = pi, beta(static_cast<std::size_t>(base.rank())), beta2 = beta;
  other[9] -= dm * l * l, other[1] -= dm * l, other[10] += dm;
  calc_base_parameters(base, pi, beta);
  calc_base_parameters(base, other, beta2);
  EXPECT_TRUE(near(beta, beta2, 20));
  other[9] += 0.1;
  calc_base_parameters(base, other, beta2);
  EXPECT_FALSE(near(beta, beta2, 1e3));
}

// Y pi = Y[independent] beta at states that were not sampled.
TEST(BaseParameters, GiveTheSameTorques) {
  for_random_trees(20, [](const Model& m, Random& rng) {
    const BaseParameters base = find_base_parameters(m);
    EXPECT_EQ(base.independent.size() + base.dependent.size() + base.unseen.size(), inertial_parameter_count(m));
    const std::vector<double> pi = parameters_of(m);
    std::vector<double> beta(static_cast<std::size_t>(base.rank()));
    calc_base_parameters(base, pi, beta);
    const TreeState s = random_state(m, rng);
    Grid<double> Y = regressor_of(m, s);
    std::vector<double> tau(s.v.size());
    for (int k = 0; k < m.nv(); ++k)
      for (std::size_t i = 0; i < beta.size(); ++i) tau[k] += Y(k, base.independent[i]) * beta[i];
    EXPECT_TRUE(near(tau, Y * pi, 200));
  });
}

TEST(Regressor, IsTheSameInEveryScalar) {
  expect_parity(12, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
                  RegressorWorkspace<T> ws(m);
                  Grid<T> Y(m.nv(), static_cast<int>(inertial_parameter_count(m)));
                  std::vector<T> kinetic(Y.cols), potential(Y.cols), out;
                  calc_regressor(m, ws, q, v, a, Y, 0.3);
                  calc_kinetic_energy_regressor(m, ws, q, v, kinetic, 0.3);
                  calc_potential_energy_regressor(m, ws, q, potential, 0.3);
                  for (const auto* x : {&Y.numbers, &kinetic, &potential}) out.insert(out.end(), x->begin(), x->end());
                  return out;
                });
}

TEST(Regressor, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  RegressorWorkspace<double> ws(m);
  Grid<double> Y(m.nv(), 300), low(m.nv(), 299);
  std::vector<double> y(300), few(299);
  const AllocationCount allocations;
  calc_regressor(m, ws, s.q, s.v, s.a, Y);
  calc_kinetic_energy_regressor(m, ws, s.q, s.v, y);
  calc_potential_energy_regressor(m, ws, s.q, y);
  get_inertial_parameters(m, y);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_THROW(calc_regressor(m, ws, few, s.v, s.a, Y), std::invalid_argument);
  EXPECT_THROW(calc_regressor(m, ws, s.q, s.v, few, Y), std::invalid_argument);
  EXPECT_THROW(calc_regressor(m, ws, s.q, s.v, s.a, low), std::invalid_argument);
  EXPECT_THROW(calc_kinetic_energy_regressor(m, ws, s.q, s.v, few), std::invalid_argument);
  EXPECT_THROW(calc_potential_energy_regressor(m, ws, s.q, few), std::invalid_argument);
  EXPECT_THROW(get_inertial_parameters(m, few), std::invalid_argument);
  EXPECT_THROW(find_base_parameters(m, {.samples = -1}), std::invalid_argument);
  EXPECT_THROW(calc_base_parameters({}, few, y), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
