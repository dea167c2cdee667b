// tests/contact/cone_test.cpp - frames, pyramids and states of contacts
#include "sinew/contact/cone.hpp"

#include <cmath>
#include <numbers>

#include "sinew/contact/formulation.hpp"
#include "sinew/model/builder.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {
namespace {

// A ball of 1 kg and radius 0.5 on the floor.
Model ball() {
  ModelBuilder b("ball");
  b.body("ball").mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1});
  b.free("base", "world", "ball");
  return b.build().value();
}
ContactPoint floor_contact(double mu) {
  return {.node_a = 1, .point = {0, 0, -0.5}, .normal = {0, 0, 1}, .friction = mu};
}

// The impulse that stops a fall of 2 m/s while the ball slips at `angle` from x.
std::vector<double> slip_impulse(double angle, int directions) {
  const Model m = ball();
  const ConstraintSet set(m);
  ContactSolver solver(m, set, Formulation::os, {.directions = directions});
  const std::vector<double> q(m.neutral().begin(), m.neutral().end());
  const std::vector<double> v{0, 0, 0, 10 * std::cos(angle), 10 * std::sin(angle), -2};
  const ContactPoint c = floor_contact(0.5);
  const ContactAnswer& a = solver.solve({q, v, {}, 0, 0, {&c, 1}, {}, {}, {}});
  EXPECT_EQ(a.certificate.status, lcp::Status::solved);
  return a.contact;
}

}  // namespace

TEST(ContactTangents, MakeARightHandedFrame) {
  Random rng(1);
  std::vector<Vec3<double>> normals{{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}};
  for (int i = 0; i < 100; ++i) {
    normals.push_back(random_unit(rng));
    // As close to the one direction that has no neighbours as it gets.
    const double small = std::pow(10.0, -rng.uniform(1, 160)), angle = rng.uniform(0, 6);
    const Vec3<double> n{small * std::cos(angle), small * std::sin(angle), -1};
    normals.push_back((1 / norm(n)) * n);
  }
  for (const Vec3<double>& n : normals) {
    const auto [t1, t2] = contact_tangents(n);
    EXPECT_TRUE(near(cross(t1, t2), n, 8));
    EXPECT_TRUE(near(norm(t1), 1.0, 8));
    EXPECT_TRUE(near(dot(t1, n), 0.0, 8));
  }
  EXPECT_TRUE(near(contact_tangents({0, 0, 1}), std::array<Vec3<double>, 2>{{{1, 0, 0}, {0, 1, 0}}}, 1));
}

TEST(FrictionDirections, ComeWithTheirOpposites) {
  Random rng(2);
  for (const int count : {4, 6, 8, 16}) {
    const Vec3<double> n = random_unit(rng);
    const auto D = friction_directions(n, count);
    ASSERT_EQ(static_cast<int>(D.size()), count);
    for (std::size_t k = 0; k < D.size(); ++k) {
      EXPECT_TRUE(near(dot(D[k], n), 0.0, 8));
      EXPECT_TRUE(near(D[k] + D[(k + D.size() / 2) % D.size()], Vec3<double>{}, 8));
    }
  }
  for (const int bad : {-4, 0, 2, 5}) EXPECT_THROW(friction_directions({0, 0, 1}, bad), std::invalid_argument) << bad;
  EXPECT_NEAR(least_friction(4), 0.7071, 1e-4);
  EXPECT_NEAR(least_friction(8), 0.9239, 1e-4);
  EXPECT_EQ(least_friction(0), 1);
}

// Slip along the edge between two directions, near one of them, and the exact cone. [J14 6-8]
TEST(FrictionDirections, HoldWhatThePyramidAllows) {
  const double corner = std::hypot(slip_impulse(std::numbers::pi / 4, 4)[1], slip_impulse(std::numbers::pi / 4, 4)[2]);
  EXPECT_NEAR(corner, least_friction(4), 2e-14);
  EXPECT_TRUE(near(slip_impulse(0.3, 4), Numbers{2, -1, 0}, 1, 1, 2e-14));
  const double k = std::numbers::pi / 8;
  EXPECT_TRUE(near(slip_impulse(0.3, 16), Numbers{2, -std::cos(k), -std::sin(k)}, 1, 1, 2e-14));
  EXPECT_TRUE(near(slip_impulse(0.3, 0), Numbers{2, -std::cos(0.3), -std::sin(0.3)}, 1, 1, 3e-14));
}

// Sliding: one direction pushes, with all of mu F_n, against the slip. Sticking: no slip, and less than that. [J14 8,
// 10]
TEST(FrictionDirections, OneOfThemPushesWhereItSlides) {
  const Model m = ball();
  const ConstraintSet set(m);
  const std::vector<double> q(m.neutral().begin(), m.neutral().end());
  const ContactPoint c = floor_contact(0.5);
  for (const double speed : {10.0, 1.0}) {
    ContactSolver contacts(m, set, Formulation::os, {.directions = 8});
    const std::vector<double> v{0, 0, 0, speed * std::cos(0.1), speed * std::sin(0.1), -2};
    contacts.solve({q, v, {}, 0, 0, {&c, 1}});
    EXPECT_EQ(contacts.contact_states()[0].mode, speed > 5 ? ContactMode::sliding : ContactMode::sticking);
    lcp::Solver solver({.directions = 8});
    std::vector<double> z(3);
    EXPECT_EQ(solver.solve(contacts.problem(), z).status, lcp::Status::solved);
    const auto x = solver.polyhedral_unknowns();  // F_n, beta of 8 directions, sigma
    ASSERT_EQ(x.size(), 10U);
    int pushing = 0;
    double sum = 0;
    for (std::size_t k = 1; k <= 8; ++k) pushing += x[k] > 1e-9, sum += x[k];
    if (speed > 5) {
      EXPECT_EQ(pushing, 1);
      EXPECT_NEAR(x[5], 0.5 * x[0], 2e-14);  // the opposite of the direction nearest to the slip
      EXPECT_GT(x[9], 1);
    } else {
      EXPECT_LT(sum, 0.5 * x[0]);
      EXPECT_NEAR(x[9], 0, 2e-14);
    }
  }
}

TEST(ContactState, SaysHowAContactEnds) {
  const ContactPoint c = floor_contact(0.5);
  const auto state = [&](Numbers r, Numbers u, double preload = 0) {
    return find_contact_state(c, r, u, 1e-9, preload);
  };
  EXPECT_EQ(state({0, 0, 0}, {1, 2, 0}).mode, ContactMode::open);
  const ContactState sticking = state({2, 0.3, 0.4}, {0, 0, 0});
  EXPECT_EQ(sticking.mode, ContactMode::sticking);
  EXPECT_NEAR(sticking.margin, 0.5, 1e-15);
  const ContactState sliding = state({2, -1, 0}, {0, 3, 0});
  EXPECT_EQ(sliding.mode, ContactMode::sliding);
  EXPECT_NEAR(sliding.slip, 3, 1e-15);
  EXPECT_NEAR(sliding.margin, 0, 1e-15);
  EXPECT_TRUE(near(sliding.slip_direction, Vec3<double>{1, 0, 0}, 1));
  EXPECT_NEAR(state({0, -1, 0}, {0, 0, 0}, 2).margin, 0, 1e-15);
  EXPECT_EQ(to_string(ContactMode::sliding), "sliding");
}

}  // namespace sinew::test
