// tests/sim/loop_step_derivatives_test.cpp - derivatives of steps of models with loops and couplings, as rows and
// embedded: central differences of the simulator, and closed forms
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/step_derivatives.hpp"
#include "support/sanitized.hpp"
#include "support/step_differences.hpp"

namespace sinew::test {
namespace {

// A four-bar whose coupler and rocker carry balls, over the ground, with a motor, damping and dry friction.
ModelSpec struck_four_bar() {
  ModelSpec spec = mechanisms::four_bar();
  spec.shapes.clear();
  const auto add = [&](const std::string& body, ShapeKind kind, double size, const Vec3<double>& place) {
    ShapeSpec& s = spec.shapes.emplace_back();
    s.name = body + "_shape", s.body = body, s.kind = kind, s.size = {size, 0, 0}, s.friction = 0.4, s.pose.r = place;
  };
  add("coupler", ShapeKind::sphere, 0.03, {0.2, 0, 0});
  add(spec.world, ShapeKind::plane, 0, {0, 0, 0.55});
  for (JointSpec& j : spec.joints) {
    if (j.dofs.empty()) j.dofs.resize(1);
    j.dofs[0].damping = 0.01, j.dofs[0].friction = 0.02;
  }
  ActuatorSpec& a = spec.actuators.emplace_back();
  a.name = "motor", a.target = "crank_joint", a.bias = {0, -0.5, -0.01}, a.gain = {1, 0, 0};
  spec.timestep = 1e-3;
  return spec;
}

// Two fingers hold a box between four balls; the right one follows the left one, 0.8 q + 3 q^2. A finger of two joints
// that mimic each other lies on the box.
Model coupled_gripper() {
  ModelBuilder b("coupled_gripper");
  const Vec3<double> half{0.03, 0.04, 0.035};
  const auto finger = [&](const std::string& name, double side) {
    auto body = b.body(name).mass(solid_box(0.2, {0.02, 0.04, 0.08}));
    for (const double z : {-0.02, 0.02}) body.sphere(0.012, make_placement({0, 0.01 * side, z})).friction(0.7);
    b.prismatic(name + "_slide", "world", name).at({0.0421 * side, 0, 0.4}).axis({-side, 0, 0}).damping(2);
  };
  finger("left", -1), finger("right", 1);
  b.couple({.name = "mimic", .dependent = "right_slide", .terms = {{"left_slide", {0.8, 3}}}});
  b.body("proximal").mass(solid_box(0.1, {0.02, 0.02, 0.1}), make_placement({0.05, 0, 0}));
  b.body("distal").mass(solid_box(0.05, {0.02, 0.02, 0.1}), make_placement({0.04, 0, 0}));
  b.revolute("proximal_joint", "world", "proximal").at({-0.12, 0, 0.49}).axis({0, 1, 0}).damping(0.01);
  b.revolute("distal_joint", "proximal", "distal").at({0.1, 0, 0}).axis({0, 1, 0}).neutral({0.3}).damping(0.01);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.7;
  ShapeSpec& tip = b.spec().shapes.emplace_back();
  tip.name = "tip", tip.body = "distal", tip.kind = ShapeKind::sphere, tip.size = {0.012, 0, 0}, tip.friction = 0.5;
  tip.pose.r = {0.03, 0.005, 0};
  b.gear("finger_mimic", "distal_joint", "proximal_joint", 0.7, 0.3);
  b.body("box").mass(solid_box(0.15, {2 * half.x, 2 * half.y, 2 * half.z})).box(half).friction(0.7);
  b.free("box_joint", "world", "box");
  b.motor("grip", "left_slide"), b.motor("press", "proximal_joint");
  KeyframeSpec& key = b.spec().keyframes.emplace_back();
  key.q = {0, 0, 0.237, 0.4659, 1, 0, 0, 0, 0, 0, 0.4}, key.control = {8, 0.5};
  b.timestep(1e-3);
  return b.build().value();
}

// A floating base whose two legs meet at a foot (a five-bar), three feet on the floor, falling. twice: the loop is
// closed by two pins at the same place.
Model falling_five_bar(bool twice, bool planar) {
  ModelBuilder b("falling_five_bar");
  const MassProperties link = solid_box(0.3, {0.03, 0.03, 0.2});
  b.body("base").mass(solid_box(2, {0.3, 0.1, 0.06})).sphere(0.03, make_placement({0.3, 0.1, -0.25}));
  const Vec3<double> upright{std::acos(0.0), 0, 0};
  if (planar)
    b.planar("root", "world", "base").at({}, upright).on_child({}, upright);
  else
    b.free("root", "world", "base");
  const double hip = 0.3, knee = hip + std::asin(0.5 + std::sin(hip));  // the feet meet
  for (const double side : {-1.0, 1.0}) {
    const std::string s = side < 0 ? "left" : "right";
    b.body(s + "_thigh").mass(link, make_placement({0, 0, -0.1}));
    b.body(s + "_shank").mass(link, make_placement({0, 0, -0.1}));
    b.revolute(s + "_hip", "base", s + "_thigh")
        .at({0.1 * side, 0, 0})
        .axis({0, 1, 0})
        .neutral({-hip * side})
        .damping(0.1)
        .friction(0.05);
    b.revolute(s + "_knee", s + "_thigh", s + "_shank")
        .at({0, 0, -0.2})
        .axis({0, 1, 0})
        .neutral({knee * side})
        .damping(0.1);
    b.motor(s + "_motor", s + "_hip");
  }
  const auto pin = [&](const std::string& name) {
    LoopSpec l;
    l.name = name, l.kind = JointKind::revolute, l.axis = {0, 1, 0};
    l.body_a = "left_shank", l.body_b = "right_shank", l.pose_a.r = l.pose_b.r = {0, 0, -0.2};
    b.loop(l);
  };
  pin("ankle");
  if (twice) pin("second_pin");
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.5;
  for (const char* body : {"left_shank", "base"}) {
    ShapeSpec& s = b.spec().shapes.emplace_back();
    s.name = std::string(body) + "_ball", s.body = body, s.kind = ShapeKind::sphere, s.size = {0.03, 0, 0};
    s.friction = 0.5, s.pose.r = std::string(body) == "base" ? Vec3<double>{-0.25, 0, -0.2} : Vec3<double>{0, 0, -0.2};
  }
  b.world().plane().friction(0.5);
  b.timestep(1e-3);
  return b.build().value();
}

struct LoopTally {
  int compared = 0, at_switch = 0, changed = 0, refused = 0, contacts = 0, sliding = 0, least_rank = 1 << 20;
  int smoothed = 0;
  double worst = 0;
};

// States of runs that pushes keep moving, each moved a little, out of its loops too.
LoopTally compare_runs(const Model& m, const State& start, std::vector<double> control, LoopMethod loops, int samples,
                       int between, double push, double away = 2e-4) {
  SimulationOptions o = plain_options();
  o.loops = loops;
  Differences d(m, o);
  d.force_step = 1e-3;
  SimulationOptions plain{.middle_forces = false, .refinements = 0};
  plain.loops = loops;
  Random rng(11);
  LoopTally t;
  std::unique_ptr<Simulation> run;
  if (is_sanitized()) samples = std::max(2, samples / 10);
  for (int i = 0; i < samples; ++i) {
    if (i % 40 == 0) run = std::make_unique<Simulation>(m, plain), run->state = start;
    for (double& f : run->applied) f = push * rng.uniform(-1, 1);
    for (std::size_t k = 0; k < control.size(); ++k) run->control[k] = control[k] * rng.uniform(0.7, 1.3);
    for (int k = 0; k < between; ++k) run->step();
    State s = run->state;
    std::vector<double> dq(s.v.size());
    for (double& x : dq) x = away * rng.uniform(-1, 1);
    integrate(m, run->state.q, dq, 1, s.q);
    for (double& x : s.v) x += 100 * away * rng.uniform(-1, 1);
    const auto r = d.compare(s, run->control, run->applied);
    if (!r) {
      if (++t.refused < 3) fmt::print("{}\n", d.refused);
    } else if (!r->differentiable) {
      ++t.at_switch;
    } else if (!r->same_modes || r->close) {
      ++t.changed;
    } else {
      ++t.compared, t.contacts += r->contacts, t.sliding += r->sliding;
      t.worst = std::max(t.worst, r->worst);
      if (r->worst > 1e-6) ADD_FAILURE() << "state " << i << ": " << r->worst << ", " << r->where;
    }
  }
  fmt::print(
      "{} {}: {} of {} compared with {} contacts ({} slide), worst {:.1e}; {} at a switch, {} changed, {} refused\n",
      m.name(), to_string(loops), t.compared, samples, t.contacts, t.sliding, t.worst, t.at_switch, t.changed,
      t.refused);
  return t;
}

State keyframe_state(const Model& m) {
  State s = make_state(m);
  if (!m.spec().keyframes.empty() && !m.spec().keyframes[0].q.empty()) s.q = m.spec().keyframes[0].q;
  return s;
}

}  // namespace

TEST(LoopStepDerivatives, OfAFourBarAreThoseOfDifferences) {
  const Model m = compile(struck_four_bar()).value();
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    const LoopTally t = compare_runs(m, make_state(m), {0.3}, loops, 60, 25, 0.05);
    EXPECT_GE(t.compared, is_sanitized() ? 1 : 40);
    EXPECT_GT(t.contacts, is_sanitized() ? -1 : 10);
  }
}

