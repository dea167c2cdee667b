// tests/constraint/solve/constrained_derivatives_test.cpp - derivatives of constrained dynamics
// The other way: the solution itself at states nearby, by central differences extrapolated twice (Romberg), along
// coordinates, or along allowed motions where rows are redundant. And closed forms.
#include "sinew/constraint/solve/constrained_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "constraint/solve/differences.hpp"
#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rows/loop_joint.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/builder.hpp"
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// A change of the state.
struct Change {
  Column q, v, tau;
};
struct SlopesCase {
  const Model& m;
  const ConstraintSet& set;
  TreeState s;  // s.a: the joint forces
  ConstrainedOptions options{};
  std::vector<Force<double>> external{};
  double time = 0;
};

Column solve_nearby(const SlopesCase& c, ConstrainedWorkspace& ws, const Change& x, double step) {
  Column q = c.s.q, v = c.s.v, tau = c.s.a, out(at(c.m.nv() + c.set.rows()));
  integrate(c.m, c.s.q, x.q, step, q);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += step * x.v[i], tau[i] += step * x.tau[i];
  const auto n = at(c.m.nv());
  const SolveCertificate& done =
      constrained_forward_dynamics(c.m, c.set, ws, q, v, tau, VectorView<double>(out.data(), n),
                                   VectorView<double>(out.data() + n, out.size() - n), {c.external, c.time});
  EXPECT_EQ(done.status, SolveStatus::solved) << describe(done, c.m, c.set).front();
  return out;
}

SlopesOutcome run_slopes(const SlopesCase& c, DerivativeStatus status,
                         const std::source_location& where = std::source_location::current()) {
  ConstrainedDerivativesWorkspace ws(c.m, c.set, c.options);
  SlopesOutcome got(c.m.nv(), c.set.rows());
  const DerivativeCertificate& done = calc_constrained_derivatives(c.m, c.set, ws, c.s.q, c.s.v, c.s.a, got.a,
                                                                   got.lambda, got.views(), {c.external, c.time});
  EXPECT_EQ(done.status, status) << to_string(done.status) << " of " << c.m.name() << ", line " << where.line() << ", "
                                 << to_string(done.solution) << ", " << done.residual << " of " << done.scale;
  got.status = done.status;
  return got;
}

void expect_slopes_along(const SlopesCase& c, SlopesOutcome& got, const Change& x, double h, double eps,
                         const Allowed& n, const std::source_location& where) {
  ConstrainedWorkspace plain(c.m, c.set, c.options);
  const Column want = romberg([&](double step) { return solve_nearby(c, plain, x, step); }, h);
  Column have = times(got.a_q, got.lambda_q, x.q);
  have = plus(plus(have, times(got.a_v, got.lambda_v, x.v)), times(got.a_tau, got.lambda_tau, x.tau));
  const double scale = scale_of(c.m, c.s.q, {&want, &got.a, &got.lambda});
  EXPECT_TRUE(near(have, want, n, scale, eps, where)) << c.m.name();
}
// Along random changes of q, of v and of tau, one after the other.
void expect_slopes(const SlopesCase& c, Random& rng, const Allowed& n,
                   const std::source_location& where = std::source_location::current()) {
  SlopesOutcome got = run_slopes(c, DerivativeStatus::exact, where);
  const Column zero(c.s.v.size());
  for (const int which : {0, 1, 2}) {
    SCOPED_TRACE(which);
    const Column x = random_numbers(rng, c.m.nv());
    expect_slopes_along(c, got, {which == 0 ? x : zero, which == 1 ? x : zero, which == 2 ? x : zero}, kFar, kFarError,
                        n, where);
  }
}

// The velocities that the rows allow at q.
Column allowed(const Model& m, const ConstraintSet& set, const Column& q, Column x) {
  ManifoldWorkspace ws(m, set);
  project_velocity(m, set, ws, q, x);
  return x;
}
// x of q with K x = 0; y of v so that v stays allowed.
Change allowed_change(const SlopesCase& c, Random& rng) {
  const Column x = allowed(c.m, c.set, c.s.q, random_numbers(rng, c.m.nv()));
  const Column y = romberg(
      [&](double step) {
        Column q = c.s.q;
        integrate(c.m, c.s.q, x, step, q);
        return allowed(c.m, c.set, q, c.s.v);
      },
      kNearby);
  return {x, y, random_numbers(rng, c.m.nv())};
}

