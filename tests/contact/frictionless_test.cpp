// tests/contact/frictionless_test.cpp - contacts at the level of accelerations [F08 11.1-11.5]
#include "sinew/contact/frictionless.hpp"

#include <limits>

#include "sinew/model/builder.hpp"
#include "support/contact_case.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Normals only.
Eigen::MatrixXd normal_rows(const ContactCase& c) {
  const Eigen::MatrixXd J = naive_contact_jacobian(c);
  Eigen::MatrixXd T(J.rows() / 3, J.cols());
  for (Eigen::Index r = 0; r < T.rows(); ++r) T.row(r) = J.row(3 * r);
  return T;
}

}  // namespace

// One body, one contact, in numbers of the body alone. [F08 11.8-11.10]
TEST(Frictionless, OneContactInClosedForm) {
  int closed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(seed);
    const BodySpec spec = random_body(rng, "body");
    ModelBuilder builder("body");
    builder.spec().bodies = {spec};
    builder.free("base", "world", "body");
    const Model m = builder.build().value();
    const std::vector<double> q(m.neutral().begin(), m.neutral().end()), v = random_numbers(rng, 6),
                                                                         tau = random_numbers(rng, 6);
    const ContactPoint c{.node_a = 1, .point = random_vec(rng), .normal = random_unit(rng)};
    const Force<double> ndot{random_vec(rng), random_vec(rng)};
    FrictionlessContacts solver(m);
    const FrictionlessAnswer& a = solver.solve(q, v, tau, {&c, 1}, {&ndot, 1});

    const RigidInertia<double> I = make_inertia(spec.mass, spec.com, spec.inertia);
    const Motion<double> V{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    const Force<double> n{cross(c.point, c.normal), c.normal};
    const Force<double> weight{cross(spec.com, spec.mass * m.gravity()), spec.mass * m.gravity()};
    const Force<double> f = Force<double>{{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}} + weight;
    const double M = dot(n, inverse(I) * n);
    const double d = dot(n, inverse(I) * (f - cross(V, I * V))) + dot(ndot, V);
    EXPECT_NEAR(a.lambda[0], d < 0 ? -d / M : 0, 5e-14 * (1 + std::abs(d / M)));
    EXPECT_NEAR(a.separation[0], d < 0 ? 0 : d, 1e-12 * (1 + std::abs(d)));
    closed += d < 0;
  }
  EXPECT_GT(closed, 10);
  EXPECT_LT(closed, 55);
}