TEST(LoopStepDerivatives, OfACoupledGripperAreThoseOfDifferences) {
  const Model m = coupled_gripper();
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    const LoopTally t = compare_runs(m, keyframe_state(m), {8, 0.5}, loops, 60, 5, 0.05);
    EXPECT_GE(t.compared, is_sanitized() ? 1 : 30);
    EXPECT_GT(t.contacts, is_sanitized() ? -1 : 60);
  }
}

TEST(LoopStepDerivatives, OfAFallingFiveBarAreThoseOfDifferences) {
  for (const bool planar : {false, true})
    for (const bool twice : {false, true}) {
      const Model m = falling_five_bar(twice, planar);
      State start = make_state(m);
      start.q[planar ? 2 : 6] = 0.45;
      for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
        if (twice && loops == LoopMethod::embed) continue;
        const LoopTally t = compare_runs(m, start, {1, -1}, loops, 40, 17, 0.5);
        EXPECT_GE(t.compared, is_sanitized() ? 1 : 20);
        EXPECT_GT(t.contacts, is_sanitized() ? -1 : 10);
      }
    }
}

// Six legs on universal joints, closed by points: embedded, joints of several freedoms follow in part.
TEST(LoopStepDerivatives, OfAStewartPlatformAreThoseOfDifferences) {
  ModelSpec spec = mechanisms::stewart_platform();
  spec.shapes.clear(), spec.timestep = 1e-3;
  const Model m = compile(spec).value();
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    const LoopTally t = compare_runs(m, make_state(m), {}, loops, 8, 11, 0.5);
    EXPECT_EQ(t.at_switch, 0);
    EXPECT_GE(t.compared, is_sanitized() ? 1 : 7);
  }
}