// Two masses on rails, x2 = p(x1): (m1 + m2 p'^2) a1 = tau1 + p' tau2 - m2 p' p'' v1^2.
TEST(ConstrainedDerivatives, OfTwoMassesAndACam) {
  const double m1 = 1.3, m2 = 0.7, c1 = 0.4, c2 = 0.8, c3 = -0.5, x = 0.6, v = 1.1, f1 = 2, f2 = -3;
  ModelBuilder b("cam");
  b.gravity({0, 0, 0});
  b.body("first").mass(m1, {}, {1, 0, 0, 1, 0, 1}), b.body("second").mass(m2, {}, {1, 0, 0, 1, 0, 1});
  b.prismatic("x1", "world", "first").axis({1, 0, 0});
  b.prismatic("x2", "world", "second").axis({0, 1, 0});
  const Model m = b.build().value();
  CouplingSpec cam;
  cam.name = "cam", cam.dependent = "x2", cam.terms = {{"x1", {c1, c2, c3}, 0}};
  const ConstraintSet set(m, {cam});
  const double p1 = c1 + 2 * c2 * x + 3 * c3 * x * x, p2 = 2 * c2 + 6 * c3 * x, p3 = 6 * c3;
  SlopesOutcome got = run_slopes({m, set, {{x, 0.2}, {v, 0.3}, {f1, f2}}}, DerivativeStatus::exact);
  const double inertia = m1 + m2 * p1 * p1, force = f1 + p1 * f2 - m2 * p1 * p2 * v * v;
  const double a1 = force / inertia;
  const double d_inertia = 2 * m2 * p1 * p2, d_force = p2 * f2 - m2 * (p2 * p2 + p1 * p3) * v * v;
  const double da1 = (d_force - a1 * d_inertia) / inertia, da2 = p2 * a1 + p1 * da1 + p3 * v * v;
  EXPECT_TRUE(near(got.a_q.numbers, Numbers{da1, 0, da2, 0}, 10));
  const double dv1 = -2 * m2 * p1 * p2 * v / inertia, dv2 = p1 * dv1 + 2 * p2 * v;
  EXPECT_TRUE(near(got.a_v.numbers, Numbers{dv1, 0, dv2, 0}, 10));
  EXPECT_TRUE(near(got.a_tau.numbers, Numbers{1 / inertia, p1 / inertia, p1 / inertia, p1 * p1 / inertia}, 10));
  EXPECT_TRUE(near(got.lambda_q.numbers, Numbers{m2 * da2, 0}, 10));  // m2 a2 = f2 + lambda
  EXPECT_TRUE(near(got.lambda_v.numbers, Numbers{m2 * dv2, 0}, 10));
  EXPECT_TRUE(near(got.lambda_tau.numbers, Numbers{m2 * p1 / inertia, m2 * p1 * p1 / inertia - 1}, 10));
}

