// tests/sim/integrate_test.cpp - orders, closed forms and what is conserved
#include "sinew/sim/integrate.hpp"

#include <cmath>
#include <numbers>

#include "sinew/joint/quaternion_part.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/momentum.hpp"
#include "support/ball_world.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

Model make_pendulum(int links = 1) {
  ModelBuilder b("pendulum");
  b.gravity({0, 0, -kGravity});
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(point_mass(1, {0, 0, -1}));
    auto hinge = b.revolute("hinge" + std::to_string(i), i == 0 ? "world" : "link" + std::to_string(i - 1), name);
    hinge.axis({0, 1, 0}).at({0, 0, i == 0 ? 0.0 : -1.0});
  }
  return b.build().value();
}
Model make_top(const Vec3<double>& inertia) {
  ModelBuilder b("top");
  b.gravity({0, 0, 0});
  b.body("top").mass(2, {}, {inertia.x, 0, 0, inertia.y, 0, inertia.z});
  b.free("flies", "world", "top");
  return b.build().value();
}
State run(const Model& m, const State& from, double t, const IntegratorOptions& o) {
  Integrator run(m, make_forward_dynamics(m), o);
  run.set_state(from);
  run.advance(t);
  EXPECT_EQ(run.state().time, t);
  return run.state();
}
State run(const Model& m, const State& from, double t, IntegrationMethod method, double dt) {
  return run(m, from, t, {.method = method, .dt = dt, .adaptive = false});
}
const IntegratorOptions kExact{.relative = 1e-13, .absolute = 1e-14};

// Positions apart by a vector, velocities by their numbers.
double distance(const Model& m, const State& a, const State& b) {
  std::vector<double> d(a.v.size());
  difference(m, a.q, b.q, d);
  double worst = 0;
  for (std::size_t i = 0; i < d.size(); ++i) worst = std::max({worst, std::abs(d[i]), std::abs(a.v[i] - b.v[i])});
  return worst;
}
// How the error falls when the step is halved twice.
double find_order(const Model& m, const State& from, const State& want, double t, IntegrationMethod method, double dt) {
  const double coarse = distance(m, run(m, from, t, method, dt), want);
  const double fine = distance(m, run(m, from, t, method, dt / 4), want);
  return std::log2(coarse / fine) / 2;
}
// Steps small enough for the order to show, large enough for rounding not to.
double step_for(IntegrationMethod method) {
  constexpr double kSteps[] = {1. / 1024, 1. / 1024, 1. / 128, 1. / 32, 1. / 32, 1. / 32};
  return kSteps[static_cast<std::size_t>(method)];
}

// sn, cn, dn of Jacobi by the arithmetic-geometric mean.
struct Jacobi {
  double sn, cn, dn;
};
Jacobi jacobi(double u, double m) {
  double a[32], c[32];
  a[0] = 1, c[0] = std::sqrt(m);
  double b = std::sqrt(1 - m);
  int n = 0;
  for (; std::abs(c[n]) > 1e-16 && n < 31; ++n) {
    a[n + 1] = (a[n] + b) / 2, c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - m * sn * sn)};
}

}  // namespace

TEST(Integrate, ThePendulumHasItsPeriod) {
  const Model m = make_pendulum();
  State from = make_state(m);
  from.q[0] = 2.5;
  const double period = 4 / std::sqrt(kGravity) * std::comp_ellint_1(std::sin(from.q[0] / 2));
  const State end = run(m, from, period, kExact);
  EXPECT_NEAR(end.q[0], from.q[0], 1e-11);
  EXPECT_NEAR(end.v[0], 0, 1e-11);
}