// The five rows of Bricard's loop are four where it is closed, and five elsewhere: reported.
TEST(LoopStepDerivatives, OfRowsThatAreImpliedInPlacesAreReported) {
  ModelSpec spec = mechanisms::bricard();
  spec.timestep = 1e-3;
  const Model m = compile(spec).value();
  Simulation s(m, {.middle_forces = false, .refinements = 0});
  StepDerivatives d(s);
  for (int i = 0; i < 5; ++i) {
    const StepDerivativesReport& r = d.step();
    EXPECT_EQ(r.rank, 4);
    EXPECT_EQ(r.size, 5);
    EXPECT_GT(r.inconsistency, 1e-6);
    EXPECT_FALSE(r.differentiable);
  }
}

// A crank turns a slider through a gear: (m + i^2 I) du = dt df. Closed form.
TEST(LoopStepDerivatives, OfAGearedSlider) {
  const double ratio = 0.3, mass = 2, inertia = solid_sphere(1, 0.1).inertia.xx, dt = 1e-2;
  ModelBuilder b("geared");
  b.gravity({});
  b.body("wheel").mass(solid_sphere(1, 0.1)), b.body("block").mass(solid_box(mass, {0.1, 0.1, 0.1}));
  b.revolute("axle", "world", "wheel").axis({0, 1, 0});
  b.prismatic("slide", "world", "block").axis({1, 0, 0});
  b.gear("rack", "slide", "axle", ratio);
  const Model m = b.build().value();
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    SimulationOptions o = plain_options(dt);
    o.loops = loops;
    Simulation s(m, o);
    StepDerivatives d(s);
    s.state.q = {0.5, 0.15}, s.state.v = {1, 0.3}, s.applied = {0.2, 0};
    const StepDerivativesReport& r = d.step();
    EXPECT_TRUE(r.differentiable);
    EXPECT_EQ(r.rank, 1);
    const double gain = dt / (inertia + ratio * ratio * mass);
    EXPECT_NEAR(d.applied()(2, 0), gain, 1e-15);
    EXPECT_NEAR(d.applied()(3, 0), ratio * gain, 1e-15);
    EXPECT_NEAR(d.applied()(2, 1), ratio * gain, 1e-15);
    // Along the gear nothing brakes.
    EXPECT_NEAR(d.state()(3, 2) + ratio * d.state()(3, 3), ratio, 1e-15);
    EXPECT_NEAR(d.state()(1, 0) + ratio * d.state()(1, 1), ratio, 1e-15);
    if (loops == LoopMethod::embed) continue;
    EXPECT_NEAR(d.state()(3, 2), ratio * inertia / (inertia + ratio * ratio * mass), 1e-15);
    // An error of the gear's position comes back by a fifth in each step.
    EXPECT_NEAR(d.state()(1, 1) - ratio * d.state()(0, 1), 0.8, 1e-15);
  }
}

