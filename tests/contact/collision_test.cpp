// tests/contact/collision_test.cpp - compression, restitution, and where the energy goes
#include "sinew/contact/collision.hpp"

#include "sinew/model/builder.hpp"
#include "support/contact_case.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Balls of 1 kg and radius 0.5 whose centres stand on the x axis, 1 m apart, touching; the first at 0.
struct Balls {
  explicit Balls(int count) : model(make(count)), set(model), v(6 * static_cast<std::size_t>(count)) {
    q.assign(model.neutral().begin(), model.neutral().end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) q[7 * i + position()] = double(i);
  }
  static Model make(int count) {
    ModelBuilder b("balls");
    b.gravity({0, 0, 0});
    for (int i = 0; i < count; ++i) {
      const std::string name = "ball" + std::to_string(i);
      b.body(name).mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1});
      b.free("base" + std::to_string(i), "world", name);
    }
    return b.build().value();
  }
  // Where the position starts among the seven coordinates of a free joint: after the quaternion or before it.
  std::size_t position() const { return model.neutral()[0] == 1 ? 4 : 0; }
  Model model;
  ConstraintSet set;
  std::vector<double> q, v;
};
ContactPoint floor_contact(double mu, double eps) {
  return {.node_a = 1, .point = {0, 0, -0.5}, .normal = {0, 0, 1}, .friction = mu, .restitution = eps};
}
// Every form, cone and pyramid.
template <class F>
void for_all_forms(F f) {
  for (const Formulation form : kFormulations)
    for (const int directions : {0, 4}) {
      SCOPED_TRACE(std::string(to_string(form)) + (directions == 0 ? ", cone" : ", pyramid"));
      f(form, CollisionOptions{.solver = {.directions = directions, .tolerance = 1e-11}});
    }
}

}  // namespace

// m = 1, r = 0.5, falling at 2 m/s, mu = 0.5, eps = 0.7; it sticks at 1 m/s and slides at 10 m/s. [J14 section 7]
TEST(Collision, ABallOnTheFloor) {
  for_all_forms([](Formulation form, CollisionOptions options) {
    Balls b(1);
    const ContactPoint c = floor_contact(0.5, 0.7);
    CollisionSolver solver(b.model, b.set, form, options);
    b.v = {0, 0, 0, 1, 0, -2};
    const CollisionAnswer& a = solver.solve(b.q, b.v, {&c, 1});
    EXPECT_TRUE(a.restituted);
    EXPECT_TRUE(near(a.compression, Numbers{2, -2.0 / 7, 0}, 1, 1, 2e-14));
    EXPECT_TRUE(near(a.v, Numbers{0, 10.0 / 7, 0, 5.0 / 7, 0, 1.4}, 1, 1, 1e-14));

    b.v = {0, 0, 0, 10, 0, -2};
    solver.solve(b.q, b.v, {&c, 1});
    EXPECT_TRUE(near(a.compression, Numbers{2, -1, 0}, 1, 1, 3e-14));
    EXPECT_TRUE(near(a.v, Numbers{0, 8.5, 0, 8.3, 0, 1.4}, 1, 1, 1e-13));
    EXPECT_TRUE(near(a.restitution, Numbers{1.4, -0.7, 0}, 1, 1, 1e-14));

    // As printed: what is given back meets no friction.
    solver.options.friction = RestitutionFriction::printed;
    solver.solve(b.q, b.v, {&c, 1});
    EXPECT_TRUE(near(a.v, Numbers{0, 5, 0, 9, 0, 1.4}, 1, 1, 1e-13));
    EXPECT_TRUE(near(a.compressed, Numbers{0, 5, 0, 9, 0, 0}, 1, 1, 1e-13));
  });
}

// Slides through if mu < 2 vx / (7 (1 + e) vz), else it sticks.
TEST(Collision, ObliqueImpactOfASphere) {
  Balls b(1);
  CollisionSolver solver(b.model, b.set);
  for (const double mu : {0.05, 0.1, 0.3, 0.5})
    for (const double e : {0.0, 0.4, 1.0}) {
      const double vx = 1.3, vz = 2;
      const ContactPoint c = floor_contact(mu, e);
      b.v = {0, 0, 0, vx, 0, -vz};
      const CollisionAnswer& a = solver.solve(b.q, b.v, {&c, 1});
      const bool slides = mu < 2 * vx / (7 * (1 + e) * vz);
      const double after = slides ? vx - mu * (1 + e) * vz : 5 * vx / 7;
      const double spin = slides ? 5 * mu * (1 + e) * vz / (2 * 0.5) : 5 * vx / (7 * 0.5);
      EXPECT_TRUE(near(a.v, Numbers{0, spin, 0, after, 0, e * vz}, 1, 1, 2e-14)) << mu << " " << e;
      EXPECT_EQ(a.restituted, e > 0);
    }
}

