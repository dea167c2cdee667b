// tests/constraint/closure/manifold_test.cpp - closed loops over time: energy and loop error [F08 8.3]
#include "sinew/constraint/closure/manifold.hpp"

#include "sinew/tree/energy.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

double energy(const Model& m, const State& s) {
  EnergyWorkspace<double> ws(m);
  return calc_kinetic_energy(m, ws, s.q, s.v) + calc_potential_energy(m, ws, s.q);
}

}  // namespace

TEST(Manifold, TenSecondsOfEveryLoop) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    LoopState l(c.spec);
    const std::vector<double> none(l.tau.size());
    StepWorkspace ws(l.model, l.set);
    State s{l.s.q, l.s.v, 0};
    const double start = energy(l.model, s);
    double kinetic = 0, e0 = 0, e1 = 0, stage = 0;
    EnergyWorkspace<double> energies(l.model);
    const double dt = 1e-3;
    for (int i = 0; i < 10000; ++i) {
      const ProjectedStepReport r = step_rk4_projected(l.model, l.set, ws, s, none, dt);
      ASSERT_TRUE(r.position.reached && r.velocity.reached) << "at " << s.time << " s, " << r.position.residual;
      if (c.name != "near_singular") {
        ASSERT_EQ(r.status, SolveStatus::solved) << "at " << s.time << " s";
      }
      ASSERT_TRUE(r.stages_reached) << "at " << s.time << " s";
      stage = std::max(stage, r.stage_distance);
      e0 = std::max(e0, r.position.residual), e1 = std::max(e1, r.velocity.residual);
      kinetic = std::max(kinetic, calc_kinetic_energy(l.model, energies, s.q, s.v));
    }
    const double drift = std::abs(energy(l.model, s) - start) / kinetic;
    std::printf("%-18s energy drift / largest kinetic energy %.1e, loop error %.1e m, %.1e m/s, of stages %.1e m\n",
                c.name.c_str(), drift, e0, e1, stage);
    EXPECT_TRUE(is_small(e0, 1e-12));
    EXPECT_TRUE(is_small(drift, 1e-7));
  }
}

TEST(Manifold, MechanismsAreClosedAtNeutral) {
  for (const LoopCase& c : loop_cases()) {
    LoopState l(c.spec);
    ManifoldWorkspace ws(l.model, l.set);
    EXPECT_EQ(project_position(l.model, l.set, ws, l.s.q).iterations, 0) << c.name;
  }
}

TEST(Manifold, ProjectionClosesWhatWasOpened) {
  for (const LoopCase& c : loop_cases()) {
    if (c.name == "near_singular") continue;
    SCOPED_TRACE(c.name);
    LoopState l(c.spec);
    Random rng(5);
    std::vector<double> q(l.s.q), dv = random_numbers(rng, l.model.nv());
    integrate(l.model, l.s.q, dv, 0.02, q);
    ManifoldWorkspace ws(l.model, l.set);
    const ManifoldReport r = project_position(l.model, l.set, ws, q);
    EXPECT_TRUE(r.reached);
    EXPECT_LE(r.iterations, 12);
    // The nearest point is near.
    std::vector<double> moved(dv.size());
    difference(l.model, l.s.q, q, moved);
    EXPECT_LE(largest(moved), 0.3);
    std::vector<double> again = q, normal = q;
    EXPECT_EQ(project_position(l.model, l.set, ws, again).iterations, 0);
    EXPECT_EQ(again, q);
    normalize<double>(l.model, normal);
    EXPECT_TRUE(near(normal, q, 8));
  }
}

TEST(Manifold, StepsOfOrderFourAllocateNothing) {
  LoopState l(mechanisms::four_bar());
  const std::vector<double> none(3);
  const auto run = [&](int steps) {
    StepWorkspace ws(l.model, l.set);
    State s{l.s.q, l.s.v, 0};
    for (int i = 0; i < steps; ++i) step_rk4_projected(l.model, l.set, ws, s, none, 0.4 / steps);
    AllocationCount allocations;
    step_rk4_projected(l.model, l.set, ws, s, none, 0.01);
    EXPECT_EQ(allocations.count(), 0);
    return s.q;
  };
  const std::vector<double> exact = run(1600), coarse = run(40), fine = run(80);
  const double ratio = std::abs(coarse[0] - exact[0]) / std::abs(fine[0] - exact[0]);
  EXPECT_GT(ratio, 10);
  EXPECT_LT(ratio, 24);
}

}  // namespace sinew::test