// The planar five-bar with parameters that differ a little, and states of it that touch the floor.
namespace {
struct Changes {
  double friction = 0, mass = 0;
  std::array<double, 6> ball{}, floor{};
};
Model changed_five_bar(const Changes& c) {
  ModelSpec spec = falling_five_bar(false, true).spec();
  for (ShapeSpec& s : spec.shapes) {
    s.friction += c.friction;
    const bool floor = s.kind == ShapeKind::plane;
    if (!floor && s.name != "left_shank_ball") continue;
    const std::array<double, 6>& x = floor ? c.floor : c.ball;
    s.pose = s.pose * make_placement({x[3], x[4], x[5]}, {x[0], x[1], x[2]});
  }
  for (BodySpec& b : spec.bodies)
    if (b.name == "left_shank") b.mass += c.mass;
  return compile(spec).value();
}
int find_shape(const Model& m, ShapeKind kind, const std::string& body) {
  const auto& all = m.spec().shapes;
  const auto is_it = [&](const ShapeSpec& s) { return s.kind == kind && (body.empty() || s.body == body); };
  return static_cast<int>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
}
// visit(start): states of a run that is pushed about on the floor, until it has been true `wanted` times.
template <class Visit>
int visit_touching(const Model& m, const SimulationOptions& o, int wanted, Visit visit) {
  Random rng(4);
  State lifted = make_state(m);
  lifted.q[2] = 0.36;
  std::unique_ptr<Simulation> run;
  int done = 0;
  for (int i = 0; i < 3000 && done < wanted; ++i) {
    if (i % 300 == 0) run = std::make_unique<Simulation>(m, o), run->state = lifted;
    if (i % 25 == 0)
      for (double& f : run->applied) f = 0.5 * rng.uniform(-1, 1);
    run->step();
    if (i % 11 != 0 || run->contacts().empty()) continue;
    State start = run->state;
    for (double& x : start.q) x += 2e-4 * rng.uniform(-1, 1);
    for (double& x : start.v) x += 0.1 * rng.uniform(-1, 1);
    done += visit(start);
  }
  return done;
}
int count_contacts(const StepDerivativesReport& r, StepMode mode) {
  const auto is_it = [&](const StepRow& x) { return x.kind == StepRowKind::contact && x.mode == mode; };
  return static_cast<int>(std::count_if(r.rows.begin(), r.rows.end(), is_it));
}
}  // namespace