// No restitution: one phase. No approach: nothing at all.
TEST(Collision, OnePhaseOrNone) {
  Balls b(1);
  CollisionSolver solver(b.model, b.set);
  const ContactPoint plastic = floor_contact(0.5, 0), elastic = floor_contact(0.5, 1);
  b.v = {0, 0, 0, 1, 0, -2};
  EXPECT_FALSE(solver.solve(b.q, b.v, {&plastic, 1}).restituted);
  b.v = {0, 0, 0, 1, 0, 2};
  const CollisionAnswer& a = solver.solve(b.q, b.v, {&elastic, 1});
  EXPECT_FALSE(a.restituted);
  EXPECT_TRUE(near(a.compression, Numbers{0, 0, 0}, 1, 1, 1e-14));
  EXPECT_TRUE(near(a.v, b.v, 4));
}

// Three balls that touch, all contacts in one problem: not the toy's answer, but this law's.
TEST(Collision, NewtonsCradle) {
  for_all_forms([](Formulation form, CollisionOptions options) {
    for (const double e : {1.0, 0.6}) {
      Balls b(3);
      b.v[3] = 1;
      std::vector<ContactPoint> contacts;
      for (int i = 0; i < 2; ++i)
        contacts.push_back(
            {.node_a = i + 2, .node_b = i + 1, .point = {i + 0.5, 0, 0}, .normal = {1, 0, 0}, .restitution = e});
      CollisionSolver solver(b.model, b.set, form, options);
      const CollisionAnswer& a = solver.solve(b.q, b.v, contacts);
      EXPECT_NEAR(a.v[3], (1 + e) / 3 - e, 1e-12);
      EXPECT_NEAR(a.v[9], (1 + e) / 3, 5e-13);
      EXPECT_NEAR(a.v[15], (1 + e) / 3, 5e-13);
      EXPECT_NEAR(a.compression[0], 2.0 / 3, 5e-13);
      EXPECT_NEAR(a.compression[3], 1.0 / 3, 3e-13);
      if (e == 1) {
        EXPECT_NEAR(a.energy.after, a.energy.before, 1e-12);
      }
    }
  });
}

TEST(Collision, TheSecondAllocatesNothing) {
  Balls b(3);
  b.v[3] = 1;
  const std::vector<ContactPoint> contacts{
      {.node_a = 2, .node_b = 1, .point = {0.5, 0, 0}, .normal = {1, 0, 0}, .friction = 0.3, .restitution = 0.5},
      {.node_a = 3, .node_b = 2, .point = {1.5, 0, 0}, .normal = {1, 0, 0}, .friction = 0.3, .restitution = 0.5}};
  for (const int directions : {0, 4}) {
    CollisionSolver solver(b.model, b.set, Formulation::os, {.solver = {.directions = directions}});
    solver.solve(b.q, b.v, contacts);
    AllocationCount allocations;
    EXPECT_TRUE(solver.solve(b.q, b.v, contacts).restituted);
    EXPECT_EQ(allocations.count(), 0);
  }
}

// A collision of a linkage: loops hold through both phases, and every form agrees.
TEST(Collision, LoopsHold) {
  LoopState state(mechanisms::stewart_platform());
  ContactCase c{std::move(state.model), std::move(state.set), state.s, state.tau, {}, {}};
  Random rng(5);
  c.contacts.push_back(random_contact(c.model, rng, c.s.q, 0));
  c.contacts[0].node_a = *c.model.find_body("platform"), c.contacts[0].node_b = 0;
  c.contacts[0].node_a = c.model.bodies()[c.contacts[0].node_a].node;
  c.contacts[0].restitution = 0.8;
  std::vector<double> first;
  for (const Formulation f : {Formulation::os, Formulation::mc, Formulation::rmc, Formulation::nmc}) {
    CollisionSolver solver(c.model, c.set, f);
    for (const double side : {1.0, -1.0}) {
      c.contacts[0].normal = side * Vec3<double>{0, 0, 1};
      const CollisionAnswer& a = solver.solve(c.s.q, c.s.v, c.contacts);
      if (!a.restituted) continue;
      ConstraintRows rows(c.model, c.set);
      calc_constraint_rows(c.model, c.set, rows, c.s.q, a.v);
      EXPECT_TRUE(is_small(largest(rows.velocity), 1e-14));
      EXPECT_NEAR(a.energy.after - a.energy.before, a.energy.normal_work + a.energy.friction_work + a.energy.loop_work,
                  2e-14);
      if (first.empty()) first = a.v;
      EXPECT_TRUE(near(a.v, first, 1, 1, 2e-14)) << to_string(f);
    }
  }
  EXPECT_FALSE(first.empty());
}

}  // namespace sinew::test
