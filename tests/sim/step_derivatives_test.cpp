// tests/sim/step_derivatives_test.cpp - derivatives of a step: closed forms, then central differences of the simulator
#include "sinew/sim/step_derivatives.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "sinew/model/builder.hpp"
#include "support/sanitized.hpp"
#include "support/scenario.hpp"
#include "support/step_differences.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A body on a free joint over a floor; size as of its shape.
Model body_on_floor(ShapeKind kind, double friction) {
  ModelBuilder b("body_on_floor");
  auto body = b.body("body").mass(kind == ShapeKind::sphere ? solid_sphere(2, 0.1) : solid_box(2, {0.2, 0.2, 0.2}));
  if (kind == ShapeKind::sphere)
    body.sphere(0.1);
  else
    body.box({0.1, 0.1, 0.1});
  b.free("free", "world", "body");
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction;
  return b.build().value();
}

Model load_scene(const std::string& name) { return Scenario::load(name).model(); }

struct SceneTally {
  int compared = 0, refused = 0, at_switch = 0, changed = 0, contacts = 0, sliding = 0, sticking = 0;
  int shared = 0;    // of those at a switch: not unique how contacts share a load
  int smoothed = 0;  // of all: with derivatives of relaxed laws
  double worst = 0;
};

// How many states of a scene are compared: a few, or as many as SINEW_DERIVATIVE_STATES says. Differences take long
// under a sanitizer.
int count_states(int usual) {
  const char* asked = std::getenv("SINEW_DERIVATIVE_STATES");
  return asked ? static_cast<int>(std::strtol(asked, nullptr, 10)) : is_sanitized() ? usual / 20 : usual;
}
// SINEW_DERIVATIVE_STATES_TABLE names a file that gets a row for each scene.
void write_row(const std::string& name, int samples, const SceneTally& t) {
  const char* path = std::getenv("SINEW_DERIVATIVE_STATES_TABLE");
  if (!path) return;
  std::ofstream(path, std::ios::app) << fmt::format("| {} | {} of {} | {}, {} | {:.0e} | {}, {} | {} | {} | {} |\n",
                                                    name, t.compared, samples, t.contacts, t.sliding, t.worst,
                                                    t.at_switch, t.shared, t.changed, t.refused, t.smoothed);
}

// States of a run of the scene that pushes keep moving, each moved a little so that nothing lies exactly at a switch.
SceneTally compare_scene(const std::string& name, const Model& m, int samples, int between, double push, Random& rng) {
  Differences d(m, plain_options());
  Simulation run(m, {.middle_forces = false, .refinements = 0});
  if (!m.spec().keyframes.empty()) {
    const KeyframeSpec& key = m.spec().keyframes[0];
    if (!key.q.empty()) run.state.q = key.q;
    if (!key.control.empty()) run.control = key.control;
  }
  SceneTally t;
  Simulation smooth(m, plain_options());
  StepDerivatives relaxed(smooth, {.smoothing = 1e-8});
  const std::vector<double> control = run.control;
  const State start = run.state;
  for (int i = 0; i < samples; ++i) {
    if (i % 60 == 0) run.restart(start);
    for (double& f : run.applied) f = push * rng.uniform(-1, 1);
    for (std::size_t k = 0; k < control.size(); ++k) run.control[k] = control[k] + 0.1 * rng.uniform(-1, 1);
    for (int k = 0; k < between; ++k) run.step();
    State s = run.state;
    std::vector<double> dq(s.v.size());
    for (double& x : dq) x = 2e-4 * rng.uniform(-1, 1);
    integrate(m, run.state.q, dq, 1, s.q);
    for (double& x : s.v) x += 0.05 * rng.uniform(-1, 1);
    smooth.restart(s), smooth.control = run.control, smooth.applied = run.applied;
    try {
      t.smoothed += relaxed.step().differentiable;
    } catch (const StepRefused& e) {
      if (t.refused < 3) fmt::print("{}\n", e.what());
    }
    const auto r = d.compare(s, run.control, run.applied);
    if (!r) {
      ++t.refused;
      if (t.refused < 3) fmt::print("{}\n", d.refused);
    } else if (!r->differentiable) {
      ++t.at_switch, t.shared += !r->unique;
    } else if (!r->same_modes || r->close) {
      ++t.changed;
    } else {
      ++t.compared, t.contacts += r->contacts, t.sliding += r->sliding, t.sticking += r->sticking;
      t.worst = std::max(t.worst, r->worst);
      if (r->worst > 1e-6) ADD_FAILURE() << name << ", state " << i << ": " << r->worst << ", " << r->where;
    }
  }
  fmt::print(
      "{}: {} states compared with {} contacts ({} stick, {} slide), worst {:.1e}; {} at a switch, {} within the "
      "differences, {} refused; {} share a load in many ways, {} of {} smoothed\n",
      name, t.compared, t.contacts, t.sticking, t.sliding, t.worst, t.at_switch, t.changed, t.refused, t.shared,
      t.smoothed, samples);
  write_row(name, samples, t);
  return t;
}

}  // namespace