// A double pendulum as a tree, and with its second joint as a loop between the upper body and one that floats in the
// plane: x = -l sin q1, z = -l cos q1, turn q1 + q2. Three of the five rows are zero everywhere.
TEST(ConstrainedDerivatives, OfADoublePendulumAreThoseOfTheTree) {
  const double l = 0.8, effort = 1.7;
  const auto make = [&](bool loop) {
    ModelBuilder b(loop ? "looped" : "tree");
    b.body("upper").mass(1.2, {0.1, 0, -0.5}, {0.3, 0, 0, 0.2, 0.01, 0.4});
    b.body("lower").mass(0.9, {0.05, 0, -0.3}, {0.1, 0, 0, 0.15, 0, 0.2});
    b.revolute("shoulder", "world", "upper").axis({0, 1, 0});
    if (loop) {
      b.body("along_x"), b.body("along_z");
      b.prismatic("x", "world", "along_x").axis({1, 0, 0});
      b.prismatic("z", "along_x", "along_z").axis({0, 0, 1});
      b.revolute("turn", "along_z", "lower").axis({0, 1, 0});
    } else {
      b.revolute("elbow", "upper", "lower").axis({0, 1, 0}).at({0, 0, -l});
    }
    return b.build().value();
  };
  const Model tree = make(false), looped = make(true);
  LoopSpec pin;
  pin.name = "elbow", pin.kind = JointKind::revolute, pin.body_a = "upper", pin.body_b = "lower";
  pin.axis = {0, 1, 0};
  pin.pose_a = shift_frame(Vec3<double>{0, 0, -l});
  const ConstraintSet set(looped, {pin});
  Random rng(3);
  const TreeState s = random_state(tree, rng);
  const double sine = l * std::sin(s.q[0]), cosine = l * std::cos(s.q[0]), v1 = s.v[0], v2 = s.v[1];
  SlopesOutcome got = run_slopes(
      {looped,
       set,
       {{s.q[0], -sine, -cosine, s.q[0] + s.q[1]}, {v1, -cosine * v1, sine * v1, v1 + v2}, {effort, 0, 0, 0}}},
      DerivativeStatus::exact);
  AbaDerivativesWorkspace<double> ws(tree);
  Column a(2);
  Matrix a_q(2, 2), a_v(2, 2), Minv(2, 2);
  calc_aba_derivatives(tree, ws, s.q, s.v, Column{effort, 0}, a, a_q, a_v, Minv);
  EXPECT_TRUE(near(Column{got.a[0], got.a[3]}, Column{a[0], a[0] + a[1]}, 100));
  EXPECT_TRUE(near(Column{got.a_tau(0, 0), got.a_tau(3, 0)}, Column{Minv(0, 0), Minv(0, 0) + Minv(1, 0)}, 100));
  // How the looped state changes with the coordinates of the tree.
  const Change changes[] = {{{1, -cosine, sine, 1}, {0, sine * v1, cosine * v1, 0}, {}},
                            {{0, 0, 0, 1}, {0, 0, 0, 0}, {}},
                            {{0, 0, 0, 0}, {1, -cosine, sine, 1}, {}},
                            {{0, 0, 0, 0}, {0, 0, 0, 1}, {}}};
  for (int k = 0; k < 4; ++k) {
    SCOPED_TRACE(k);
    const Column da = plus(got.a_q * changes[k].q, got.a_v * changes[k].v);
    Matrix& want = k < 2 ? a_q : a_v;
    EXPECT_TRUE(near(Column{da[0], da[3]}, Column{want(0, k % 2), want(0, k % 2) + want(1, k % 2)}, 100));
  }
}

// Compares where the rows are clearly independent; counts how often that is so.
void expect_slopes_where_independent(const SlopesCase& c, Random& rng, const Allowed& n, int& compared,
                                     const std::source_location& where = std::source_location::current()) {
  ConstrainedDerivativesWorkspace ws(c.m, c.set, c.options);
  SlopesOutcome got(c.m.nv(), c.set.rows());
  const DerivativeStatus status = calc_constrained_derivatives(c.m, c.set, ws, c.s.q, c.s.v, c.s.a, got.a, got.lambda,
                                                               got.views(), {c.external, c.time})
                                      .status;
  const SolveCertificate& solved = ws.solution.certificate;
  if (solved.status != SolveStatus::solved || solved.rank < c.set.rows() || solved.least_row < 0.05) return;
  EXPECT_EQ(status, DerivativeStatus::exact) << to_string(status);
  ++compared;
  expect_slopes(c, rng, n, where);
}

