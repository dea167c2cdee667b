// tests/contact/formulations_test.cpp - six formulations, one physics
#include "sinew/contact/formulation.hpp"

#include "support/closed_loops.hpp"
#include "support/contact_case.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

TEST(Formulations, NamesAreFoundAgain) {
  for (const Formulation f : kFormulations) EXPECT_EQ(find_formulation(to_string(f)), f);
  EXPECT_FALSE(find_formulation("penalty"));
}

// 500 states of random trees over every kind of joint, 1 to 4 contacts, cone and pyramid in turn.
TEST(Formulations, AllSixGiveTheSameVelocities) {
  int states = 0, modes[3] = {};
  for (std::uint64_t seed = 0; states < 500; ++seed) {
    const ContactCase c = random_contact_case(seed);
    if (!is_well_conditioned(c)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++states;
    const std::vector<double> v =
        expect_agreement(c, {.directions = states % 2 == 0 ? 4 : 0}, slack(1e-10, "4.4e-11 with Clang"));
    ASSERT_FALSE(HasFailure()) << "after " << states << " states";
    // Which kinds of contact were among them, judged by the operational space form.
    ContactSolver solver(c.model, c.set, Formulation::os, {});
    const ContactAnswer& a = solver.solve(c.step());
    EXPECT_TRUE(near(a.velocity, velocities_of(c, a.v), 1, std::max(1.0, largest(v)), 5e-13));
    for (const ContactState& s : solver.contact_states(1e-7)) {
      ++modes[static_cast<int>(s.mode)];
      EXPECT_GE(s.margin, -1e-7);
    }
  }
  std::printf("open %d, sticking %d, sliding %d\n", modes[0], modes[1], modes[2]);
  for (const int count : modes) EXPECT_GT(count, 20);
}

// The problem that is solved is J H^-1 J^T of the naive dynamics, and the free velocity.
TEST(Formulations, TheProblemIsTheDefinition) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ContactCase c = random_contact_case(seed);
    if (c.contacts.empty() || c.model.nv() == 0) continue;
    const Eigen::MatrixXd W = naive_contact_matrix(c), J = naive_contact_jacobian(c);
    const std::vector<double> a = naive_forward_dynamics(c.model, c.s.q, c.s.v, c.tau, {}, c.time);
    if (!is_well_conditioned(
            {compile(c.model.spec()).value(), ConstraintSet(c.model), c.s, c.tau, c.bias, c.contacts, c.dt, c.time}))
      continue;
    std::vector<double> q = velocities_of(c, c.s.v);
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (k % 3 == 0) q[k] += c.bias[k / 3];
      for (std::size_t i = 0; i < a.size(); ++i)
        q[k] += c.dt * J(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) * a[i];
    }
    for (const Formulation f : {Formulation::os, Formulation::rmc}) {
      ContactSolver solver(c.model, c.set, f, {});
      solver.solve(c.step());
      const lcp::FrictionProblem& p = solver.problem();
      std::vector<double> got(p.W.data(), p.W.data() + q.size() * q.size());
      EXPECT_TRUE(near(got, numbers_of(W), 1, std::max(1.0, W.cwiseAbs().maxCoeff()), 2e-12));
      EXPECT_TRUE(near(std::vector<double>(p.q.begin(), p.q.end()), q, 1, std::max(1.0, largest(q)), 2e-13));
      for (std::size_t k = 0; k < c.contacts.size(); ++k) EXPECT_EQ(p.mu[k], c.contacts[k].friction);
    }
  }
}

// A contact in a mechanism with closed loops, redundant ones too.
TEST(Formulations, AgreeWithLoops) {
  for (const LoopCase& l : loop_cases()) {
    SCOPED_TRACE(l.name);
    if (l.name == "near_singular") continue;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      LoopState state(l.spec, seed);
      ContactCase c{std::move(state.model), std::move(state.set), state.s, state.tau, {0.01}, {}};
      Random rng(seed);
      c.contacts.push_back(random_contact(c.model, rng, c.s.q, 0));
      c.contacts[0].node_b = 0;
      c.contacts[0].node_a = static_cast<int>(c.model.nodes().size()) - 1;
      const std::vector<double> v = expect_agreement(c, {.directions = seed % 2 == 0 ? 4 : 0}, 1e-10);
      // And the loops hold.
      ConstraintRows rows(c.model, c.set);
      calc_constraint_rows(c.model, c.set, rows, c.s.q, v);
      EXPECT_TRUE(is_small(largest(rows.velocity), 2e-14));
    }
  }
}

// Trees with loops of every kind, closed where the tree stands.
TEST(Formulations, AgreeWithRandomLoops) {
  int states = 0, unsolved = 0;
  for (std::uint64_t seed = 0; states < 60 && seed < 1000; ++seed) {
    RandomTreeOptions options;
    options.bodies = 4;
    options.kinds = {JointKind::free, JointKind::spherical, JointKind::revolute, JointKind::cylindrical};
    ModelSpec spec = random_tree(seed, options);
    Random rng(seed);
    const Model tree = compile(spec).value();
    const TreeState s = random_state(tree, rng);
    const auto kinds = loop_kinds();
    spec.loops.push_back(closed_loop(tree, kinds[rng.below(static_cast<int>(kinds.size()))], s.q, rng, "loop"));
    Model m = compile(spec).value();
    ConstraintSet set(m);
    ContactCase c{std::move(m), std::move(set), s, random_numbers(rng, tree.nv()), {0.0}, {}};
    c.contacts.push_back(random_contact(c.model, rng, c.s.q, 0));
    ContactSolver reduced(c.model, c.set, Formulation::rmc, {});
    reduced.solve(c.step());
    const auto& W = reduced.problem().W;
    const double size = std::max({W(0, 0), W(1, 1), W(2, 2)}), least = std::min({W(0, 0), W(1, 1), W(2, 2)});
    if (!is_well_conditioned(c, 1e-2) || least < 0.05 * size || least < 1e-3) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++states;
    expect_agreement(c, {.directions = seed % 2 == 0 ? 4 : 0}, 1e-8, &unsolved);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_EQ(states, 60);
  EXPECT_LE(unsolved, 2);  // 1 seen
}

}  // namespace sinew::test
