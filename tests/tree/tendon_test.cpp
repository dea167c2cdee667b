// tests/tree/tendon_test.cpp - lengths of tendons, their rows and their rates. Beside MuJoCo:
// tests/apps/test_tendons.py
#include "sinew/tree/tendon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/model/builder.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// A ball in space with a frame at its origin, a sphere and a cylinder at the world's origin, and frames beside them.
ModelBuilder make_yard(double radius) {
  ModelBuilder b("yard");
  b.body("rock").mass(1, {}, Sym3<double>::diagonal(1, 1, 1)).sphere(radius).cylinder(radius, 0.1).frame("inside", {});
  b.spec().shapes[0].name = "sphere", b.spec().shapes[1].name = "cylinder";
  b.fixed("held", "world", "rock");
  b.body("ball").mass(1, {}, Sym3<double>::diagonal(1, 1, 1)).frame("end");
  b.free("fly", "world", "ball");
  b.spec().frames.push_back({"start", "world", make_placement({-2, 0, 0}), {}});
  b.spec().frames.push_back({"above", "world", make_placement({0, 3, 0}), {}});
  b.spec().frames.push_back({"below", "world", make_placement({0, -3, 0}), {}});
  return b;
}
double length_with_end_at(const ModelBuilder& b, const Vec3<double>& end) {
  const Model m = b.build().value();
  TendonWorkspace ws(m);
  KinematicsWorkspace<double> at_q(m);
  const std::vector<double> q{1, 0, 0, 0, end.x, end.y, end.z};
  calc_kinematics<double>(m, at_q, q);
  calc_tendons(m, ws, at_q, q);
  return ws.length[0];
}

// A chain of three hinges and a slide with a shape on the second body, and a ball that flies.
Model make_arm() {
  ModelBuilder b("arm");
  const char* names[] = {"a", "b", "c"};
  std::string parent = "world";
  for (int i = 0; i < 3; ++i) {
    b.body(names[i])
        .mass(1, {0.1, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1))
        .frame(std::string(names[i]) + "0", make_placement({0.1, 0.2, 0.1}));
    b.revolute(std::string("j") + names[i], parent, names[i]).at({0.3, 0, 0.05}, {0.2, 0.4, 0.1}).axis({0.1, 0.2, 1});
    parent = names[i];
  }
  b.spec().shapes.clear();
  b.body("d").mass(1, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)).frame("d0", make_placement({0.4, -0.1, 0}));
  b.prismatic("jd", "c", "d").axis({0, 1, 0});
  b.body("fly").mass(1, {}, Sym3<double>::diagonal(0.1, 0.2, 0.3)).frame("f0", make_placement({0.1, 0, 0}));
  b.free("jf", "world", "fly");
  const auto shape = [&](const char* name, ShapeKind kind, double radius) {
    ShapeSpec s;
    s.name = name, s.body = "b", s.kind = kind, s.size = {radius, 0.2, 0}, s.collides = false;
    s.pose = make_placement({0.15, 0.1, 0}, {0.3, 0.2, 0.1});
    b.spec().shapes.push_back(s);
  };
  shape("drum", ShapeKind::cylinder, 0.12), shape("knob", ShapeKind::sphere, 0.15);
  b.spec().frames.push_back({"w0", "world", make_placement({-0.4, 0.6, 0.3}), {}});
  b.spec().frames.push_back({"in", "b", make_placement({0.16, 0.1, 0.01}), {}});
  b.spec().frames.push_back({"out", "b", make_placement({0.15, -0.6, 0}), {}});
  b.tendon("sum").joint("ja", 0.5).joint("jd", -2).joint("jc", 1.5);
  b.tendon("straight").through("w0").through("b0").through("d0").through("f0");
  b.tendon("drum").through("w0").around("drum").through("d0");
  b.tendon("drum_side").through("w0").around("drum", "out").through("f0");
  b.tendon("drum_in").through("w0").around("drum", "in").through("f0");
  b.tendon("knob")
      .through("a0")
      .around("knob")
      .through("d0")
      .pulley(2)
      .through("w0")
      .around("knob", "out")
      .through("f0");
  b.tendon("knob_in").through("w0").around("knob", "in").through("f0");
  return b.build().value();
}

}  // namespace

