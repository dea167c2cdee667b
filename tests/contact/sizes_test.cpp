// tests/contact/sizes_test.cpp - how large the problems are [J14 Tables 1, 2], and what a step costs in memory
#include "sinew/contact/formulation.hpp"

#include <cmath>

#include "sinew/model/mechanisms.hpp"
#include "support/contact_case.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Four contacts with the world, on bodies all along a bent mechanism that falls on them.
ContactCase four_contacts(const ModelSpec& spec, double speed = 0) {
  Model m = compile(spec).value();
  ConstraintSet set(m);
  ContactCase c{std::move(m), std::move(set), {}, {}, {}, {}};
  const auto n = static_cast<std::size_t>(c.model.nv());
  c.s.q.assign(c.model.neutral().begin(), c.model.neutral().end());
  c.s.v.assign(n, speed), c.tau.assign(n, 0.0);
  for (std::size_t i = 0; i < c.s.q.size(); ++i) c.s.q[i] += 0.3 + 0.2 * std::sin(2.0 * double(i));
  KinematicsWorkspace<double> at(c.model);
  calc_kinematics(c.model, at, c.s.q);
  const int last = static_cast<int>(c.model.nodes().size()) - 1;
  for (int k = 0; k < 4; ++k) {
    const int node = 1 + (last - 1) * (4 - k) / 4;
    const Vec3<double> p = at.X[node].r;
    c.contacts.push_back({.node_a = node,
                          .point = p + Vec3<double>{0.1, 0.02 * k, -0.1},
                          .normal = {0, 0, 1},
                          .friction = 0.5,
                          .id = static_cast<std::uint64_t>(k)});
  }
  return c;
}

int size_of(const ContactCase& c, Formulation f) {
  ContactSolver solver(c.model, c.set, f, {.directions = 4});
  const ContactAnswer& a = solver.solve(c.step());
  EXPECT_EQ(a.certificate.status, lcp::Status::solved) << to_string(f) << " " << to_string(a.certificate.status);
  EXPECT_GT(a.costs.assembly, 0);
  EXPECT_GT(a.costs.solution, 0);
  EXPECT_GT(a.costs.recovery, 0);
  return a.costs.size;
}

}  // namespace

TEST(ContactSizes, DualArm) {
  const ContactCase c = four_contacts(mechanisms::dual_arm(), 0.1);
  EXPECT_EQ(size_of(c, Formulation::nmc), 310);
  EXPECT_EQ(size_of(c, Formulation::mc), 50);
  EXPECT_EQ(size_of(c, Formulation::rmc), 24);
  EXPECT_EQ(size_of(c, Formulation::os), 24);
  EXPECT_EQ(size_of(c, Formulation::nmc_os), 130 + 24);
}

TEST(ContactSizes, Pendulum) {
  for (const int n : {3, 6, 12, 15, 24, 30}) {
    SCOPED_TRACE(n);
    const ContactCase c = four_contacts(mechanisms::pendulum(n), 0.1);
    EXPECT_EQ(size_of(c, Formulation::os), 24);
    EXPECT_EQ(size_of(c, Formulation::nmc_os), 24 + 5 * n);
    EXPECT_EQ(size_of(c, Formulation::nmc), 24 + 11 * n);
  }
}

// A problem's own size counts three rows per contact where the cone is exact.
TEST(ContactSizes, ExactCone) {
  const ContactCase c = four_contacts(mechanisms::pendulum(6), 0.1);
  ContactSolver solver(c.model, c.set, Formulation::os, {});
  EXPECT_EQ(solver.solve(c.step()).costs.size, 12);
  EXPECT_EQ(solver.problem().contacts(), 4);
}

// Contacts that persist, and those of a list that was met before, cost no memory.
TEST(ContactSizes, PersistentContactsAllocateNothing) {
  const ContactCase c = four_contacts(mechanisms::pendulum(12), 0.3);
  const std::vector<ContactPoint> fewer(c.contacts.begin(), c.contacts.begin() + 2);
  for (const int directions : {0, 4}) {
    ContactSolver solver(c.model, c.set, Formulation::os, {.directions = directions});
    ContactStep step = c.step(), other = c.step();
    other.contacts = fewer;
    solver.solve(step), solver.solve(other), solver.solve(step);
    AllocationCount allocations;
    const ContactAnswer& a = solver.solve(step);
    EXPECT_EQ(allocations.count(), 0);
    solver.solve(other);
    EXPECT_EQ(allocations.count(), 0);
    solver.solve(step);
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_EQ(a.certificate.status, lcp::Status::solved);
  }
}

// More lists of pairs than are kept: the answers are those of a solver that never met another.
TEST(ContactSizes, ListsOfPairsComeAndGo) {
  const ContactCase c = four_contacts(mechanisms::pendulum(40), 0.2);
  ContactSolver solver(c.model, c.set, Formulation::os, {});
  for (int round = 0; round < 2; ++round)
    for (int node = 1; node <= 40; ++node) {
      ContactPoint p = c.contacts[0];
      p.node_a = node;
      ContactStep step = c.step();
      step.contacts = {&p, 1};
      ContactSolver fresh(c.model, c.set, Formulation::os, {});
      EXPECT_EQ(solver.solve(step).v, fresh.solve(step).v) << node;
    }
}

// The same with the answer of the last step to start from.
TEST(ContactSizes, WarmStartsGiveTheSame) {
  ContactCase c = four_contacts(mechanisms::pendulum(8), 0.3);
  for (const int directions : {0, 4}) {
    ContactSolver warm(c.model, c.set, Formulation::os, {.directions = directions, .warm = true});
    ContactSolver cold(c.model, c.set, Formulation::os, {.directions = directions});
    for (int k = 0; k < 10; ++k) {
      for (double& x : c.s.v) x -= 0.01;
      std::rotate(c.contacts.begin(), c.contacts.begin() + 1, c.contacts.end());
      if (k == 5) c.contacts.pop_back();
      const std::vector<double> want = cold.solve(c.step()).v;
      EXPECT_TRUE(near(warm.solve(c.step()).v, want, slack(1, "each may stop at the tolerance of the solver, 1e-10"),
                       std::max(1.0, largest(want)), 1e-9))
          << k;
    }
  }
}

}  // namespace sinew::test
