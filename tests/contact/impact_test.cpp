// tests/contact/impact_test.cpp - impulsive dynamics in closed form [F08 11.7]
#include "sinew/contact/impact.hpp"

#include "sinew/contact/collision.hpp"
#include "sinew/model/builder.hpp"
#include "support/contact_case.hpp"
#include "support/random_spatial.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

ImpactBody random_impact_body(Random& rng) {
  const BodySpec b = random_body(rng, "body");
  return {make_inertia(b.mass, b.com, b.inertia), {random_vec(rng), random_vec(rng)}};
}
std::array<Force<double>, 3> axes_at(const Vec3<double>& p, const Vec3<double>& n) {
  const auto [t1, t2] = contact_tangents(n);
  return {Force<double>{cross(p, t1), t1}, Force<double>{cross(p, t2), t2}, Force<double>{cross(p, n), n}};
}
double kinetic(const RigidInertia<double>& I, const Motion<double>& v) { return dot(v, I * v) / 2; }

}  // namespace

TEST(Impact, TwoBodiesWithoutFriction) {
  int collisions = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random rng(seed);
    const ImpactBody a = random_impact_body(rng), b = random_impact_body(rng);
    const Force<double> n = axes_at(random_vec(rng), random_unit(rng))[2];
    const double e = seed % 3 == 0 ? 1 : rng.uniform();
    const TwoBodyImpact r = collide_without_friction(a, b, n, e);
    const double before = dot(n, b.v - a.v), after = dot(n, r.v2 - r.v1);
    EXPECT_TRUE(near(after, before < 0 ? -e * before : before, 200));
    EXPECT_TRUE(near(a.I * r.v1 + b.I * r.v2, a.I * a.v + b.I * b.v, 100));
    EXPECT_GE(r.impulse[2], 0);
    const double gain = kinetic(a.I, r.v1) + kinetic(b.I, r.v2) - kinetic(a.I, a.v) - kinetic(b.I, b.v);
    EXPECT_TRUE(near(gain, r.impulse[2] * (before + after) / 2, 500));
    if (e == 1) {
      EXPECT_TRUE(near(gain, 0.0, 200));
    }
    collisions += before < 0;
  }
  EXPECT_GT(collisions, 20);
  Random rng(1);
  const ImpactBody a = random_impact_body(rng);
  EXPECT_THROW(collide_without_friction(a, a, {{}, {0, 0, 1}}, 1.5), std::invalid_argument);
}

TEST(Impact, TwoBodiesThatStick) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random rng(seed);
    const ImpactBody a = random_impact_body(rng), b = random_impact_body(rng);
    const auto N = axes_at(random_vec(rng), random_unit(rng));
    const double e = rng.uniform();
    const TwoBodyImpact r = collide_and_stick(a, b, N, e);
    EXPECT_TRUE(near(a.I * r.v1 + b.I * r.v2, a.I * a.v + b.I * b.v, 200));
    if (r.separation >= 0) {
      EXPECT_TRUE(near(r.v1, a.v, 1));
      continue;
    }
    const Motion<double> v = r.v2 - r.v1;
    EXPECT_TRUE(near(dot(N[0], v), 0.0, 3000));
    EXPECT_TRUE(near(dot(N[1], v), 0.0, 3000));
    EXPECT_TRUE(near(dot(N[2], v), -e * r.separation, 3000));
  }
}