// Random trees with random loops of every kind, closed or not, with and without stabilization.
TEST(ConstrainedDerivatives, OfRandomLoopsAreThoseOfDifferences) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 66; ++seed) {
    SCOPED_TRACE(seed);
    const SlopesTree tree(seed);
    const Model& m = tree.model;
    Random rng(seed + 31);
    TreeState s = random_state(m, rng);
    const std::vector<JointKind> kinds = loop_kinds();
    const ConstraintSet set(m, {closed_loop(m, kinds[seed % kinds.size()], s.q, rng, "loop")});
    if (rng.below(2) == 0) integrate(m, Column(s.q), random_numbers(rng, m.nv()), 0.1, s.q);
    SlopesCase c{m, set, s};
    for (std::size_t b = 0; b < m.bodies().size(); ++b) c.external.push_back(random_force(rng));
    for (const double period : {0.0, 0.2}) {
      SCOPED_TRACE(period);
      c.options.stabilization.period = period;
      expect_slopes_where_independent(c, rng, 300, compared);
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(ConstrainedDerivatives, OfMasksAlongEveryKindOfAxes) {
  struct Held {
    std::array<bool, 6> blocked;
    bool world_axes, laws;
  };
  const Held all[] = {
      {{0, 0, 0, 1, 1, 1}, false, false}, {{1, 1, 1, 1, 1, 1}, false, false}, {{1, 0, 1, 1, 1, 0}, false, false},
      {{0, 0, 0, 1, 0, 1}, true, false},  {{0, 0, 0, 1, 1, 1}, true, false},  {{1, 1, 1, 0, 0, 0}, true, false},
      {{1, 0, 0, 0, 1, 1}, true, false},  {{0, 0, 0, 1, 1, 1}, false, true},  {{0, 1, 0, 1, 0, 1}, false, true}};
  int compared = 0;
  for (const Held& held : all)
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(testing::Message() << "mask " << &held - all << ", seed " << seed);
      const SlopesTree tree(seed);
      const Model& m = tree.model;
      Random rng(seed + 5);
      const int bodies = static_cast<int>(m.bodies().size()), a = seed % 3 == 0 ? 0 : rng.below(bodies);
      MaskConstraint mask;
      mask.name = "mask", mask.body_a = a == 0 ? "" : m.bodies()[at(a)].name;
      mask.body_b = m.bodies()[at((a + 1 + rng.below(bodies - 1)) % bodies)].name;
      if (mask.body_b == "world") mask.body_b.clear();
      mask.pose_a = random_pose(rng), mask.pose_b = random_pose(rng);
      mask.blocked = held.blocked, mask.world_axes = held.world_axes;
      if (held.laws) {
        mask.laws.resize(3);
        mask.laws[0] = mask.laws[2] = [](double t) { return MotionSample{0.3 + 0.7 * t, 0.7, 0.9}; };
      }
      const ConstraintSet set(m, {mask});
      SlopesCase c{m, set, random_state(m, rng)};
      c.time = 0.4;
      for (const double period : {0.0, 0.25}) {
        c.options.stabilization.period = period;
        expect_slopes_where_independent(c, rng, 300, compared);
      }
    }
  EXPECT_GT(compared, 60);
}

// Loops that are closed by joints of any kind, composite ones among them. Their coordinates are found by iteration,
// which is exact to first order where the loop is closed: so along changes that keep it closed.
TEST(ConstrainedDerivatives, OfLoopJointsOfAnyKind) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 42; ++seed) {
    const SlopesTree tree(seed);
    const Model& m = tree.model;
    Random rng(seed + 77);
    const std::vector<JointKind> kinds = all_kinds();
    const JointKind kind = kinds[seed % kinds.size()];
    if (m.bodies().back().node == m.bodies()[seed % 2].node) continue;
    std::vector<JointSpec> joint{random_joint(rng, kind, "loop")};
    freeze(joint);
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", seed " << seed);
    joint[0].parent = m.bodies()[seed % 2].name, joint[0].child = m.bodies().back().name;
    const ConstraintSet set(m, {make_loop_joint(m, joint[0])});
    SlopesCase c{m, set, random_state(m, rng)};
    if (!assemble(m, set, c.s.q).closed) continue;
    c.s.v = allowed(m, set, c.s.q, c.s.v);
    ConstrainedWorkspace plain(m, set);
    Column a(c.s.v.size()), lambda(at(set.rows()));
    const SolveCertificate& solved = constrained_forward_dynamics(m, set, plain, c.s.q, c.s.v, c.s.a, a, lambda);
    if (solved.status != SolveStatus::solved || solved.rank < set.rows() || solved.least_row < 0.05) continue;
    for (const double period : {0.0, 0.25}) {
      ++compared;
      c.options.stabilization.period = period;
      SlopesOutcome got = run_slopes(c, DerivativeStatus::exact);
      expect_slopes_along(c, got, allowed_change(c, rng), kNearby, kNearbyError, 100, std::source_location::current());
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(ConstrainedDerivatives, OfRollingBalls) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const SlopesTree tree(seed);
    const Model& m = tree.model;
    Random rng(seed + 9);
    const RollingConstraint ball{.name = "ball",
                                 .body_a = seed % 2 == 0 ? "" : m.bodies()[1].name,
                                 .body_b = m.bodies()[m.bodies().size() - 1].name,
                                 .point = random_vec(rng),
                                 .normal = random_unit(rng),
                                 .centre = random_vec(rng),
                                 .radius = 0.4};
    const ConstraintSet set(m, {ball});
    SlopesCase c{m, set, random_state(m, rng)};
    for (const double period : {0.0, 0.25}) {
      c.options.stabilization.period = period;
      expect_slopes_where_independent(c, rng, 300, compared);
    }
  }
  EXPECT_GT(compared, 15);
}