TEST(Tendon, AroundASphereItIsTwoTangentsAndAnArc) {
  const double r = 0.5;
  ModelBuilder b = make_yard(r);
  b.tendon("t").through("start").around("sphere").through("end");
  const double straight = std::sqrt(4 - r * r), touch = std::acos(r / 2);
  // Ends opposite each other; at a right angle, where the string is free; far off.
  EXPECT_TRUE(near(length_with_end_at(b, {2, 0, 0}), 2 * straight + r * (std::numbers::pi - 2 * touch), 10));
  EXPECT_TRUE(near(length_with_end_at(b, {0, 0, 2}), std::sqrt(8), 10));
  const double bent = 2.9;  // angle between the ends
  EXPECT_TRUE(near(length_with_end_at(b, {-2 * std::cos(bent), 2 * std::sin(bent), 0}),
                   2 * straight + r * (bent - 2 * touch), 10));
  // An end inside the sphere: straight.
  EXPECT_TRUE(near(length_with_end_at(b, {0.1, 0, 0}), 2.1, 10));
}

TEST(Tendon, AroundACylinderItClimbsEvenly) {
  const double r = 0.5;
  ModelBuilder b = make_yard(r);
  b.tendon("t").through("start").around("cylinder").through("end");
  const double flat = 2 * std::sqrt(4 - r * r) + r * (std::numbers::pi - 2 * std::acos(r / 2));
  EXPECT_TRUE(near(length_with_end_at(b, {2, 0, 1.3}), std::hypot(flat, 1.3), 10));
}

TEST(Tendon, GoesAroundOnTheSideThatIsGiven) {
  const double r = 0.5, away = 0.4;  // the end is above the axis, so that the short way is above
  const Vec3<double> end{2 * std::cos(away), 2 * std::sin(away), 0};
  const double tangents = 2 * std::sqrt(4 - r * r) - 2 * r * std::acos(r / 2);
  for (const char* shape : {"sphere", "cylinder"}) {
    ModelBuilder above = make_yard(r), below = make_yard(r);
    above.tendon("t").through("start").around(shape, "above").through("end");
    below.tendon("t").through("start").around(shape, "below").through("end");
    EXPECT_TRUE(near(length_with_end_at(above, end), tangents + r * (std::numbers::pi - away), 10));
    EXPECT_TRUE(near(length_with_end_at(below, end), tangents + r * (std::numbers::pi + away), 10));
  }
}

// Through the inside: the shortest way over a point of the disc, found here by trying.
TEST(Tendon, PassesThroughTheInside) {
  const double r = 0.5;
  const Vec3<double> start{-2, 0, 0}, end{-0.4, 1.7, 0};
  double least = 1e9;
  for (int i = 0; i < 200000; ++i) {
    const double a = std::numbers::pi * i / 200000;
    const Vec3<double> p{r * std::cos(a), r * std::sin(a), 0};
    least = std::min(least, norm(p - start) + norm(end - p));
  }
  for (const char* shape : {"sphere", "cylinder"}) {
    ModelBuilder b = make_yard(r);
    b.spec().frames.push_back({"near_middle", "world", make_placement({0.1, 0, 0}), {}});
    b.tendon("t").through("start").around(shape, "near_middle").through("end");
    EXPECT_NEAR(length_with_end_at(b, end), least, 1e-9);
    EXPECT_TRUE(near(length_with_end_at(b, {2, 0, 0}), 4.0, 10));  // straight through already
  }
}

