// tests/tree/energy_test.cpp - kinetic and potential energy
#include "sinew/tree/energy.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

TEST(Energy, OfAPendulum) {
  const double mass = 1.5, l = 0.7, I = 0.02, rotor = 0.3, q = 0.4, v = 2;
  ModelBuilder b("pendulum");
  b.body("bob").mass(mass, {0, 0, -l}, Sym3<double>::diagonal(I, I, I));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0}).armature(rotor);
  const Model m = b.build().value();
  EnergyWorkspace<double> ws(m);
  const std::vector<double> position{q}, velocity{v};
  EXPECT_TRUE(near(calc_kinetic_energy(m, ws, position, velocity), 0.5 * (mass * l * l + I + rotor) * v * v, 4));
  EXPECT_TRUE(near(calc_potential_energy(m, ws, position), -mass * 9.81 * l * std::cos(q), 4));
}

// T = 1/2 v^T M v; with prescribed joints T has parts that v does not govern, so those stand still here.
TEST(Energy, KineticIsHalfTheSquareInTheMassMatrix) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        EnergyWorkspace<double> ws(m);
        const Eigen::Map<const Eigen::VectorXd> v(s.v.data(), m.nv());
        const double want = 0.5 * v.dot(naive_mass_matrix(m, s.q) * v);
        EXPECT_TRUE(near(calc_kinetic_energy(m, ws, s.q, s.v), want, 500));
      },
      true);
}

// g = dV/dq along every velocity coordinate: the power of the holding forces is the rate of V.
TEST(Energy, PotentialHasTheGravityTermsAsGradient) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        TreeState s = random_state(m, rng);
        const std::vector<double> rest(s.v.size()), g = naive_rnea(m, s.q, rest, rest);
        EnergyWorkspace<Dual> ws(m);
        for (std::size_t k = 0; k < g.size(); ++k) {
          s.v.assign(g.size(), 0), s.v[k] = 1;
          EXPECT_TRUE(near(calc_potential_energy(m, ws, moving_q(m, s)).slope, g[k], 500, 1 + 10 * m.mass()));
        }
      },
      true);
}

// Power in = dE/dt: along the motion that tau makes, and with external forces at work.
TEST(Energy, ChangesByThePowerOfTheForces) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        std::vector<Force<double>> external;
        for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
        const std::vector<double> tau = naive_rnea(m, s.q, s.v, s.a, external);
        double power = product(tau, s.v);
        VelocityWorkspace<double> motion(m);
        calc_velocities(m, motion, s.q, s.v);
        for (std::size_t b = 0; b < external.size(); ++b)
          power += dot(external[b], get_velocity(motion, m.bodies()[b], ReferenceFrame::body));
        EnergyWorkspace<Dual> ws(m);
        const std::vector<Dual> q = moving_q(m, s), v = moving(s.v, s.a);
        const double rate = calc_kinetic_energy(m, ws, q, v).slope + calc_potential_energy(m, ws, q).slope;
        EXPECT_TRUE(near(rate, power, 1000, 1 + 10 * m.mass()));
      },
      true);
}

// Units: masses a thousand times larger store a thousand times as much.
TEST(Energy, ScalesWithMass) {
  const ModelSpec spec = random_tree(6);
  ModelSpec heavy = spec;
  for (BodySpec& b : heavy.bodies) b.mass *= 1000, b.inertia = 1000.0 * b.inertia;
  const Model m = compile(spec).value(), n = compile(heavy).value();
  Random rng(6);
  const TreeState s = random_state(m, rng);
  EnergyWorkspace<double> one(m), other(n);
  EXPECT_TRUE(near(1000 * calc_kinetic_energy(m, one, s.q, s.v), calc_kinetic_energy(n, other, s.q, s.v), 100));
  EXPECT_TRUE(near(1000 * calc_potential_energy(m, one, s.q), calc_potential_energy(n, other, s.q), 1, 1e6));
}

TEST(Energy, OfAModelWithoutFreedomIsZero) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone").at({0, 0, 5});
  const Model m = b.build().value();
  EnergyWorkspace<double> ws(m);
  const std::vector<double> none;
  EXPECT_EQ(calc_kinetic_energy(m, ws, none, none), 0);
  EXPECT_EQ(calc_potential_energy(m, ws, none), 0);
}

TEST(Energy, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>&) {
                  EnergyWorkspace<T> ws(m);
                  return std::vector<T>{calc_kinetic_energy(m, ws, q, v, 0.3), calc_potential_energy(m, ws, q, 0.3)};
                });
}

TEST(Energy, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  EnergyWorkspace<double> ws(m);
  const AllocationCount allocations;
  calc_kinetic_energy(m, ws, s.q, s.v);
  calc_potential_energy(m, ws, s.q);
  EXPECT_EQ(allocations.count(), 0);
  const std::vector<double> one(1);
  EXPECT_THROW(calc_kinetic_energy(m, ws, s.q, one), std::invalid_argument);
  EXPECT_THROW(calc_potential_energy(m, ws, one), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
