// tests/sim/interpolation_test.cpp - steps that can be shortened, and events found in them [F08 11.5]
#include "sinew/sim/interpolation.hpp"

#include "sinew/model/builder.hpp"
#include "sinew/sim/integrate.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

Model make_bob() {
  ModelBuilder b("pendulum");
  b.gravity({0, 0, -9.81});
  b.body("bob").mass(point_mass(1, {0, 0, -1}));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0});
  return b.build().value();
}
State leaning(const Model& m, double angle) {
  State s = make_state(m);
  s.q[0] = angle;
  return s;
}
constexpr double kPlace = 0.4;  // away from where accelerations vanish
const auto kReached = [](const StatePoint& x) { return x.q[0] - kPlace; };
const auto kAngle = [](const StatePoint& x) { return x.q[0]; };

}  // namespace

TEST(Interpolation, AStepEndsWhereItsPolynomialDoes) {
  RandomTreeOptions tree;
  tree.bodies = 5;
  const Model m = compile(random_tree(11, tree)).value();
  Random rng(2);
  State from = make_state(m);
  from.q = random_configuration(m, rng), from.v = random_numbers(rng, m.nv());
  for (const IntegrationMethod method : kIntegrationMethods) {
    SCOPED_TRACE(to_string(method));
    Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = 0.01, .adaptive = false});
    run.set_state(from);
    run.step();
    const StatePoint end = run.last_step().calc(1);
    EXPECT_TRUE(near(std::vector<double>(end.q.begin(), end.q.end()), run.state().q, 50));
    EXPECT_TRUE(near(std::vector<double>(end.v.begin(), end.v.end()), run.state().v, 50));
    EXPECT_EQ(end.time, run.state().time);
    const StatePoint start = run.last_step().calc(0);
    EXPECT_TRUE(near(std::vector<double>(start.q.begin(), start.q.end()), from.q, 4));
    EXPECT_EQ(std::vector<double>(start.v.begin(), start.v.end()), from.v);
  }
}

// Inside: the book's quadratic of Heun's method, number by number.
TEST(Interpolation, HeunsPolynomial) {
  const Model m = make_bob();
  Integrator run(m, make_forward_dynamics(m), {.method = IntegrationMethod::heun, .dt = 0.1});
  const State from = leaning(m, 1);
  run.set_state(from);
  run.step();
  const auto f = [](double q) { return -9.81 * std::sin(q); };
  const double h = 0.1, k1 = f(1), v2 = 2. / 3 * h * k1, k2 = f(1);  // the first stage does not move yet
  for (const double d : {0.2, 0.5, 1.0}) {
    const StatePoint x = run.last_step().calc(d);
    EXPECT_NEAR(x.q[0], 1 + h * (0.75 * d * d * v2), 1e-15);
    EXPECT_NEAR(x.v[0], h * ((d - 0.75 * d * d) * k1 + 0.75 * d * d * k2), 1e-15);
  }
}

// One step across the event: its time is wrong by h^(order + 1).
TEST(Interpolation, OrdersOfEventTimes) {
  const Model m = make_bob();
  Integrator exact(m, make_forward_dynamics(m), {.relative = 1e-13, .absolute = 1e-14});
  exact.add_event({"reached", kReached, 0});
  exact.set_state(leaning(m, 1));
  ASSERT_EQ(exact.advance_to_event(2).size(), 1u);
  const double t = exact.state().time;
  for (const IntegrationMethod method : kIntegrationMethods) {
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      const double h = fine ? 0.02 : 0.08;
      // a state of the exact motion that is 0.6 h before the event
      Integrator before(m, make_forward_dynamics(m), {.relative = 1e-13, .absolute = 1e-14});
      before.set_state(leaning(m, 1));
      before.advance(t - 0.6 * h);
      Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = h, .adaptive = false});
      run.add_event({"reached", kReached, 0});
      run.set_state(before.state());
      ASSERT_EQ(run.advance_to_event(2).size(), 1u) << to_string(method);
      EXPECT_EQ(run.report().steps, 1);
      error[fine] = std::abs(run.state().time - t);
      EXPECT_TRUE(is_small(std::abs(run.state().q[0] - kPlace), 1e-14));
    }
    const double order = std::log2(error[0] / error[1]) / 2;
    std::printf("event time, %s: order %.2f, error %.1e\n", std::string(to_string(method)).c_str(), order, error[1]);
    EXPECT_GT(order, order_of_interpolation(method) + 1 - 0.3) << to_string(method);
  }
}