TEST(StepDerivatives, ASlidingBlockLosesMuGDtWhateverItsSpeed) {
  const Model m = body_on_floor(ShapeKind::box, 0.3);
  Simulation s(m, plain_options(1e-3));
  StepDerivatives d(s);
  s.state.q = {1, 0, 0, 0, 0, 0, 0.1}, s.state.v = {0, 0, 0, 1, 0, 0};
  const StepDerivativesReport& r = d.step();
  EXPECT_NEAR(s.state.v[3], 1 - 0.3 * kGravity * 1e-3, 1e-15);
  EXPECT_FALSE(r.differentiable);  // the gaps are zero: a corner
  EXPECT_NEAR(d.state()(6 + 3, 6 + 3), 1, 2e-14);
  // Across its way friction brakes: p_t = mu p_n u_t / |u_t|.
  EXPECT_NEAR(d.state()(6 + 4, 6 + 4), 1 / (1 + 0.3 * kGravity * 1e-3 / s.state.v[3]), 2e-14);
  // Pushed down it is slower by mu dt / m.
  EXPECT_NEAR(d.applied()(6 + 3, 5), 0.3 * 1e-3 / 2, 2e-14);
}

// A ball that rolls keeps 5/7 of a push through its middle as velocity, and what rolls stays rolling.
TEST(StepDerivatives, ARollingBallTakesFiveSeventhsOfAPush) {
  const Model m = body_on_floor(ShapeKind::sphere, 0.8);
  SimulationOptions o = plain_options(1e-3);
  o.recovery = 1;  // no corner at a gap of zero
  Simulation s(m, o);
  StepDerivatives d(s);
  s.state.q = {1, 0, 0, 0, 0, 0, 0.1}, s.state.v = {0, 5, 0, 0.5, 0, 0};
  s.applied = {0, 0, 0, 0.7, 0, 0};
  const StepDerivativesReport& r = d.step();
  EXPECT_TRUE(r.differentiable);
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_EQ(r.rows[0].mode, StepMode::sticks);
  const double turn = 1e-3 * s.state.v[1];  // of the axes in the step
  EXPECT_NEAR(s.state.v[1] * 0.1, std::hypot(s.state.v[3], s.state.v[5]), 1e-15);
  // Along the axes at the end, which turn with it.
  const double speed = std::hypot(s.state.v[3], s.state.v[5]), gain = 5. / 7 * 1e-3 / 2;
  EXPECT_NEAR(d.applied()(6 + 3, 3), gain * (std::cos(turn) - speed * std::sin(turn) * 1e-3 / 0.1), 1e-14);
  EXPECT_NEAR(d.applied()(6 + 1, 3), 5. / 7 * 1e-3 / 2 / 0.1, 2e-14);
  EXPECT_NEAR(d.state()(6 + 1, 6 + 1), 2. / 7, 2e-14);  // spin before: I / (I + m r^2)
  EXPECT_NEAR(d.state()(6 + 1, 6 + 3), 5. / 7 / 0.1, 1e-13);
}