// Two free bodies by the general solver: another path to the same numbers.
TEST(Impact, IsWhatTheCollisionSolverFinds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(seed);
    const BodySpec spec_a = random_body(rng, "a"), spec_b = random_body(rng, "b");
    ModelBuilder builder("pair");
    builder.spec().bodies = {spec_a, spec_b};
    builder.free("base_a", "world", "a");
    builder.free("base_b", "world", "b");
    const Model m = builder.build().value();
    const ConstraintSet set(m);
    const std::vector<double> q(m.neutral().begin(), m.neutral().end()), v = random_numbers(rng, 12);
    const ImpactBody a{make_inertia(spec_a.mass, spec_a.com, spec_a.inertia), {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}};
    const ImpactBody b{make_inertia(spec_b.mass, spec_b.com, spec_b.inertia),
                       {{v[6], v[7], v[8]}, {v[9], v[10], v[11]}}};
    const ContactPoint c{.node_a = 2,
                         .node_b = 1,
                         .point = random_vec(rng),
                         .normal = random_unit(rng),
                         .friction = 0,
                         .restitution = rng.uniform()};
    CollisionSolver solver(m, set);
    const CollisionAnswer& answer = solver.solve(q, v, {&c, 1});
    const TwoBodyImpact want = collide_without_friction(a, b, axes_at(c.point, c.normal)[2], c.restitution);
    EXPECT_NEAR(answer.compression[0] + answer.restitution[0], want.impulse[2], 2e-14);
    EXPECT_TRUE(near(answer.v,
                     Numbers{want.v1.ang.x, want.v1.ang.y, want.v1.ang.z, want.v1.lin.x, want.v1.lin.y, want.v1.lin.z,
                             want.v2.ang.x, want.v2.ang.y, want.v2.ang.z, want.v2.lin.x, want.v2.lin.y, want.v2.lin.z},
                     1, 1, 1e-13));
  }
}

// u = J^T iota = H dqd, dv = J dqd, and iota = I^A dv of the handle.
TEST(Impact, OnABodyOfAMechanism) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ContactCase c = random_contact_case(seed);
    if (c.contacts.empty() || c.model.nv() == 0) continue;
    const Eigen::MatrixXd H = naive_mass_matrix(c.model, c.s.q, c.time);
    const Eigen::MatrixXd H_inverse = dense_inverse(H);
    if (!(H_inverse.cwiseAbs().maxCoeff() < 1e3)) continue;
    Random rng(seed);
    const int node = 1 + rng.below(static_cast<int>(c.model.nodes().size()) - 1);
    ImpulseWorkspace ws(c.model, node);
    const Force<double> iota{random_vec(rng), random_vec(rng)};
    std::vector<double> dqd(c.s.v.size());
    const Motion<double> dv = calc_impulse_response(c.model, ws, c.s.q, iota, dqd, c.time);

    // Its Jacobian in the node's coordinates, by definition.
    const NaiveMotions n = naive_motions(c.model, c.s.q, c.s.v, c.s.a, c.time);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, c.model.nv());
    Matrix6d X = Matrix6d::Identity();
    for (int i = node; i > 0; i = c.model.nodes()[i].parent) {
      const Node& at = c.model.nodes()[i];
      J.middleCols(at.v, at.nv) = X * n.S[i];
      X = X * n.X[i];
    }
    const Eigen::VectorXd u = J.transpose() * to_eigen(iota), want = H_inverse * u;
    const Eigen::Map<const Eigen::VectorXd> got(dqd.data(), static_cast<Eigen::Index>(dqd.size()));
    EXPECT_TRUE(is_small((H * got - u).cwiseAbs().maxCoeff(), 5e-12 * std::max(1.0, u.cwiseAbs().maxCoeff())));
    EXPECT_TRUE(
        is_small((J * got - to_eigen(dv)).cwiseAbs().maxCoeff(), 3e-14 * std::max(1.0, want.cwiseAbs().maxCoeff())));
    Grid<double> Phi(6, 6);
    calc_handle_inverse_inertia(c.model, ws, c.s.q, Phi, c.time);
    const Eigen::MatrixXd apparent = J * H_inverse * J.transpose();
    EXPECT_TRUE(near(Phi.numbers, numbers_of(apparent), 1, std::max(1.0, apparent.cwiseAbs().maxCoeff()), 5e-12));
  }
}

}  // namespace sinew::test