TEST(Integrate, OrdersOnAPendulum) {
  const Model m = make_pendulum();
  State from = make_state(m);
  from.q[0] = 1.3, from.v[0] = 0.4;
  const State want = run(m, from, 1, kExact);
  for (const IntegrationMethod method : kIntegrationMethods) {
    const double order = find_order(m, from, want, 1, method, step_for(method));
    std::printf("pendulum, %s: order %.2f\n", std::string(to_string(method)).c_str(), order);
    EXPECT_NEAR(order, order_of(method), 0.35) << to_string(method);
  }
}

// Without torque a symmetric body turns about its angular momentum at |L| / I, and about its own axis besides.
TEST(Integrate, OrdersOnASymmetricTop) {
  const double I = 0.5, Iz = 0.8, t = 1;
  const Model m = make_top({I, I, Iz});
  State from = make_state(m);
  Random rng(3);
  SphericalJoint::random(rng, nullptr, nullptr, from.q.data());
  from.v = {1.5, -0.7, 2.0, 0.3, 0.1, -0.4};

  const Quaternion<double> q0 = detail::get_quaternion(from.q.data());
  const Rotation<double> E0 = to_rotation(q0);
  const Vec3<double> L = apply_inverse(E0, {I * from.v[0], I * from.v[1], Iz * from.v[2]});
  const Vec3<double> flight = apply_inverse(E0, {from.v[3], from.v[4], from.v[5]});
  const double own = (Iz - I) / I * from.v[2];
  State want = from;
  const Quaternion<double> q1 = exp(t / I * L) * q0 * exp(Vec3<double>{0, 0, -own * t});
  detail::set_quaternion(want.q.data(), q1);
  for (int k = 0; k < 3; ++k) want.q[4 + k] += t * (k == 0 ? flight.x : k == 1 ? flight.y : flight.z);
  const double c = std::cos(own * t), s = std::sin(own * t);
  const Vec3<double> lin = apply(to_rotation(q1), flight);
  want.v = {c * from.v[0] - s * from.v[1], s * from.v[0] + c * from.v[1], from.v[2], lin.x, lin.y, lin.z};

  EXPECT_TRUE(is_small(distance(m, run(m, from, t, kExact), want), 1e-12));
  for (const IntegrationMethod method : kIntegrationMethods) {
    const double order = find_order(m, from, want, t, method, step_for(method));
    std::printf("top, %s: order %.2f\n", std::string(to_string(method)).c_str(), order);
    EXPECT_NEAR(order, order_of(method), 0.3) << to_string(method);
  }
}

// Euler's top about an axis near the smallest inertia, in Jacobi's functions.
TEST(Integrate, EulersTopFollowsJacobi) {
  const Vec3<double> I{1, 2, 3};
  const Model m = make_top(I);
  State from = make_state(m);
  from.v = {1.2, 0, 0.3, 0, 0, 0};
  // L^2 > 2 E I2 or less decides which of the two axes it circles; here it is x.
  const double E2 = I.x * 1.44 + I.z * 0.09, L2 = 1.44 + 9 * 0.09;
  ASSERT_LT(L2, E2 * I.y);
  const double rate = std::sqrt((I.z - I.y) * 0 + (I.y - I.x) * (E2 * I.z - L2) / (I.x * I.y * I.z));
  const double modulus = (I.z - I.y) * (L2 - E2 * I.x) / ((I.y - I.x) * (E2 * I.z - L2));
  const double ax = std::sqrt((E2 * I.z - L2) / (I.x * (I.z - I.x)));
  const double ay = std::sqrt((L2 - E2 * I.x) / (I.y * (I.y - I.x)));
  const double az = std::sqrt((L2 - E2 * I.x) / (I.z * (I.z - I.x)));
  for (const double t : {0.3, 1.0, 7.0}) {
    const Jacobi j = jacobi(rate * t, modulus);
    const State end = run(m, from, t, kExact);
    EXPECT_NEAR(end.v[0], ax * j.dn, 2e-13) << t;
    EXPECT_NEAR(end.v[1], ay * j.sn * (I.x < I.z ? 1 : -1), 3e-12) << t;
    EXPECT_NEAR(end.v[2], az * j.cn, 2e-13) << t;
  }
}