// A pendulum that reaches its stop within the step ends there, whatever it did before.
TEST(StepDerivatives, WhatReachesItsStopForgetsItsVelocity) {
  ModelBuilder b("pendulum");
  b.body("bob").mass(solid_sphere(1, 0.1), make_placement({0, 0, -1}));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0}).limits(-0.5, 0.5);
  const Model m = b.build().value();
  Simulation s(m, plain_options(1e-2));
  StepDerivatives d(s);
  s.state.q = {0.49}, s.state.v = {3};
  const StepDerivativesReport& r = d.step();
  EXPECT_TRUE(r.differentiable);
  ASSERT_EQ(r.rows.size(), 1u);
  EXPECT_EQ(r.rows[0].kind, StepRowKind::stop);
  EXPECT_EQ(r.rows[0].mode, StepMode::presses);
  EXPECT_NEAR(r.rows[0].distance, s.joint_impulses()[0], 0);
  EXPECT_NEAR(r.rows[0].gap, 0.01, 1e-15);
  EXPECT_NEAR(s.state.q[0], 0.5, 1e-15);
  EXPECT_NEAR(d.state()(0, 0), 0, 2e-14);
  EXPECT_NEAR(d.state()(0, 1), 0, 2e-14);
  EXPECT_NEAR(d.state()(1, 0), -100, 2e-12);
  EXPECT_NEAR(d.state()(1, 1), 0, 2e-14);
  EXPECT_NEAR(d.applied()(1, 0), 0, 1e-15);
}

// (m + dt kv + dt^2 kp) dv+ = m dv - dt kp dq + dt kp dcontrol; at its limit of force dv+ = dv.
TEST(StepDerivatives, AServoBrakesUntilItsLimit) {
  const double dt = 1e-2, kp = 200, kv = 3, mass = 2;
  ModelBuilder b("slider");
  b.gravity({});
  b.body("block").mass(solid_box(mass, {0.1, 0.1, 0.1}));
  b.prismatic("slide", "world", "block").axis({1, 0, 0});
  b.position_servo("servo", "slide", kp, kv);
  b.spec().actuators[0].force_lower = -10, b.spec().actuators[0].force_upper = 10;
  const Model m = b.build().value();
  Simulation s(m, plain_options(dt));
  StepDerivatives d(s);
  s.state.q = {0.1}, s.state.v = {0.2}, s.control = {0.12};
  const double whole = mass + dt * kv + dt * dt * kp;
  EXPECT_TRUE(d.step().differentiable);
  EXPECT_EQ(d.report().rows[0].mode, StepMode::drives);
  const double force = kp * (0.12 - s.state.q[0]) - kv * s.state.v[0];
  EXPECT_NEAR(d.report().rows[0].distance, 10 - std::abs(force), 1e-13);
  EXPECT_NEAR(d.state()(1, 1), mass / whole, 1e-14);
  EXPECT_NEAR(d.state()(1, 0), -dt * kp / whole, 1e-14);
  EXPECT_NEAR(d.control()(1, 0), dt * kp / whole, 1e-14);
  EXPECT_NEAR(d.control()(0, 0), dt * dt * kp / whole, 1e-14);
  s.restart({{0.1}, {0.2}}), s.control = {1};
  EXPECT_TRUE(d.step().differentiable);
  EXPECT_EQ(d.report().rows[0].mode, StepMode::limited);
  EXPECT_NEAR(d.state()(1, 1), 1, 1e-15);
  EXPECT_NEAR(d.state()(1, 0), 0, 1e-15);
  EXPECT_NEAR(d.control()(1, 0), 0, 1e-15);
  EXPECT_NEAR(d.applied()(1, 0), dt / mass, 1e-15);
}

// A joint with dry friction holds a small force; a larger one moves it as if there were none, less the friction.
TEST(StepDerivatives, DryFrictionHoldsOrSlides) {
  ModelBuilder b("slider");
  b.gravity({});
  b.body("block").mass(solid_box(2, {0.1, 0.1, 0.1}));
  b.prismatic("slide", "world", "block").axis({1, 0, 0}).friction(3);
  const Model m = b.build().value();
  Simulation s(m, plain_options(1e-2));
  StepDerivatives d(s);
  s.applied = {1};
  d.step();
  EXPECT_EQ(d.report().rows[0].mode, StepMode::sticks);
  EXPECT_NEAR(d.report().rows[0].distance, 2e-2, 1e-15);
  EXPECT_NEAR(d.applied()(1, 0), 0, 1e-15);
  s.restart(make_state(m)), s.applied = {5};
  d.step();
  EXPECT_EQ(d.report().rows[0].mode, StepMode::slides);
  EXPECT_NEAR(d.report().rows[0].distance, 1e-2, 1e-15);
  EXPECT_NEAR(d.applied()(1, 0), 5e-3, 1e-15);
}