// Couplings of joints and of tendons along joints, with a loop beside them.
TEST(ConstrainedDerivatives, OfCouplings) {
  ModelSpec spec = mechanisms::chain(6);
  const auto joint = [&](std::size_t i) { return spec.joints[i].name; };
  CouplingSpec cam;
  cam.name = "cam", cam.dependent = joint(1);
  cam.terms = {{joint(2), {0.5, -0.3, 0.2}, 0.1}, {joint(3), {0.2, 0.4}, 0}};
  spec.couplings = {cam};
  for (const char* name : {"left", "right"}) {
    TendonSpec tendon;
    tendon.name = name;
    for (std::size_t i = 3; i < 6; ++i)
      tendon.parts.push_back({TendonPartKind::joint, joint(i), "", name[0] == 'l' ? 0.3 + double(i) : 1.5 - double(i)});
    spec.tendons.push_back(tendon);
  }
  spec.tendon_couplings = {{.name = "both", .dependent = "left", .driver = "right", .coefficients = {0.4, 0.3, -0.2}}};
  const Model m = compile(spec).value();
  MaskConstraint point;
  point.name = "tip", point.body_b = m.bodies().back().name, point.blocked = {0, 0, 0, 0, 1, 1};
  const ConstraintSet set(m, {point});
  Random rng(8);
  for (const double period : {0.0, 0.3}) {
    SlopesCase c{m, set, random_state(m, rng)};
    c.options.stabilization.period = period;
    expect_slopes(c, rng, 3);
  }
}

// Rows that others imply at every position: a is unique, lambda the shortest.
TEST(ConstrainedDerivatives, OfRedundantRowsAreThoseOfTheShortestForces) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), mechanisms::crank_slider(), mechanisms::scissor_lift()}) {
    const LoopState l(spec);
    TreeState s = l.s;
    s.a = l.tau;
    Random rng(2);
    for (const double period : {0.0, 0.1}) {
      SlopesCase c{l.model, l.set, s};
      c.options.stabilization.period = period;
      expect_slopes(c, rng, 20);
    }
  }
}
// The same point held twice, along axes of the body and of the world: how the rows imply each other changes with q.
TEST(ConstrainedDerivatives, OfAPointHeldTwice) {
  const Model m = compile(mechanisms::chain(6)).value();
  MaskConstraint once;
  once.name = "once", once.body_b = m.bodies().back().name, once.blocked = {0, 0, 0, 1, 1, 1};
  MaskConstraint again = once;
  again.name = "again", again.world_axes = true;
  const ConstraintSet set(m, {once, again});
  Random rng(4);
  SlopesCase c{m, set, random_state(m, rng)};
  const Column rest(c.s.v.size());
  c.s.v = rest;  // where the point moves, the two kinds of rows contradict each other
  SlopesOutcome got = run_slopes(c, DerivativeStatus::exact);
  for (int i = 0; i < 3; ++i) {
    const Column x = random_numbers(rng, m.nv());
    expect_slopes_along(c, got, {x, rest, rest}, kFar, kFarError, 0.5, std::source_location::current());
    expect_slopes_along(c, got, {rest, rest, x}, kFar, kFarError, 0.5, std::source_location::current());
  }
  EXPECT_GT(largest(got.lambda_q.numbers), 1);
}

// A Bricard loop can move only where it is closed: away from there the implied row is a new one.
TEST(ConstrainedDerivatives, OfABricardLoopHoldAlongItsMotion) {
  const LoopState l(mechanisms::bricard());
  SlopesCase c{l.model, l.set, l.s};
  c.s.a = l.tau;
  SlopesOutcome got = run_slopes(c, DerivativeStatus::along_constraints);
  Random rng(3);
  for (int i = 0; i < 3; ++i)
    expect_slopes_along(c, got, allowed_change(c, rng), kNearby, kNearbyError, 10, std::source_location::current());
  ConstrainedDerivativesWorkspace ws(l.model, l.set);
  const DerivativeCertificate& done =
      calc_constrained_derivatives(l.model, l.set, ws, c.s.q, c.s.v, c.s.a, got.a, got.lambda, got.views());
  EXPECT_EQ(done.rank, 4);
  EXPECT_EQ(done.rows.size(), 1u);
  EXPECT_FALSE(done.coordinates.empty());
  EXPECT_NE(describe(done, l.model, l.set).front().find("joint6"), std::string::npos);
}

