// tests/contact/step_test.cpp - what a step does without contacts, with loops, with given impulses, and with bad
// numbers
#include "sinew/contact/formulation.hpp"

#include <cmath>

#include "sinew/model/mechanisms.hpp"
#include "support/contact_case.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

TEST(ContactStep, WithoutContactsAStepIsFree) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ContactCase c = random_contact_case(seed);
    c.contacts.clear(), c.bias.clear();
    const std::vector<double> a = naive_forward_dynamics(c.model, c.s.q, c.s.v, c.tau, {}, c.time);
    if (!(largest(a) < 1e3)) continue;
    std::vector<double> want = c.s.v;
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += c.dt * a[i];
    EXPECT_TRUE(near(expect_agreement(c, {}, 1e-11), want, 1, std::max(1.0, largest(want)), 1e-11));
  }
}

// With loops alone it is the impulse of constraint/. Redundant rows do no harm.
TEST(ContactStep, WithoutContactsLoopsHold) {
  int unsolved = 0;
  for (const LoopCase& l : loop_cases()) {
    SCOPED_TRACE(l.name);
    LoopState state(l.spec);
    ContactCase c{std::move(state.model), std::move(state.set), state.s, state.tau, {}, {}};
    ConstrainedWorkspace ws(c.model, c.set);
    RneaWorkspace<double> rnea(c.model);
    std::vector<double> f(c.tau.size()), want(c.tau.size()), P(static_cast<std::size_t>(c.set.rows()));
    calc_bias(c.model, rnea, c.s.q, c.s.v, f);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = c.dt * (c.tau[i] - f[i]);
    constrained_impulse(c.model, c.set, ws, c.s.q, c.s.v, f, {}, want, P);
    const double tolerance = l.name == "near_singular" ? 2e-11 : 2e-13;
    const std::vector<double> v = expect_agreement(c, {}, tolerance);
    EXPECT_TRUE(near(v, want, 50, std::max(1.0, largest(want))));
  }
  std::printf("hinge_pairs unsolved in %d of %zu states\n", unsolved, loop_cases().size());
}

// Position errors of loops are taken out at the rate that is asked for.
TEST(ContactStep, FeedbackClosesLoops) {
  LoopState state(mechanisms::four_bar());
  ContactCase c{std::move(state.model), std::move(state.set), state.s, state.tau, {}, {}};
  c.s.q[0] += 1e-4;
  ConstraintRows rows(c.model, c.set);
  calc_constraint_rows(c.model, c.set, rows, c.s.q, c.s.v);
  const std::vector<double> error = rows.position;
  EXPECT_GT(largest(error), 1e-6);
  for (const Formulation f : {Formulation::os, Formulation::mc, Formulation::rmc, Formulation::nmc}) {
    SCOPED_TRACE(to_string(f));
    ContactSolver solver(c.model, c.set, f, {});
    ContactStep step = c.step();
    step.feedback = 0.2;
    const std::vector<double> v = solver.solve(step).v;
    calc_constraint_rows(c.model, c.set, rows, c.s.q, v);
    for (std::size_t r = 0; r < error.size(); ++r) EXPECT_NEAR(rows.velocity[r], -0.2 * error[r] / c.dt, 2e-14) << r;
  }
}

// A given impulse is one that acts besides the unknown ones.
TEST(ContactStep, GivenImpulsesAct) {
  for (std::uint64_t seed = 0, states = 0; states < 20; ++seed) {
    ContactCase c = random_contact_case(seed);
    if (!is_well_conditioned(c)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++states;
    Random rng(seed);
    const std::vector<double> given = random_numbers(rng, 3 * static_cast<int>(c.contacts.size()));
    const Eigen::MatrixXd J = naive_contact_jacobian(c);
    // The same as a push of the joints.
    ContactStep pushed = c.step();
    std::vector<double> tau = c.tau;
    for (std::size_t i = 0; i < tau.size(); ++i)
      for (std::size_t k = 0; k < given.size(); ++k)
        tau[i] += J(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) * given[k] / c.dt;
    pushed.tau = tau;
    ContactSolver os(c.model, c.set, Formulation::os, {.tolerance = 1e-12});
    const std::vector<double> want = os.solve(pushed).v;
    for (const Formulation f : kFormulations) {
      if (!takes(f, c.model)) continue;
      ContactSolver solver(c.model, c.set, f, {.tolerance = 1e-12});
      ContactStep step = c.step();
      step.impulse = given;
      EXPECT_TRUE(near(solver.solve(step).v, want, 1, std::max(1.0, largest(want)), 1e-11)) << to_string(f);
    }
  }
}

// Biases below `least_bias` are none where W is not built, and count where it is.
TEST(ContactStep, SmallBiasesAreLeftOutWithoutW) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 10; ++seed) {
    ContactCase c = random_contact_case(seed);
    if (!is_well_conditioned(c) || c.contacts.empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<double> small(c.contacts.size(), 1e-3), none(c.contacts.size(), 0.0);
    ContactStep step = c.step();
    const auto solve = [&](int sparse_rows, const std::vector<double>& bias, double least) {
      ContactSolver solver(c.model, c.set, Formulation::os, {.sparse_rows = sparse_rows});
      step.bias = bias, step.least_bias = least;
      return solver.solve(step);
    };
    const ContactAnswer with = solve(0, small, 0), without = solve(0, none, 0), left_out = solve(0, small, 2e-3);
    if (with.v == without.v) continue;  // nothing touches
    ++compared;
    EXPECT_EQ(left_out.v, without.v);
    EXPECT_EQ(left_out.velocity, without.velocity);
    EXPECT_EQ(left_out.work.normal, without.work.normal);
    EXPECT_EQ(solve(0, small, 5e-4).v, with.v);
    EXPECT_EQ(solve(1000, small, 2e-3).v, solve(1000, small, 0).v);
  }
}

TEST(ContactStep, NumbersThatAreNotFiniteAreReported) {
  ContactCase c = random_contact_case(2);
  ASSERT_FALSE(c.contacts.empty());
  c.s.v[0] = std::nan("");
  for (const Formulation f : kFormulations) {
    if (!takes(f, c.model)) continue;
    ContactSolver solver(c.model, c.set, f, {});
    const ContactAnswer& a = solver.solve(c.step());
    EXPECT_EQ(a.certificate.status, lcp::Status::non_finite) << to_string(f);
    EXPECT_TRUE(std::isnan(a.v[0]));
  }
}

TEST(ContactStep, BodiesWithoutMassAreNamed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ContactCase c = random_contact_case(seed);
    if (takes(Formulation::nmc_os, c.model)) continue;
    try {
      const ContactSolver solver(c.model, c.set, Formulation::nmc_os, {});
      FAIL();
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("a part of joint 'joint"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("nmc_os"), std::string::npos);
    }
    return;
  }
}

}  // namespace sinew::test