// At the corner of a gap of zero each side has its own slope.
TEST(StepDerivatives, AtASwitchTheSideIsAChoice) {
  const Model m = body_on_floor(ShapeKind::sphere, 0);
  Simulation s(m, plain_options(1e-3));
  StepDerivatives d(s);
  const State rest{{1, 0, 0, 0, 0, 0, 0.1}, {0, 0, 0, 0, 0, 0}};
  s.restart(rest);
  EXPECT_FALSE(d.step().differentiable);
  EXPECT_EQ(d.report().at_switch, 1);
  EXPECT_NEAR(d.state()(5, 5), 0.8, 1e-14);  // an overlap comes back by a fifth
  d.options.side = StepSide::release;
  s.restart(rest);
  EXPECT_FALSE(d.step().differentiable);
  EXPECT_NEAR(d.state()(5, 5), 0, 1e-14);  // a gap closes
}

TEST(StepDerivatives, NamesWhatItRefuses) {
  const auto refused = [](const Model& m, const SimulationOptions& o) {
    Simulation s(m, o);
    try {
      StepDerivatives d(s);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const Model ball = body_on_floor(ShapeKind::sphere, 1);
  EXPECT_NE(refused(ball, {.dt = 1e-3}).find("middle_forces = false"), std::string::npos);
  EXPECT_NE(refused(ball, {.dt = 1e-3, .middle_forces = false}).find("refinements = 0"), std::string::npos);
  // A pair that presses and has no derivatives.
  ModelBuilder b("two");
  for (const char* name : {"lower", "upper"}) b.body(name).mass(solid_sphere(1, 0.1)).ellipsoid({0.1, 0.1, 0.2});
  b.prismatic("z1", "world", "lower").axis({0, 0, 1});
  b.prismatic("z2", "world", "upper").axis({0, 0, 1}).at({0, 0, 0.4});
  b.world().plane(make_placement({0, 0, -0.2}));
  const Model two = b.build().value();
  Simulation s(two, plain_options(1e-3));
  StepDerivatives d(s);
  try {
    d.step();
    FAIL();
  } catch (const StepRefused& e) {
    EXPECT_NE(std::string(e.what()).find("ellipsoid"), std::string::npos) << e.what();
  }
}

TEST(StepDerivatives, AreThoseOfDifferencesOfSingleBodies) {
  Random rng(3);
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::box}) {
    const Model m = body_on_floor(kind, 0.4);
    Differences d(m, plain_options(1e-3));
    int compared = 0, skipped = 0;
    for (int i = 0; i < 60; ++i) {
      State s = make_state(m);
      s.q = {1, 0, 0, 0, 0.3, -0.2, 0.1};
      std::vector<double> dq(6);
      for (double& x : dq) x = 1e-3 * rng.uniform(-1, 1);
      integrate(m, std::vector<double>(s.q), dq, 1, s.q);
      for (double& x : s.v) x = rng.uniform(-1, 1) * (i % 2 == 0 ? 1 : 1e-2);
      std::vector<double> applied(6);
      for (double& x : applied) x = rng.uniform(-1, 1);
      const auto r = d.compare(s, {}, applied);
      ASSERT_TRUE(r) << d.refused;
      if (!r->differentiable || !r->same_modes || r->close) {
        ++skipped;
        continue;
      }
      ++compared;
      EXPECT_TRUE(is_small(r->worst, 1e-6)) << to_string(kind) << ", state " << i << ": " << r->where << ", contacts "
                                            << r->contacts << ", sliding " << r->sliding;
    }
    fmt::print("{}: {} compared, {} skipped\n", to_string(kind), compared, skipped);
    EXPECT_GT(compared, 30);
  }
}