// A parallelogram that lies flat can go on in two ways: the rank is less there, and there is no derivative.
TEST(ConstrainedDerivatives, AreRefusedWhereAMechanismBranches) {
  const LoopState l(mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = 0}));
  ConstrainedDerivativesWorkspace ws(l.model, l.set);
  SlopesOutcome got(l.model.nv(), l.set.rows());
  const Column rest(l.s.v.size());
  const DerivativeCertificate& done =
      calc_constrained_derivatives(l.model, l.set, ws, l.s.q, rest, l.tau, got.a, got.lambda, got.views());
  EXPECT_EQ(done.status, DerivativeStatus::rank_changes) << to_string(done.status);
  EXPECT_TRUE(std::isnan(got.a_q(0, 0)) && std::isnan(got.lambda_q(0, 0)));
  EXPECT_TRUE(std::isfinite(got.a_tau(0, 0)));
  EXPECT_NE(describe(done, l.model, l.set).front().find("coupler_pin"), std::string::npos);
}

TEST(ConstrainedDerivatives, OfContradictingRowsAreNotGiven) {
  const Model m = compile(mechanisms::chain(3)).value();
  MaskConstraint still, moving;
  still.name = "still", still.body_b = m.bodies().back().name, still.blocked = {0, 0, 0, 0, 0, 1};
  moving = still;
  moving.name = "moving", moving.laws = {[](double t) { return MotionSample{t * t, 2 * t, 2}; }};
  const ConstraintSet set(m, {still, moving});
  Random rng(1);
  const SlopesCase c{m, set, random_state(m, rng)};
  SlopesOutcome got = run_slopes(c, DerivativeStatus::not_solved);
  for (const Matrix* x : {&got.a_q, &got.a_v, &got.a_tau, &got.lambda_q, &got.lambda_v, &got.lambda_tau})
    EXPECT_TRUE(std::isnan(x->numbers[0]));
}

TEST(ConstrainedDerivatives, AllocateNothingAndRepeatTheirBits) {
  const LoopState l(mechanisms::stewart_platform());
  ConstrainedDerivativesWorkspace ws(l.model, l.set, {.stabilization = {0.1}});
  SlopesOutcome once(l.model.nv(), l.set.rows()), again = once;
  calc_constrained_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, once.a, once.lambda, once.views());
  calc_impulse_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, {}, again.a, again.lambda, again.impulse_views());
  AllocationCount allocations;
  calc_impulse_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, {}, again.a, again.lambda, again.impulse_views());
  calc_constrained_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, again.a, again.lambda, again.views());
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.a_q.numbers, again.a_q.numbers);
  EXPECT_EQ(once.lambda_q.numbers, again.lambda_q.numbers);
  EXPECT_EQ(once.lambda_tau.numbers, again.lambda_tau.numbers);
}

TEST(ConstrainedDerivatives, OfASetWithoutRowsAreThoseOfTheTree) {
  const Model m = compile(mechanisms::humanoid()).value();
  const ConstraintSet set(m);
  Random rng(4);
  const TreeState s = random_state(m, rng);
  SlopesOutcome got = run_slopes({m, set, s}, DerivativeStatus::exact), want(m.nv(), 0);
  AbaDerivativesWorkspace<double> ws(m);
  calc_aba_derivatives(m, ws, s.q, s.v, s.a, want.a, want.a_q, want.a_v, want.a_tau);
  EXPECT_EQ(got.a_q.numbers, want.a_q.numbers);
  EXPECT_EQ(got.a_tau.numbers, want.a_tau.numbers);
}

TEST(ConstrainedDerivatives, RefuseByName) {
  const Model m = compile(mechanisms::chain(4)).value();
  const auto message = [&](const ConstraintSet& set, const ConstrainedOptions& o = {}) -> std::string {
    try {
      ConstrainedDerivativesWorkspace ws(m, set, o);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message(ConstraintSet(m), {.method = ConstrainedMethod::pv}).find("pv"), std::string::npos);
  struct Odd : CustomConstraint {
    std::string name() const override { return "odd"; }
    int rows() const override { return 0; }
    std::vector<delassus::Entry> entries(const Model&) const override { return {}; }
    void calc(const ConstraintState&, const ConstraintOutput&) const override {}
  };
  EXPECT_NE(message(ConstraintSet(m, {std::make_shared<Odd>()})).find("'odd'"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