TEST(LoopStepDerivatives, ByParametersAreThoseOfDifferences) {
  const Model m = changed_five_bar({});
  const int floor = find_shape(m, ShapeKind::plane, ""), ball = find_shape(m, ShapeKind::sphere, "left_shank");
  const BodySpec& shank = *std::find_if(m.spec().bodies.begin(), m.spec().bodies.end(),
                                        [](const BodySpec& x) { return x.name == "left_shank"; });
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    SimulationOptions o = plain_options();
    o.loops = loops, o.recovery = 1;  // no corner at a gap of zero
    double worst = 0;
    const int compared = visit_touching(m, o, is_sanitized() ? 2 : 12, [&](const State& start) {
      Simulation s(m, o);
      s.state = start;
      StepDerivatives d(s);
      const StepDerivativesReport& r = d.step();
      bool close = !r.differentiable || count_contacts(r, StepMode::slides) == 0;
      for (const StepRow& x : r.rows)
        close = close || x.distance < 1e-5 || (x.mode == StepMode::slides && x.distance < 5e-3);
      if (close) return false;
      const std::size_t rows = 2 * at(m.nv()), contacts = s.contacts().size();
      const auto compare = [&](const char* what, double h, auto change, auto slope, double least) {
        std::array<std::vector<double>, 2> ends;
        for (const int k : {0, 1}) {
          Changes c;
          change(c, k == 0 ? h : -h);
          const Model other = changed_five_bar(c);
          Simulation t(other, o);
          t.state = start;
          t.step();
          ends[at(k)].resize(rows);
          difference(m, s.state.q, t.state.q, VectorView<double>(ends[at(k)].data(), rows / 2));
          std::copy(t.state.v.begin(), t.state.v.end(), ends[at(k)].begin() + m.nv());
        }
        double scale = least;
        for (std::size_t k = 0; k < rows; ++k) scale = std::max(scale, std::abs(slope(k)));
        for (std::size_t k = 0; k < rows; ++k) {
          const double found = (ends[0][k] - ends[1][k]) / (2 * h);
          worst = std::max(worst, std::abs(found - slope(k)) / scale);
          EXPECT_NEAR(found, slope(k), 1e-6 * scale) << what << ", row " << k;
        }
      };
      std::vector<double> by(rows * std::max<std::size_t>(10, contacts));
      d.calc_by_friction({by.data(), rows, contacts});
      compare(
          "friction", 1e-5, [](Changes& c, double h) { c.friction = h; },
          [&](std::size_t k) {
            double sum = 0;
            for (std::size_t c = 0; c < contacts; ++c) sum += by[k * contacts + c];
            return sum;
          },
          1e-3);
      for (std::size_t axis = 0; axis < 6; ++axis) {
        const auto entry = [&](std::size_t k) { return by[k * 6 + axis]; };
        d.calc_by_placement(floor, {by.data(), rows, 6});
        compare(
            "floor", 1e-6, [&](Changes& c, double h) { c.floor[axis] = h; }, entry, 1);
        d.calc_by({StepParameter::Kind::placement, ball}, {by.data(), rows, 6});
        compare(
            "ball", 1e-6, [&](Changes& c, double h) { c.ball[axis] = h; }, entry, 1);
      }
      const Vec3<double> c = shank.com;
      d.calc_by_inertia(*m.find_body("left_shank"), {by.data(), rows, 10});
      compare(
          "mass", 1e-3 * shank.mass, [](Changes& x, double h) { x.mass = h; },
          [&](std::size_t k) {
            const double* y = by.data() + k * 10;
            return y[0] + y[1] * c.x + y[2] * c.y + y[3] * c.z + y[4] * (c.y * c.y + c.z * c.z) - y[5] * c.x * c.y -
                   y[6] * c.x * c.z + y[7] * (c.x * c.x + c.z * c.z) - y[8] * c.y * c.z +
                   y[9] * (c.x * c.x + c.y * c.y);
          },
          1e-3);
      return true;
    });
    fmt::print("{}: {} states, worst {:.1e}\n", to_string(loops), compared, worst);
    EXPECT_GE(compared, is_sanitized() ? 1 : 5);
  }
}