TEST(Interpolation, EventsOneAfterTheOtherAndAtOnce) {
  const Model m = make_bob();
  Integrator run(m, make_forward_dynamics(m), {.relative = 1e-12, .absolute = 1e-12});
  run.add_event({"below", kAngle, 0});
  run.add_event({"below, to the left", kAngle, -1});
  run.add_event({"twice the angle", [](const StatePoint& x) { return 2 * x.q[0]; }, 0});
  run.add_event({"to the right", kAngle, +1});
  run.set_state(leaning(m, 1));
  const double period = 4 / std::sqrt(9.81) * std::comp_ellint_1(std::sin(0.5));
  const auto expect = [&](double t, const std::vector<int>& want) {
    const auto hits = run.advance_to_event(100);
    EXPECT_EQ(std::vector<int>(hits.begin(), hits.end()), want);
    EXPECT_NEAR(run.state().time, t, 2e-10);
  };
  for (int k = 0; k < 3; ++k) {
    expect((k + 0.25) * period, {0, 1, 2});
    expect((k + 0.75) * period, {0, 2, 3});
  }
  EXPECT_EQ(run.advance_to_event(2.9 * period).size(), 0u);
  EXPECT_EQ(run.state().time, 2.9 * period);
}

// A stone thrown up to 1 m passes a height and falls below it again within one step: both ends have the same sign.
TEST(Interpolation, AnEventThatIsTakenBackWithinAStepIsSeen) {
  ModelBuilder b("stone");
  b.gravity({0, 0, -8});
  b.body("stone").mass(point_mass(1));
  b.prismatic("flies", "world", "stone").axis({0, 0, 1});
  const Model m = b.build().value();
  for (const double depth : {0.1, 1e-2, 1e-5, 1e-9}) {
    Integrator run(m, make_forward_dynamics(m), {.method = IntegrationMethod::rkmk4, .dt = 1.2});
    run.add_event({"below the top", [=](const StatePoint& x) { return 1 - depth - x.q[0]; }, -1});
    State from = make_state(m);
    from.v[0] = 4;
    run.set_state(from);
    ASSERT_EQ(run.advance_to_event(1.2).size(), 1u) << depth;
    EXPECT_EQ(run.report().steps, 1);
    EXPECT_NEAR(run.state().time, 0.5 - std::sqrt(depth) / 2, 2e-11);
    // and on: down through the same height is not asked for
    EXPECT_EQ(run.advance_to_event(1.2).size(), 0u) << depth;
  }
}

TEST(Crossing, RootsOfAllSorts) {
  int calls = 0;
  const auto count = [&](auto f) { return [&calls, f](double x) { return ++calls, f(x); }; };
  const auto root = [&](auto f, double a, double b) {
    calls = 0;
    const double x = find_root(count(f), a, f(a), b, f(b), 1e-15);
    EXPECT_TRUE(f(x) * f(a) <= 0);
    EXPECT_LE(calls, 60);
    return x;
  };
  EXPECT_NEAR(root([](double x) { return std::cos(x) - x; }, 0, 1), 0.7390851332151607, 2e-15);
  EXPECT_LE(calls, 14);
  EXPECT_NEAR(root([](double x) { return x < 1. / 3 ? 1.0 : -1.0; }, 0, 1), 1. / 3, 2e-15);
  EXPECT_NEAR(root([](double x) { return std::pow(x - 0.3, 9); }, 1, 0), 0.3, 5e-14);
  EXPECT_NEAR(root([](double x) { return 1 - 1e6 * x; }, 0, 1), 1e-6, 2e-15);
  EXPECT_EQ(find_crossing([](double) { return 1.0; }, 1, 1), 2);
  // just after a bounce: zero at the start, positive, and down again before the first sample
  EXPECT_NEAR(find_crossing([](double x) { return x * (0.9 - x); }, 0, 1), 0.9, 1e-14);
}

}  // namespace sinew::test
