// tests/contact/guide_test.cpp - the examples of docs/contact.md
#include <gtest/gtest.h>

#include "sinew/contact/collision.hpp"
#include "sinew/model/builder.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

TEST(ContactGuide, Examples) {
  ModelBuilder builder("ball");
  builder.body("ball").mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1});
  builder.free("base", "world", "ball");
  const Model model = builder.build().value();
  const ConstraintSet set(model);
  const std::vector<double> q(model.neutral().begin(), model.neutral().end()), v{0, 0, 0, 1, 0, 0}, tau(6);

  const ContactPoint c{.node_a = 1, .node_b = 0, .point = {0, 0, -0.5}, .normal = {0, 0, 1}, .friction = 0.5};
  ContactSolver solver(model, set, Formulation::os, {.directions = 0});
  const ContactAnswer& a = solver.solve({q, v, tau, 1e-3, 0, {&c, 1}});
  EXPECT_EQ(a.certificate.status, lcp::Status::solved);
  const double g = -model.gravity().z;
  EXPECT_NEAR(a.contact[0], g * 1e-3, 2e-14);
  EXPECT_NEAR(a.v[3], 1 - 0.5 * g * 1e-3, 2e-14);

  CollisionSolver collide(model, set, Formulation::os);
  const CollisionAnswer& b = collide.solve(q, v, {&c, 1});
  EXPECT_NEAR(b.energy.after - b.energy.before, b.energy.normal_work + b.energy.friction_work + b.energy.loop_work,
              2e-14);
}

}  // namespace sinew::test