// With a tenth of kappa the smoothed derivatives are ten times nearer to the exact ones.
TEST(LoopStepDerivatives, SmoothedTendToTheExactOnes) {
  const Model m = changed_five_bar({});
  for (const LoopMethod loops : {LoopMethod::rows, LoopMethod::embed}) {
    SimulationOptions o = plain_options();
    o.loops = loops;
    const int compared = visit_touching(m, o, 5, [&](const State& start) {
      const auto calc = [&](double kappa, StepDerivativesReport& r) {
        Simulation s(m, o);
        s.state = start;
        StepDerivatives d(s, {.smoothing = kappa});
        r = d.step();
        return std::vector<double>(d.state().data(), d.state().data() + d.state().rows() * d.state().cols());
      };
      StepDerivativesReport exact, relaxed;
      const std::vector<double> limit = calc(0, exact);
      bool near = !exact.differentiable;
      for (const StepRow& r : exact.rows) near = near || r.distance < 1e-4 || r.gap < 5e-6;
      if (near || count_contacts(exact, StepMode::open) == static_cast<int>(exact.rows.size())) return false;
      std::array<double, 3> off{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::vector<double> x = calc(1e-8 * std::pow(0.1, k), relaxed);
        EXPECT_TRUE(relaxed.differentiable);
        for (std::size_t j = 0; j < x.size(); ++j) off[k] = std::max(off[k], std::abs(x[j] - limit[j]));
      }
      EXPECT_NEAR(std::log10(off[0] / off[1]), 1, 2e-2) << off[0] << ", " << off[1];
      EXPECT_NEAR(std::log10(off[1] / off[2]), 1, 2e-3) << off[1] << ", " << off[2];
      return true;
    });
    EXPECT_GT(compared, 2) << to_string(loops);
  }
}

TEST(LoopStepDerivatives, NameWhatTheyRefuse) {
  ModelSpec spec = struck_four_bar();
  for (ShapeSpec& s : spec.shapes) s.restitution = 0.5;
  const Model m = compile(spec).value();
  Simulation s(m, plain_options());
  StepDerivatives d(s);
  std::string why;
  for (int i = 0; i < 1000 && why.empty(); ++i) try {
      d.step();
    } catch (const StepRefused& e) {
      why = e.what();
    }
  EXPECT_NE(why.find("coupler_shape"), std::string::npos) << why;
  EXPECT_NE(why.find("bounces, and impacts of models with loops or couplings"), std::string::npos) << why;
}

}  // namespace sinew::test