TEST(Integrate, OrdersOnRandomTrees) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    RandomTreeOptions tree;
    tree.bodies = 4;
    tree.kinds = {JointKind::free, JointKind::spherical, JointKind::planar, JointKind::revolute, JointKind::universal};
    const Model m = compile(random_tree(seed, tree)).value();
    Random rng(seed);
    State from = make_state(m);
    from.q = random_configuration(m, rng), from.v = random_numbers(rng, m.nv());
    const double t = 0.25;
    const State want = run(m, from, t, kExact);
    for (const IntegrationMethod method : kIntegrationMethods) {
      const double order = find_order(m, from, want, t, method, step_for(method) / 4);
      EXPECT_GT(order, order_of(method) - 0.3) << to_string(method);
      EXPECT_LT(order, order_of(method) + 1.6) << to_string(method);
    }
  }
}

TEST(Integrate, QuaternionsStayUnitAndMomentumStays) {
  const Model m = make_top({1, 2, 3});
  State from = make_state(m);
  from.v = {0.01, 3, 0.02, 1, 0, 0};
  MomentumWorkspace<double> before(m), after(m);
  calc_momentum(m, before, from.q, from.v);
  for (const IntegrationMethod method : {IntegrationMethod::rk4, IntegrationMethod::rkmk4}) {
    Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = 0.01});
    run.set_state(from);
    run.advance(20);
    const State& s = run.state();
    EXPECT_NEAR(norm(Vec3<double>{s.q[1], s.q[2], s.q[3]}), std::sqrt(1 - s.q[0] * s.q[0]), 1e-14);
    calc_momentum(m, after, s.q, s.v);
    EXPECT_TRUE(is_small(norm(after.momentum.ang - before.momentum.ang), 1e-5));
    EXPECT_TRUE(is_small(std::abs(run.calc_energy_drift()), 1e-6));
    EXPECT_EQ(run.report().steps, 2000);
    EXPECT_EQ(run.report().evaluations, 8000);
  }
}

TEST(Integrate, SemiImplicitEulerKeepsEnergyWithinBounds) {
  const Model m = make_pendulum();
  State from = make_state(m);
  from.q[0] = 1;
  double worst[2] = {};
  for (const IntegrationMethod method : {IntegrationMethod::euler, IntegrationMethod::semi_implicit_euler}) {
    Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = 1e-3});
    run.set_state(from);
    for (int i = 1; i <= 100; ++i) {
      run.advance(i);
      double& w = worst[method == IntegrationMethod::semi_implicit_euler];
      w = std::max(w, std::abs(run.calc_energy_drift()));
    }
  }
  EXPECT_GT(worst[0], 1);                 // grows all the time
  EXPECT_TRUE(is_small(worst[1], 0.02));  // swings with the motion, of first order in dt
}

TEST(Integrate, RunsBackToWhereItCameFrom) {
  const Model m = make_pendulum(2);
  State from = make_state(m);
  from.q = {1, -0.5}, from.v = {0.3, 0.2};
  for (const IntegratorOptions& o : {IntegratorOptions{.method = IntegrationMethod::rkmk4, .dt = 1e-3},
                                     IntegratorOptions{.relative = 1e-12, .absolute = 1e-12}}) {
    Integrator run(m, make_forward_dynamics(m), o);
    run.set_state(from);
    run.advance(2);
    EXPECT_GT(distance(m, run.state(), from), 0.1);
    run.advance(0);
    EXPECT_TRUE(is_small(distance(m, run.state(), from), 1e-9));
  }
}

