// tests/model/builder_test.cpp - scenes written in C++: the world's shapes, filters, servos, frames in loops
#include "sinew/model/builder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "sinew/sim/simulation.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A ball falls on a plane of the world that gives back half the speed: v' = 0.5 v at the floor.
TEST(Builder, WorldShapesBounce) {
  ModelBuilder b("bounce");
  b.timestep(1e-4).gravity({0, 0, -10});
  b.world().plane().named("floor").friction(0).restitution(0.5);
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1).friction(0);
  b.free("flies", "world", "ball");
  KeyframeSpec above;
  above.name = "above", above.q = {1, 0, 0, 0, 0, 0, 0.1 + 0.2};
  b.keyframe(above);
  const Model m = b.build().value();
  Simulation s(m);
  s.state.q = m.spec().keyframes[0].q;
  double highest = 0;
  while (s.state.time < 0.5) {
    s.step();
    if (s.totals().collisions > 0) highest = std::max(highest, s.state.q[6] - 0.1);
  }
  EXPECT_NEAR(highest, 0.05, slack(2e-3, "of first order in the step"));  // e^2 h, to first order in the step
}

TEST(Builder, HeightfieldsAndFiltersOfTheWorld) {
  ModelBuilder b("ground");
  HeightfieldSpec flat;
  flat.name = "ground", flat.rows = flat.cols = 3, flat.size = {2, 2, 1, 0.5}, flat.elevation.assign(9, 0.25);
  b.add_heightfield(flat).timestep(1e-3);
  b.world().heightfield("ground").named("hill").frame("mark", make_placement({1, 2, 3}));
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1).named("ball");
  b.free("flies", "world", "ball").neutral({1, 0, 0, 0, 0.1, 0.1, 0.36});
  const Model m = b.build().value();
  Simulation s(m);
  while (s.state.time < 0.5) s.step();
  EXPECT_NEAR(s.state.q[6], 0.35, slack(1e-6, "the tolerance of the solver may show"));
  b.exclude("world", "ball");
  const Model apart = b.build().value();
  EXPECT_EQ(ContactShapes(apart).pairs(), 0);
  EXPECT_EQ(m.find_frame("mark")->body, 0);
}

TEST(Builder, ServosHold) {
  ModelBuilder b("arm");
  b.timestep(1e-3).gravity({});
  b.body("link").mass(solid_sphere(1, 0.1), make_placement({0.3, 0, 0}));
  b.revolute("hinge", "world", "link");
  b.position_servo("hold", "hinge", 50, 10).velocity_servo("brake", "hinge", 2).motor("push", "hinge", 3);
  const Model m = b.build().value();
  Simulation s(m);
  s.control = {0.4, 0, 1};
  while (s.state.time < 5) s.step();
  EXPECT_NEAR(s.state.q[0], 0.4 + 3.0 / 50, 1e-8);  // 50 (0.4 - q) + 3 = 0
}

TEST(Builder, SaysWhatComesTooEarly) {
  ModelBuilder b("early");
  EXPECT_THROW(b.world().mass(solid_sphere(1, 1)), std::invalid_argument);
  EXPECT_THROW(b.body("a").friction(1), std::invalid_argument);
}

// A loop between frames is the same as one between bodies with poses.
TEST(Builder, LoopsTakeFrames) {
  const auto make = [](bool frames) {
    ModelBuilder b("loop");
    b.body("a").mass(solid_sphere(1, 0.1), make_placement({0.5, 0, 0})).frame("tip", make_placement({1, 0, 0}));
    b.body("b")
        .mass(solid_sphere(1, 0.1), make_placement({0.5, 0, 0}))
        .frame("end", make_placement({1, 0, 0}, {0, 0, 1}));
    b.revolute("one", "world", "a").axis({0, 1, 0});
    b.revolute("two", "world", "b").at({0.5, 0, 0}).axis({0, 1, 0});
    LoopSpec l;
    l.name = "pin", l.kind = JointKind::spherical;
    l.body_a = frames ? "tip" : "a", l.body_b = frames ? "end" : "b";
    if (!frames) l.pose_a = make_placement({1, 0, 0}), l.pose_b = make_placement({1, 0, 0}, {0, 0, 1});
    b.loop(l);
    return b.build().value();
  };
  const Model by_frame = make(true), by_body = make(false);
  const LoopEntry &x = by_frame.loops()[0], &y = by_body.loops()[0];
  EXPECT_EQ(x.node_a, y.node_a);
  EXPECT_EQ(x.node_b, y.node_b);
  EXPECT_TRUE(is_small(norm(x.in_b.r - y.in_b.r) + norm(x.in_a.r - y.in_a.r), 1e-15));
}

}  // namespace
}  // namespace sinew::test