TEST(StepDerivatives, AreThoseOfDifferencesOfTheQuadruped) {
  Random rng(5);
  const int samples = count_states(120);
  const SceneTally t = compare_scene("quadruped", load_scene("quadruped"), samples, 7, 3, rng);
  EXPECT_GE(t.compared, 4 * samples / 5);
}
TEST(StepDerivatives, AreThoseOfDifferencesOfTheGripper) {
  Random rng(6);
  const int samples = count_states(120);
  const SceneTally t = compare_scene("gripper", load_scene("gripper"), samples, 3, 0.3, rng);
  EXPECT_GE(t.compared, 4 * samples / 5);
}
TEST(StepDerivatives, AreThoseOfDifferencesOfTheHumanoid) {
  Random rng(7);
  const int samples = count_states(60);
  const SceneTally t = compare_scene("humanoid_falls", load_scene("humanoid_falls"), samples, 15, 5, rng);
  EXPECT_GE(t.compared, samples / 2);
}
// Boxes dropped on each other in all directions.
static Model heap_of_boxes(int boxes, Random& rng) {
  ModelBuilder b("heap");
  for (int i = 0; i < boxes; ++i) {
    const std::string name = fmt::format("box{}", i);
    const Vec3<double> half{rng.uniform(0.03, 0.08), rng.uniform(0.03, 0.08), rng.uniform(0.03, 0.08)};
    b.body(name).mass(solid_box(1, half)).box(half).friction(0.4);
    b.free(name, "world", name);
    KeyframeSpec* key = b.spec().keyframes.empty() ? &b.spec().keyframes.emplace_back() : &b.spec().keyframes[0];
    const auto turn = normalized(Quaternion<double>{rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    for (const double x :
         {turn.w, turn.x, turn.y, turn.z, rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05), 0.1 + 0.13 * i})
      key->q.push_back(x);
  }
  b.world().plane().friction(0.4);
  b.timestep(2e-3);
  return b.build().value();
}
TEST(StepDerivatives, AreThoseOfDifferencesOfAHeapOfBoxes) {
  Random rng(9);
  const Model m = heap_of_boxes(5, rng);
  const int samples = count_states(60);
  const SceneTally t = compare_scene("heap", m, samples, 5, 0.5, rng);
  EXPECT_GE(t.compared, samples / 3);
}
// Ten boxes with four points each share their load in many ways: seldom a derivative, and then a right one.
TEST(StepDerivatives, OfABoxStackAreReportedOrRight) {
  Random rng(8);
  const SceneTally t = compare_scene("box_stack", load_scene("box_stack"), is_sanitized() ? 1 : 4, 3, 0.5, rng);
  EXPECT_EQ(t.refused, 0);
}

// A run of the quadruped with friction 0.3 and a tenth more mass in a leg, as far as the parameters of one step go.
namespace {
struct Parameters {
  double friction = 0.3, mass = 0, com = 0, inertia = 0;
  std::array<double, 6> floor{};  // its turn and shift
};
Model quadruped_with(const Parameters& p, const std::string& body) {
  ModelSpec spec = load_scene("quadruped").spec();
  for (ShapeSpec& s : spec.shapes) s.friction = p.friction;
  const auto& f = p.floor;
  for (ShapeSpec& s : spec.shapes)
    if (s.kind == ShapeKind::plane) s.pose = make_placement({f[3], f[4], f[5]}, {f[0], f[1], f[2]});
  for (BodySpec& b : spec.bodies)
    if (b.name == body) b.mass += p.mass, b.com.x += p.com, b.inertia.yy += p.inertia;
  return compile(spec).value();
}
}  // namespace

TEST(StepDerivatives, ByFrictionAndInertiaAreThoseOfDifferences) {
  const Model m = quadruped_with({}, "");
  Simulation run(m, {.middle_forces = false, .refinements = 0});
  if (!m.spec().keyframes[0].q.empty()) run.state.q = m.spec().keyframes[0].q;
  if (!m.spec().keyframes[0].control.empty()) run.control = m.spec().keyframes[0].control;
  run.state.v[3] += 0.4;
  SimulationOptions o = plain_options();
  o.recovery = 1;  // no corner at a gap of zero
  const int body = static_cast<int>(m.bodies().size()) - 2;
  const std::string name = m.bodies()[at(body)].name;
  const auto shapes = m.spec().shapes;
  const int floor = static_cast<int>(
      std::find_if(shapes.begin(), shapes.end(), [](const ShapeSpec& x) { return x.kind == ShapeKind::plane; }) -
      shapes.begin());
  int slides = 0;
  for (int i = 0; i < 40; ++i) {
    run.step();
    const State start = run.state;
    const auto take = [&](const Parameters& p) {
      const Model changed = quadruped_with(p, name);
      Simulation s(changed, o);
      s.state = start, s.control = run.control;
      StepDerivatives d(s);
      d.step();
      std::vector<double> x(2 * at(m.nv()));
      difference(m, start.q, s.state.q, VectorView<double>(x.data(), at(m.nv())));
      std::copy(s.state.v.begin(), s.state.v.end(), x.begin() + m.nv());
      return x;
    };
    Simulation s(m, o);
    s.state = start, s.control = run.control;
    StepDerivatives d(s);
    const StepDerivativesReport& r = d.step();
    bool close = !r.differentiable;
    int sliding = 0;
    for (const StepRow& row : r.rows) {
      const bool mine = row.kind == StepRowKind::contact && row.mode == StepMode::slides;
      sliding += mine, close = close || (mine && row.distance < 5e-3) || row.distance < 1e-5;
    }
    if (close || sliding == 0) continue;
    slides += sliding;
    const std::size_t rows = 2 * at(m.nv()), contacts = s.contacts().size();
    std::vector<double> by_friction(rows * contacts), by_inertia(rows * 10);
    d.calc_by_friction({by_friction.data(), rows, contacts});
    d.calc_by_inertia(body, {by_inertia.data(), rows, 10});
    // least: a scale below which nothing should change.
    const auto compare = [&](const char* what, Parameters more, Parameters less, double h, auto slope,
                             double least = 0) {
      const std::vector<double> a = take(more), b = take(less);
      double scale = least;
      for (std::size_t k = 0; k < rows; ++k) scale = std::max(scale, std::abs(slope(k)));
      for (std::size_t k = 0; k < rows; ++k)
        EXPECT_NEAR((a[k] - b[k]) / (2 * h), slope(k), 1e-6 * scale) << what << ", step " << i << ", row " << k;
    };
    compare("friction", {.friction = 0.3 + 1e-5}, {.friction = 0.3 - 1e-5}, 1e-5, [&](std::size_t k) {
      double sum = 0;
      for (std::size_t c = 0; c < contacts; ++c) sum += by_friction[k * contacts + c];
      return sum;
    });
    std::vector<double> by_place(rows * 6);
    d.calc_by_placement(floor, {by_place.data(), rows, 6});
    for (std::size_t axis = 0; axis < 6; ++axis) {
      Parameters more, less;
      more.floor[axis] = 1e-6, less.floor[axis] = -1e-6;
      compare(
          "floor", more, less, 1e-6, [&](std::size_t k) { return by_place[k * 6 + axis]; }, 1);
    }
    // pi: m, m c, and the inertia about the origin, I + m (c^2 - c c^T).
    const BodySpec& spec = *std::find_if(m.spec().bodies.begin(), m.spec().bodies.end(),
                                         [&](const BodySpec& b) { return b.name == name; });
    const Vec3<double> c = spec.com;
    const auto along = [&](std::size_t k, double dm, const Vec3<double>& dh, const std::array<double, 6>& dI) {
      const double* y = by_inertia.data() + k * 10;
      double sum = y[0] * dm + y[1] * dh.x + y[2] * dh.y + y[3] * dh.z;
      for (std::size_t l = 0; l < 6; ++l) sum += y[4 + l] * dI[l];
      return sum;
    };
    compare("mass", {.mass = 1e-3 * spec.mass}, {.mass = -1e-3 * spec.mass}, 1e-3 * spec.mass, [&](std::size_t k) {
      return along(
          k, 1, c,
          {c.y * c.y + c.z * c.z, -c.x * c.y, -c.x * c.z, c.x * c.x + c.z * c.z, -c.y * c.z, c.x * c.x + c.y * c.y});
    });
    const double mass = spec.mass;
    compare("centre", {.com = 1e-5}, {.com = -1e-5}, 1e-5, [&](std::size_t k) {
      return along(k, 0, {mass, 0, 0}, {0, -mass * c.y, -mass * c.z, 2 * mass * c.x, 0, 2 * mass * c.x});
    });
    const double moment = spec.inertia.yy;
    compare("inertia", {.inertia = 1e-3 * moment}, {.inertia = -1e-3 * moment}, 1e-3 * moment, [&](std::size_t k) {
      return along(k, 0, {}, {0, 0, 0, 1, 0, 0});
    });
  }
  EXPECT_GT(slides, 5);
}

}  // namespace sinew::test