TEST(Tendon, BranchesBehindAPulleyCountDivided) {
  ModelBuilder b = make_yard(0.5);
  b.tendon("t").pulley(4).through("start").through("above").pulley(2).through("above").through("end");
  EXPECT_TRUE(near(length_with_end_at(b, {0, 1, 0}), std::sqrt(13) / 4 + 2.0 / 2, 10));
}

// J v and dJ/dt v are the first two derivatives of the length along the motion with constant v.
TEST(Tendon, RowsAndTheirRatesAreDerivativesOfTheLength) {
  const Model m = make_arm();
  TendonWorkspace ws(m), moved(m);
  VelocityWorkspace<double> motion(m);
  KinematicsWorkspace<double> at_q(m);
  std::vector<double> zeros(static_cast<std::size_t>(m.nv())), q(static_cast<std::size_t>(m.nq())), J(zeros);
  Random rng(7);
  int wrapped = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const TreeState s = random_state(m, rng);
    calc_accelerations<double>(m, motion, s.q, s.v, zeros);
    calc_tendon_rates(m, ws, motion, s.q);
    const auto lengths_at = [&](double t) {
      integrate(m, s.q, s.v, t, q);
      calc_kinematics<double>(m, at_q, q);
      calc_tendons(m, moved, at_q, q);
      return moved.length;
    };
    const double h = 1e-4;
    const std::vector<double> before = lengths_at(-h), after = lengths_at(h);
    for (std::size_t t = 0; t < ws.length.size(); ++t) {
      const double second = (after[t] - 2 * ws.length[t] + before[t]) / (h * h),
                   first = (after[t] - before[t]) / (2 * h);
      if (std::abs(first - ws.velocity[t]) > 1e-3) continue;  // the string begins or ends to touch, or jumps
      calc_row_jacobian(m, motion.kinematics, s.q, ws.row(m, static_cast<int>(t)), J);
      double sum = 0;
      for (std::size_t k = 0; k < J.size(); ++k) sum += J[k] * s.v[k];
      EXPECT_TRUE(near(sum, ws.velocity[t], 40, 10));
      EXPECT_NEAR(ws.velocity[t], first, slack(1e-4, "the string may begin to touch within the difference"));
      const double scale = 1 + std::abs(ws.acceleration[t]);
      wrapped += std::abs(second - ws.acceleration[t]) < 1e-3 * scale;
    }
  }
  EXPECT_GT(wrapped, 670) << "of 700 second derivatives; the others are at a jump of the curvature";
}

TEST(Tendon, AllocatesNothing) {
  const Model m = make_arm();
  TendonWorkspace ws(m);
  VelocityWorkspace<double> motion(m);
  Random rng(3);
  const TreeState s = random_state(m, rng);
  const std::vector<double> zeros(s.v.size());
  calc_accelerations<double>(m, motion, s.q, s.v, zeros);
  const AllocationCount allocations;
  calc_tendon_rates(m, ws, motion, s.q);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(Tendon, WhatIsWrongIsRefused) {
  const auto refuses = [](auto&& tendon, Code code) {
    ModelBuilder b = make_yard(0.5);
    tendon(b);
    const Result<Model> r = b.build();
    return !r.ok() && std::any_of(r.diagnostics().begin(), r.diagnostics().end(),
                                  [&](const Diagnostic& d) { return d.code == code; });
  };
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t"); }, Code::bad_tendon));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start"); }, Code::bad_tendon));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start").through("nowhere"); }, Code::unknown_name));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").around("sphere").through("start").through("end"); },
                      Code::bad_tendon));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start").joint("fly", 1); }, Code::bad_tendon));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").joint("fly", 1); }, Code::wrong_coordinate_count));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start").through("end").limits(2, 1); },
                      Code::empty_limit_range));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start").through("end").spring(-1); },
                      Code::negative_coefficient));
  EXPECT_TRUE(refuses([](ModelBuilder& b) { b.tendon("t").through("start").pulley(0).through("above").through("end"); },
                      Code::bad_tendon));
}

}  // namespace sinew::test