// A double pendulum thrown over the top: long quiet flights and short spikes of acceleration. [F08 section 10.1]
TEST(Integrate, AdaptiveStepsAreFewerWhereAccelerationsAreSpiky) {
  ModelBuilder b("spiky");
  b.gravity({0, 0, -kGravity});
  b.body("upper").mass(point_mass(1, {0, 0, -1}));
  b.revolute("shoulder", "world", "upper").axis({0, 1, 0});
  b.body("lower").mass(point_mass(0.2, {0, 0, -0.05}));
  b.revolute("elbow", "upper", "lower").axis({0, 1, 0}).at({0, 0, -1});
  const Model m = b.build().value();
  State from = make_state(m);
  from.q = {2.8, 0.3};
  const double t = 3;
  const State want = run(m, from, t, kExact);
  Integrator adaptive(m, make_forward_dynamics(m), {.relative = 1e-8, .absolute = 1e-8});
  adaptive.set_state(from);
  adaptive.advance(t);
  const double error = distance(m, adaptive.state(), want);
  EXPECT_GT(error, 0);
  double dt = 0.02;
  while (distance(m, run(m, from, t, IntegrationMethod::rk4, dt), want) > error) dt /= 1.25;
  const double fixed = 4 * t / dt;
  std::printf(
      "spiky pendulum, error %.1e: adaptive %ld evaluations (%ld steps, %ld rejected, %.1e .. %.1e s), fixed %.0f\n",
      error, adaptive.report().evaluations, adaptive.report().steps, adaptive.report().rejected,
      adaptive.report().smallest_step, adaptive.report().largest_step, fixed);
  EXPECT_LT(static_cast<double>(adaptive.report().evaluations), 0.7 * fixed);
  EXPECT_GT(adaptive.report().largest_step, 5 * adaptive.report().smallest_step);
  EXPECT_LE(adaptive.report().largest_error, 1);
}

TEST(Integrate, ToleranceIsProportionalToTheError) {
  const Model m = make_pendulum(2);
  State from = make_state(m);
  from.q = {1, 0.5};
  const State want = run(m, from, 2, kExact);
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const double error = distance(m, run(m, from, 2, {.relative = tolerance, .absolute = tolerance}), want);
    EXPECT_TRUE(is_small(error, 300 * tolerance));
    EXPECT_GT(error, 0.01 * tolerance);
  }
}

TEST(Integrate, WhatCannotBeIntegratedEndsWithAMessage) {
  const Model m = make_pendulum();
  const auto expect = [&](const RightHandSide& f, const IntegratorOptions& o, const std::string& time,
                          const std::string& cause) {
    Integrator run(m, f, o);
    State from = make_state(m);
    from.v[0] = 1;
    run.set_state(from);
    try {
      run.advance(5);
      ADD_FAILURE() << "went on to " << run.state().time;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(time), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(cause), std::string::npos) << e.what();
    }
    for (const double x : run.state().v) EXPECT_TRUE(std::isfinite(x));
    EXPECT_LT(run.report().steps, 100000);
  };
  // v = 1 / (1 - t) has no value at 1 s
  const RightHandSide escape = [](const StatePoint& x, const StateRate& r) { r.v[0] = x.v[0] * x.v[0]; };
  expect(escape, {}, "at 1.0000", "fell to");
  // a force that is not a number from 2 s on
  const RightHandSide gone = [](const StatePoint& x, const StateRate& r) { r.v[0] = x.time > 2 ? NAN : 0; };
  expect(gone, {}, "at 2 s", "v[0] not finite");
  expect(gone, {.method = IntegrationMethod::rkmk4, .dt = 0.5}, "from 2 s", "v[0] is not finite");
  // so stiff that no explicit step is worth taking: it ends, and says where
  const RightHandSide stiff = [](const StatePoint& x, const StateRate& r) {
    r.v[0] = -1e14 * (x.v[0] - std::cos(x.time));
  };
  expect(stiff, {.least_step = 1e-10}, "at ", "fell to");
}

