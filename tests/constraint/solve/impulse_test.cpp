// tests/constraint/solve/impulse_test.cpp - rows that take hold in an instant [F08 11.7]
#include "sinew/model/builder.hpp"
#include "sinew/tree/energy.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

TEST(ConstrainedImpulse, AllMethodsAgreeAndBalanceEnergy) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    Random rng(7);
    const std::vector<double> before = random_numbers(rng, l.model.nv()), given = random_numbers(rng, l.model.nv());
    std::vector<double> first, after(before.size()), P(static_cast<std::size_t>(l.set.rows()));
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(l.model, l.set, {.method = method});
      const SolveCertificate& r = constrained_impulse(l.model, l.set, ws, l.s.q, before, given, {}, after, P);
      EXPECT_EQ(r.status, SolveStatus::solved) << to_string(r.status);
      if (first.empty()) first = after;
      EXPECT_TRUE(near(after, first, 1, std::max(1.0, largest(first)), 2e-12));
      EXPECT_TRUE(is_small(r.constraint_residual, 2e-13 * r.constraint_scale));
      EnergyWorkspace<double> energies(l.model);
      const double change = calc_kinetic_energy(l.model, energies, l.s.q, after);
      EXPECT_TRUE(
          near(r.energy_change, change - calc_kinetic_energy(l.model, energies, l.s.q, before), 1, 1 + change, 2e-14));
      AllocationCount allocations;
      constrained_impulse(l.model, l.set, ws, l.s.q, before, given, {}, after, P);
      EXPECT_TRUE(allocations.count() == 0 || method == ConstrainedMethod::sparse) << allocations.count();
      // Without an impulse of ours, constraints that take hold only take energy.
      EXPECT_LE(constrained_impulse(l.model, l.set, ws, l.s.q, before, {}, {}, after, P).energy_change, 0);
    }
  }
}

// A rod that falls flat and is caught by one end: Carnot's loss is m v^2 / 8.
TEST(ConstrainedImpulse, ARodCaughtByItsEnd) {
  ModelBuilder b("rod");
  const double mass = 3, length = 2, speed = 1.7, I = mass * length * length / 12;
  b.body("rod").mass(mass, {length / 2, 0, 0}, {1e-9, 0, 0, I, 0, I});
  b.free("base", "world", "rod");
  const Model m = b.build().value();
  const ConstraintSet set(m, {MaskConstraint{.name = "hook",
                                             .body_a = "",
                                             .body_b = "rod",
                                             .pose_a = {},
                                             .pose_b = {},
                                             .blocked = {false, false, false, true, true, true},
                                             .laws = {}}});
  ConstrainedWorkspace ws(m, set);
  std::vector<double> after(6), P(3);
  const std::vector<double> q(m.neutral().begin(), m.neutral().end());
  const SolveCertificate& c =
      constrained_impulse(m, set, ws, q, std::vector<double>{0, 0, 0, 0, 0, -speed}, {}, {}, after, P);
  EXPECT_EQ(c.status, SolveStatus::solved);
  EXPECT_TRUE(near(after, Numbers{0, 1.5 * speed / length, 0, 0, 0, 0}, 20));
  EXPECT_TRUE(near(P, Numbers{0, 0, mass * speed / 4}, 20));
  EXPECT_TRUE(near(c.energy_change, -mass * speed * speed / 8, 20));
  // Thrown back instead: K v+ = target.
  constrained_impulse(m, set, ws, q, std::vector<double>{0, 0, 0, 0, 0, -speed}, {}, Numbers{0, 0, speed}, after, P);
  EXPECT_TRUE(near(after[5], speed, 20));
  EXPECT_TRUE(near(c.energy_change, 0.0, 50));
}

}  // namespace sinew::test
