// tests/constraint/closure/baumgarte_test.cpp - loop errors that decay, or grow without help [F08 8.3]
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A four-bar under gravity, its loop held by K qdd = k alone; RK4 on q and v.
class FourBar {
 public:
  explicit FourBar(double period) : ws_(m_, set_, {.stabilization = {period}}) {}

  std::vector<double> neutral() const { return {m_.neutral().begin(), m_.neutral().end()}; }
  void run(std::vector<double>& q, std::vector<double>& v, double duration, double h) {
    for (int step = 0; step < static_cast<int>(std::lround(duration / h)); ++step) {
      const auto a1 = accelerate(q, v);
      const auto q2 = moved(q, v, h / 2), v2 = moved(v, a1, h / 2), a2 = accelerate(q2, v2);
      const auto q3 = moved(q, v2, h / 2), v3 = moved(v, a2, h / 2), a3 = accelerate(q3, v3);
      const auto q4 = moved(q, v3, h), v4 = moved(v, a3, h), a4 = accelerate(q4, v4);
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] += h / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
        v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
      }
    }
  }
  double error(const std::vector<double>& q) {
    calc_constraint_rows(m_, set_, rows_, q, std::vector<double>(3));
    return norm(Vec3<double>{rows_.position[2], rows_.position[3], rows_.position[4]});
  }

 private:
  static std::vector<double> moved(std::vector<double> x, const std::vector<double>& d, double h) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * d[i];
    return x;
  }
  std::vector<double> accelerate(const std::vector<double>& q, const std::vector<double>& v) {
    std::vector<double> qdd(3), lambda(5);
    const std::vector<double> tau(3);
    const SolveCertificate& c = constrained_forward_dynamics(m_, set_, ws_, q, v, tau, qdd, lambda);
    EXPECT_EQ(c.status, SolveStatus::solved);
    EXPECT_EQ(c.rank, 2);
    return qdd;
  }

  Model m_ = compile(mechanisms::four_bar()).value();
  ConstraintSet set_{m_};
  ConstrainedWorkspace ws_;
  ConstraintRows rows_{m_, set_};
};

TEST(Baumgarte, ErrorsDecayAsCriticallyDampedOnesDo) {
  const double period = 0.1, size = 1e-6;
  FourBar bar(period);
  std::vector<double> q = bar.neutral(), v(3);
  q[1] += size;  // open the loop a little, at rest
  const double start = bar.error(q), h = 1e-3;
  ASSERT_GT(start, 0.1 * size);
  double t = 0;
  for (int part = 1; part <= 4; ++part) {
    bar.run(q, v, period, h);
    t += period;
    const double expected = start * (1 + t / period) * std::exp(-t / period);
    EXPECT_NEAR(bar.error(q), expected, 0.05 * expected) << t;  // [F08 8.21]
  }
}

TEST(Baumgarte, KeepsACoarseMotionTogether) {
  // Positions at the end, and the error of the loop there.
  const auto run = [](double period, double h) {
    FourBar bar(period);
    std::vector<double> q = bar.neutral(), v(3);
    bar.run(q, v, 2, h);
    q.push_back(bar.error(q));
    return q;
  };
  const std::vector<double> drifting = run(0, 0.02), held = run(0.1, 0.02);
  EXPECT_LT(held[3], 0.1 * drifting[3]) << "the error of the loop, in coarse steps";
  // In steps that are small enough for the motion, half the period makes no difference that matters.
  const std::vector<double> fine = run(0.1, 0.005), tighter = run(0.05, 0.005);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(fine[k], tighter[k], 1e-4);
}

}  // namespace
}  // namespace sinew::test