TEST(Integrate, ClosedLoopsByBaumgarteAndByProjection) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  ConstraintRows rows(m, set);
  const double zero = 0;
  for (const bool projected : {true, false}) {
    ConstrainedOptions o;
    o.rank = {1e-4, 1e-4};
    if (!projected) o.stabilization.period = 0.05;
    Integrator run(m, make_constrained_dynamics(m, set, o), {.method = IntegrationMethod::rkmk4, .dt = 1e-3});
    if (projected) run.set_projection(make_projection(m, set));
    run.set_state(make_state(m));
    run.advance(2);
    calc_constraint_rows(m, set, rows, run.state().q, run.state().v);
    double error = zero;
    for (const double e : rows.position) error = std::max(error, std::abs(e));
    EXPECT_TRUE(is_small(error, projected ? 1e-14 : 3e-9));
    EXPECT_TRUE(is_small(std::abs(run.calc_energy_drift()), 2e-6));
    EXPECT_GT(std::abs(run.state().v[0]), 0.1);
  }
}

TEST(Integrate, ForcesAndExtraNumbersAreIntegratedToo) {
  // a motor that holds gravity's torque, and a clock beside the state whose rate is the angle
  const Model m = make_pendulum();
  const RightHandSide tree =
      make_forward_dynamics(m, [](const StatePoint& x, Out<double> tau) { tau[0] = kGravity * std::sin(x.q[0]) + 2; });
  const RightHandSide f = [&](const StatePoint& x, const StateRate& r) {
    tree(x, r);
    r.extra[0] = x.q[0];
  };
  Integrator run(m, f, {.method = IntegrationMethod::rkmk4, .dt = 0.1, .extra = 1});
  State from = make_state(m);
  run.set_state(from, std::vector<double>{5});
  run.advance(2);
  EXPECT_NEAR(run.state().q[0], 4, 2e-13);
  EXPECT_NEAR(run.extra()[0], 5 + 8.0 / 3, 2e-13);
}

TEST(Integrate, BadOptionsAreNamed) {
  const Model m = make_pendulum();
  const RightHandSide f = make_forward_dynamics(m);
  const auto refused = [&](const IntegratorOptions& o) { EXPECT_THROW(Integrator(m, f, o), std::invalid_argument); };
  refused({.method = IntegrationMethod::rk4});
  refused({.method = IntegrationMethod::rk4, .dt = -1});
  refused({.dt = NAN});
  refused({.absolute = 0});
  refused({.relative = -1});
  refused({.relative = 1e-17});
  refused({.least_step = 0});
  refused({.extra = -1});
  refused({.events = {.samples = 0}});
  EXPECT_THROW(Integrator(m, {}, {}), std::invalid_argument);
  Integrator run(m, f, {});
  EXPECT_THROW(run.set_state({{1, 2}, {0}, 0}), std::invalid_argument);
  EXPECT_THROW(run.add_event({"empty", {}, 0}), std::invalid_argument);
  for (const IntegrationMethod method : kIntegrationMethods)
    EXPECT_EQ(find_integration_method(to_string(method)), method);
  EXPECT_FALSE(find_integration_method("leapfrog"));
}

TEST(Integrate, AllocatesNothingAndRepeatsItsBits) {
  RandomTreeOptions tree;
  tree.bodies = 6;
  const Model m = compile(random_tree(7, tree)).value();
  for (const IntegrationMethod method : kIntegrationMethods) {
    State ends[2];
    for (State& end : ends) {
      Integrator run(m, make_forward_dynamics(m), {.method = method, .dt = 1e-3});
      run.add_event({"never", [](const StatePoint&) { return 1.0; }, 0});
      run.set_state(make_state(m));
      const AllocationCount allocations;
      run.advance(0.05);
      run.advance_to_event(0.1);
      EXPECT_EQ(allocations.count(), 0) << to_string(method);
      end = run.state();
    }
    EXPECT_EQ(ends[0].q, ends[1].q);
    EXPECT_EQ(ends[0].v, ends[1].v);
  }
}

}  // namespace sinew::test
