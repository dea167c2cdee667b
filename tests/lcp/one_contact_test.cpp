// tests/lcp/one_contact_test.cpp - one contact against the residual and against a search
#include "sinew/lcp/one_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "sinew/base/random.hpp"
#include "sinew/lcp/residual.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// One contact against a search over all directions of sliding.
TEST(OneContact, IsExact) {
  Random random(4);
  int open = 0, sticking = 0, sliding = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Eigen::Matrix3d A;
    for (int i = 0; i < 9; ++i) A(i) = random.normal();
    const Eigen::Matrix3d W = A * A.transpose() + (trial % 3 ? 0.3 : 1e-3) * Eigen::Matrix3d::Identity();
    Eigen::Vector3d q;
    for (int i = 0; i < 3; ++i) q[i] = random.normal();
    const double preload = trial % 4 == 3 ? random.uniform(0.1, 2) : 0;
    const std::vector<double> mu{random.uniform(0, 1.5)};
    std::vector<double> r(3), loads{preload};
    const lcp::ContactState state = lcp::OneContact(W.data(), mu[0], preload).solve(q.data(), r.data());
    (state == lcp::ContactState::open ? open : state == lcp::ContactState::sticking ? sticking : sliding)++;
    lcp::FrictionProblem p;
    p.W = {W.data(), 3, 3}, p.q = q, p.mu = mu, p.preload = loads;
    const lcp::Residual found = calc_residual(p, r);
    EXPECT_TRUE(is_small(found.relative, 1e-11)) << "trial " << trial << " preload " << preload;
    EXPECT_TRUE(is_small(found.absolute, 2e-13 * (1 + std::abs(r[0])))) << trial;
    if (state != lcp::ContactState::sliding || preload > 0 || trial > 300) continue;
    // brute force: for every direction d the impulse r_n (1, -mu d) that stops the normal; slip must be along d
    double best = INFINITY;
    Eigen::Vector3d nearest = Eigen::Vector3d::Zero();
    for (int k = 0; k < 20000; ++k) {
      const double a = 2 * std::numbers::pi * k / 20000;
      const Eigen::Vector3d along{1, -mu[0] * std::cos(a), -mu[0] * std::sin(a)};
      const double stiffness = W.row(0).dot(along);
      if (stiffness <= 0 || q[0] >= 0) continue;
      const Eigen::Vector3d x = -q[0] / stiffness * along, u = W * x + q;
      const double off = std::abs(-std::sin(a) * u[1] + std::cos(a) * u[2]);
      const double forward = std::cos(a) * u[1] + std::sin(a) * u[2];
      const double distance = (x - Eigen::Map<Eigen::Vector3d>(r.data())).norm();
      if (forward >= 0 && off < 0.01 && distance < best) best = distance, nearest = x;
    }
    EXPECT_LT(best, 0.1 * (1 + nearest.norm())) << trial;
  }
  EXPECT_GT(std::min({open, sticking, sliding}), 300);
}

}  // namespace
}  // namespace sinew::test
