// tests/contact/collision_energy_test.cpp - where the energy of collisions goes
#include "sinew/contact/collision.hpp"

#include "sinew/contact/contact_rows.hpp"
#include "support/contact_case.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

// Energies are those of the velocities, works account for their change, friction takes, and no contact approaches.
TEST(CollisionEnergy, TheAccountBalances) {
  int collisions = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTreeOptions tree;
    tree.bodies = 5;
    tree.kinds = {JointKind::free, JointKind::spherical, JointKind::revolute, JointKind::prismatic};
    Model m = compile(random_tree(seed, tree)).value();
    ConstraintSet set(m);
    ContactCase c{std::move(m), std::move(set), {}, {}, {}, {}};
    Random rng(seed);
    c.s = random_state(c.model, rng);
    for (int k = 0; k < 2; ++k) c.contacts.push_back(random_contact(c.model, rng, c.s.q, 0));
    if (!is_well_conditioned(c)) continue;
    CollisionSolver solver(c.model, c.set);
    const CollisionAnswer& a = solver.solve(c.s.q, c.s.v, c.contacts);
    collisions += a.restituted;
    EXPECT_EQ(a.compression_certificate.status, lcp::Status::solved);
    EXPECT_TRUE(!a.restituted || a.restitution_certificate.status == lcp::Status::solved);
    const CollisionEnergy& e = a.energy;
    EXPECT_NEAR(e.after - e.before, e.normal_work + e.friction_work + e.loop_work, 2e-13 * (1 + e.before));
    EXPECT_LE(e.compressed, e.before + 1e-9 * (1 + e.before));
    VelocityWorkspace<double> motion(c.model);
    calc_velocities(c.model, motion, c.s.q, a.v);
    std::vector<double> u(6);
    calc_contact_velocities(c.contacts, motion, u);
    for (const std::size_t k : {0, 3}) {
      EXPECT_GE(u[k], -1e-7);
      EXPECT_GE(a.compression[k], -1e-9);
    }
  }
  EXPECT_GT(collisions, 100);
}

// 4000 random contacts: friction on what is given back never adds energy; the printed law does.
TEST(CollisionEnergy, OfTheTwoLaws) {
  int gains = 0, contacts = 0;
  double worst = 0, worst_default = 0;
  for (std::uint64_t seed = 0; contacts < 4000; ++seed) {
    RandomTreeOptions tree;
    tree.bodies = 3;
    tree.kinds = {JointKind::free, JointKind::spherical, JointKind::revolute, JointKind::universal};
    Model m = compile(random_tree(seed, tree)).value();
    ConstraintSet set(m);
    ContactCase c{std::move(m), std::move(set), {}, {}, {}, {}};
    Random rng(seed);
    CollisionSolver solver(c.model, c.set, Formulation::os, {.solver = {.directions = seed % 2 == 0 ? 4 : 0}});
    for (int k = 0; k < 20; ++k) {
      c.s = random_state(c.model, rng);
      c.contacts.assign(1, random_contact(c.model, rng, c.s.q, 0));
      c.contacts[0].friction = rng.uniform(0.05, 1), c.contacts[0].restitution = rng.uniform(0.5, 1);
      if (!is_well_conditioned(c)) continue;
      solver.options.friction = RestitutionFriction::whole;
      const CollisionAnswer& a = solver.solve(c.s.q, c.s.v, c.contacts);
      if (!a.restituted) continue;
      ++contacts;
      const double scale = a.energy.before;
      worst_default = std::max(worst_default, (a.energy.after - a.energy.before) / scale);
      EXPECT_LE(a.energy.after, a.energy.before + 1e-9 * scale) << "seed " << seed;
      solver.options.friction = RestitutionFriction::printed;
      solver.solve(c.s.q, c.s.v, c.contacts);
      const double gain = (a.energy.after - a.energy.before) / scale;
      gains += gain > 1e-9;
      worst = std::max(worst, gain);
    }
  }
  std::printf("%d contacts: the printed law gained energy in %d, at most %.3g of what was there; the default %.3g\n",
              contacts, gains, worst, worst_default);
  EXPECT_GT(gains, 0);
}

}  // namespace sinew::test