// M = T^T H^-1 T, complementarity, and the least deviation from free motion among all that contacts allow: the active
// sets are tried one by one. By every method that may be asked. [F08 11.34-11.44]
TEST(Frictionless, IsGaussLeastConstraint) {
  int states = 0;
  for (std::uint64_t seed = 0; states < 60; ++seed) {
    ContactCase c = random_contact_case(seed);
    if (!is_well_conditioned(c)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++states;
    const Eigen::MatrixXd T = normal_rows(c), H_inverse = dense_inverse(naive_mass_matrix(c.model, c.s.q, c.time));
    const std::vector<double> free = naive_forward_dynamics(c.model, c.s.q, c.s.v, c.tau, {}, c.time);
    std::vector<double> first;
    for (const lcp::Method method : {lcp::Method::automatic, lcp::Method::lemke, lcp::Method::qp}) {
      SCOPED_TRACE(to_string(method));
      FrictionlessContacts solver(c.model, {.method = method, .tolerance = 1e-11});
      const FrictionlessAnswer& a = solver.solve(c.s.q, c.s.v, c.tau, c.contacts, {}, c.time);
      EXPECT_EQ(a.certificate.status, lcp::Status::solved);
      for (std::size_t k = 0; k < a.lambda.size(); ++k) {
        EXPECT_GE(a.lambda[k], -1e-9);
        EXPECT_GE(a.separation[k], -1e-7);
        EXPECT_NEAR(a.lambda[k] * a.separation[k], 0, 5e-13 * (1 + largest(a.lambda)));
      }
      const lcp::Problem& p = solver.problem();
      const Eigen::MatrixXd M = T * H_inverse * T.transpose();
      EXPECT_TRUE(near(std::vector<double>(p.M.data(), p.M.data() + M.size()), numbers_of(M), 1,
                       std::max(1.0, M.cwiseAbs().maxCoeff()), 5e-12));
      if (first.empty()) first = a.qdd;
      EXPECT_TRUE(near(a.qdd, first, 1, std::max(1.0, largest(first)), 2e-14));

      // d from the problem; qdd of every active set that keeps all contacts, and its deviation.
      const auto count = static_cast<Eigen::Index>(c.contacts.size());
      double best = std::numeric_limits<double>::infinity();
      for (int set = 0; set < (1 << count); ++set) {
        Eigen::VectorXd lambda = Eigen::VectorXd::Zero(count);
        std::vector<Eigen::Index> active;
        for (Eigen::Index k = 0; k < count; ++k)
          if (set >> k & 1) active.push_back(k);
        const Eigen::Map<const Eigen::VectorXd> d(p.q.data(), count);
        if (!active.empty()) {
          Eigen::VectorXd rhs(static_cast<Eigen::Index>(active.size()));
          for (std::size_t i = 0; i < active.size(); ++i) rhs[static_cast<Eigen::Index>(i)] = -d[active[i]];
          const Eigen::VectorXd x = dense_inverse(M(active, active)) * rhs;
          for (std::size_t i = 0; i < active.size(); ++i) lambda[active[i]] = x[static_cast<Eigen::Index>(i)];
        }
        if (((M * lambda + d).array() < -1e-8 * (1 + d.cwiseAbs().maxCoeff())).any()) continue;
        const Eigen::VectorXd change = H_inverse * T.transpose() * lambda;
        std::vector<double> qdd = free;
        for (std::size_t i = 0; i < qdd.size(); ++i) qdd[i] += change[static_cast<Eigen::Index>(i)];
        best = std::min(best, calc_gauss_deviation(c.model, c.s.q, qdd, free, c.time));
      }
      const double got = calc_gauss_deviation(c.model, c.s.q, a.qdd, free, c.time);
      EXPECT_NEAR(got, best, 3e-11 * (1 + best));
    }
  }
}

// Four feet of a box: their forces are not unique, what they add up to is.
TEST(Frictionless, DependentNormals) {
  ModelBuilder b("box");
  b.body("box").mass(2, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1});
  b.free("base", "world", "box");
  const Model m = b.build().value();
  std::vector<ContactPoint> feet;
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) feet.push_back({.node_a = 1, .point = {x, y, -0.1}, .normal = {0, 0, 1}});
  FrictionlessContacts solver(m);
  const std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(6), tau(6);
  const FrictionlessAnswer& a = solver.solve(q, v, tau, feet);
  EXPECT_EQ(a.certificate.status, lcp::Status::solved);
  EXPECT_NEAR(a.lambda[0] + a.lambda[1] + a.lambda[2] + a.lambda[3], -2 * m.gravity().z, 3e-13);
  EXPECT_TRUE(near(a.qdd, v, 1, 1, 2e-13));
}

// A disc in a slot that narrows: two opposed normals that turn against its motion. [F08 Example 11.1]
TEST(Frictionless, ASlotWithoutASolution) {
  ModelBuilder b("disc");
  b.gravity({0, 0, 0});
  b.body("disc").mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1});
  b.free("base", "world", "disc");
  const Model m = b.build().value();
  const std::vector<ContactPoint> walls{{.node_a = 1, .point = {0, 0, -0.5}, .normal = {0, 0, 1}},
                                        {.node_a = 1, .point = {0, 0, 0.5}, .normal = {0, 0, -1}}};
  const std::vector<double> q(m.neutral().begin(), m.neutral().end()), v{0, 0, 0, 1, 0, 0}, tau(6);
  const auto turning = [](double d1, double d2) {
    return std::vector<Force<double>>{{{}, {d1, 0, 0}}, {{}, {d2, 0, 0}}};
  };
  FrictionlessContacts solver(m);
  const FrictionlessAnswer& a = solver.solve(q, v, tau, walls, turning(-1, 1.5));
  EXPECT_EQ(a.certificate.status, lcp::Status::solved);
  EXPECT_TRUE(near(a.lambda, Numbers{1, 0}, 1, 1, 1e-14));
  solver.solve(q, v, tau, walls, turning(-1, 0.5));
  EXPECT_TRUE(a.certificate.status == lcp::Status::ray || a.certificate.status == lcp::Status::infeasible)
      << to_string(a.certificate.status);
  EXPECT_EQ(solver.problem().M(0, 1), -1);
  // And without any contact: free motion.
  EXPECT_EQ(solver.solve(q, v, tau, {}).certificate.status, lcp::Status::solved);
}

}  // namespace sinew::test
