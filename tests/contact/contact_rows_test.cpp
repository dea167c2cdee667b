// tests/contact/contact_rows_test.cpp - contacts as rows against the definition
#include "sinew/contact/contact_rows.hpp"

#include "support/contact_case.hpp"

namespace sinew::test {

TEST(ContactRows, JacobianAndItsProductsAreTheDefinition) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ContactCase c = random_contact_case(seed);
    if (c.contacts.empty()) continue;
    const Eigen::MatrixXd want = naive_contact_jacobian(c);
    ConstraintRows at(c.model, c.set);
    calc_constraint_rows(c.model, c.set, at, c.s.q, c.s.v, c.time);
    ContactRows rows(c.model);
    calc_contact_rows({{}, c.contacts}, at.motion.kinematics, rows);
    Grid<double> J(rows.rows, c.model.nv());
    get_contact_jacobian(c.model, at, rows, J);
    const double scale = std::max(1.0, want.size() > 0 ? want.cwiseAbs().maxCoeff() : 0.0);
    EXPECT_TRUE(near(J.numbers, numbers_of(want), 200, scale));

    Random rng(seed);
    const std::vector<double> x = random_numbers(rng, c.model.nv()), r = random_numbers(rng, rows.rows);
    std::vector<double> Jx(r.size()), JTr(x.size());
    multiply_by_contact_jacobian(c.model, at, rows, x, Jx);
    multiply_by_contact_jacobian_transpose(c.model, at, rows, r, JTr);
    EXPECT_TRUE(near(Jx, J * x, 200, scale));
    EXPECT_TRUE(near(product(Jx, r), product(JTr, x), 10, scale * 10));
    // Velocities: J v, and what prescribed joints do.
    std::vector<double> u(r.size()), still(r.size());
    calc_contact_velocities(c.contacts, at.motion, u);
    calc_velocities(c.model, at.motion, c.s.q, std::vector<double>(x.size()), c.time);
    calc_contact_velocities(c.contacts, at.motion, still);
    EXPECT_TRUE(near(u, plus(still, J * c.s.v), 200, scale * 10));
  }
}

TEST(ContactRows, BadContactsAreNamed) {
  const ContactCase c = random_contact_case(3);
  const ContactPoint good{.node_a = 1, .node_b = 0, .normal = {0, 0, 1}, .friction = 0.5, .restitution = 0.5};
  const auto message = [&](auto change) {
    std::vector<ContactPoint> contacts{good, good};
    change(contacts[1]);
    try {
      check_contacts("step", c.model, contacts);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](ContactPoint&) {}), "");
  const auto names = [](const std::string& text, const std::string& part) {
    return text.find("contact 1") != std::string::npos && text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.node_b = 1000; }), "node 1000"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.node_a = -1; }), "node -1"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.node_b = 1; }), "both sides"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.normal = {0, 0, 2}; }), "unit vector"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.point.x = std::nan(""); }), "not finite"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.friction = -0.1; }), "mu must be finite"));
  EXPECT_TRUE(names(message([](ContactPoint& p) { p.restitution = 1.1; }), "between 0 and 1"));

  // The solver says the same, and more about the step.
  const lcp::SolverOptions options;
  ContactSolver solver(c.model, c.set, Formulation::os, options);
  ContactStep step = c.step();
  step.dt = -1e-3;
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
  step = c.step();
  step.feedback = 2;
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
  step = c.step();
  const std::vector<double> too_long(c.contacts.size() + 1);
  step.bias = too_long;
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
  const ContactPoint turned{.node_a = 1, .normal = {0, 1, 1}};
  step = c.step();
  step.bias = {}, step.contacts = {&turned, 1};
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
}

}  // namespace sinew::test
