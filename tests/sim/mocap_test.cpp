// tests/sim/mocap_test.cpp - bodies that go where they are told: what they carry, pull and shake, by closed forms
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/joint/mocap.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

constexpr double kG = 9.81, kDt = 1e-3;

Model model_of(const std::string& world, const std::string& rest = "") {
  const auto spec =
      parse_mjcf("<mujoco><option timestep='0.001'/><worldbody>" + world + "</worldbody>" + rest + "</mujoco>");
  EXPECT_TRUE(spec.ok());
  return compile(*spec).value();
}
Transform<double> at_place(const Vec3<double>& r) { return {{}, r}; }
const char* const kPlate =
    "<body name='plate' mocap='true'><geom type='box' size='5 5 .1' friction='0.5'/></body>"
    "<body name='box' pos='0 0 .2'><freejoint/><geom type='box' size='.1 .1 .1' friction='0.5'/></body>";

// Moves the plate by x(t) and returns the velocity of the box at the end.
Vec3<double> ride(Simulation& s, double seconds, const auto& place) {
  const int plate = s.mocap.bodies().front();
  while (s.state.time < seconds - kDt / 2) {
    s.mocap.move(plate, at_place(place(s.state.time + kDt)));
    s.step();
    EXPECT_EQ(s.report().unsolved, 0);
  }
  std::vector<BodyMotion> motions;
  s.calc_body_motions(motions);
  return motions[2].velocity.lin;
}

TEST(Mocap, APlateCarriesWhatStandsOnIt) {
  const Model m = model_of(kPlate);
  Simulation s(m);
  const double a = 3;  // below mu g
  const Vec3<double> v = ride(s, 0.5, [&](double t) { return Vec3<double>{a * t * t / 2, 0, 0}; });
  // The plate's velocity over the last step is that half a step before its end.
  EXPECT_NEAR(v.x, a * (0.5 - kDt / 2), 5e-12);
  EXPECT_NEAR(v.z, 0, 1e-14);
}

TEST(Mocap, AQuickPlateSlipsAway) {
  const Model m = model_of(kPlate);
  Simulation s(m);
  const Vec3<double> v = ride(s, 0.5, [&](double t) { return Vec3<double>{10 * t * t / 2, 0, 0}; });
  EXPECT_NEAR(v.x, 0.5 * kG * 0.5, 2e-10);  // mu g t
}

TEST(Mocap, ALiftPushesWithItsAcceleration) {
  const Model m = model_of(kPlate);
  Simulation s(m);
  const double a = 2;
  ride(s, 0.1, [&](double t) { return Vec3<double>{0, 0, a * t * t / 2}; });
  double force = 0;
  for (std::size_t c = 0; c < s.contacts().size(); ++c) force += s.contact_force(c).z;
  EXPECT_NEAR(std::abs(force), 8 * (kG + a), 2e-12);  // 8 kg
}

TEST(Mocap, ItStaysWhereItWasLastTold) {
  const Model m = model_of(kPlate);
  Simulation s(m);
  const int plate = s.mocap.bodies().front();
  s.mocap.move(plate, at_place({0.001, 0, 0}));
  s.step();
  EXPECT_FALSE(s.mocap.moves());
  for (int i = 0; i < 10; ++i) s.step();
  std::vector<BodyMotion> motions;
  s.calc_body_motions(motions);
  EXPECT_NEAR(motions[1].pose.r.x, 0.001, 1e-15);
  EXPECT_EQ(norm(motions[1].velocity.lin), 0);
}

TEST(Mocap, AWeldFollows) {
  const Model m = model_of(
      "<body name='hand' mocap='true' pos='0 0 1'/>"
      "<body name='load' pos='.2 0 1'><freejoint/><geom type='box' size='.1 .05 .02'/></body>",
      "<equality><weld body1='hand' body2='load'/></equality>");
  Simulation s(m);
  const int hand = s.mocap.bodies().front();
  double worst = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double t = i * kDt;
    const Transform<double> pose{rotation_from_axis_angle(Vec3<double>{0, 0, 1}, t),
                                 {0.3 * std::sin(2 * t), 0.1 * t, 1 + 0.1 * t * t}};
    s.mocap.move(hand, pose);
    s.step();
    std::vector<BodyMotion> motions;
    s.calc_body_motions(motions);
    const Vec3<double> expected = apply_inverse_to_point(pose, Vec3<double>{0.2, 0, 0});
    worst = std::max(worst, norm(motions[2].pose.r - expected));
  }
  EXPECT_LT(worst, 1e-5);  // of the order dt^2
  std::printf("weld to a moving hand: %.1e m off at most\n", worst);
}

// A pendulum on a cart whose velocity jumps from 0 to u in one step swings back with u / l.
TEST(Mocap, WhatHangsOnItFeelsItsAcceleration) {
  const Model m = model_of(
      "<body name='cart' mocap='true'><body name='bob'><joint axis='0 1 0'/>"
      "<inertial pos='0 0 -.5' mass='2' diaginertia='1e-12 1e-12 1e-12'/></body></body>");
  Simulation s(m);
  const double u = 0.2;
  s.mocap.move(s.mocap.bodies().front(), at_place({u * kDt, 0, 0}));
  s.step();
  EXPECT_NEAR(s.state.v[0], u / 0.5, 5e-11);  // about +y: the bob stays behind
}

TEST(Mocap, OthersRefuseToMoveIt) {
  const Model m = model_of(kPlate);
  SmoothSimulation s(m, {});
  s.mocap.move(s.mocap.bodies().front(), at_place({1, 0, 0}));
  EXPECT_THROW(s.step(), std::invalid_argument);
  Simulation t(m);
  EXPECT_THROW(t.mocap.move(2, at_place({1, 0, 0})), std::invalid_argument);
  EXPECT_THROW(t.mocap.move(1, at_place({NAN, 0, 0})), std::invalid_argument);
}

TEST(Mocap, KeyframesAndConventions) {
  const std::string keys =
      "<keyframe><key name='up' mpos='1 2 3' mquat='0 0 0 2'/><key name='mine' qpos='1 2 3 1 0 0 0'/></keyframe>";
  const Model m = model_of(kPlate, keys);
  const auto& k = m.spec().keyframes;
  ASSERT_EQ(k.size(), 2u);
  ASSERT_EQ(m.nq(), 7 + MocapJoint::kNq);
  EXPECT_EQ(std::vector<double>(k[0].q.begin(), k[0].q.begin() + 7), (std::vector<double>{0, 0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(k[1].q[0], 1);
  // MuJoCo has no coordinates for it.
  const ConventionMap map(m, Convention::mujoco);
  EXPECT_EQ(map.nq(), 7);
  std::vector<double> there(7), back(k[1].q.size());
  map.to_other_q(k[1].q, there);
  EXPECT_EQ(there, (std::vector<double>{1, 2, 3, 1, 0, 0, 0}));
  map.from_other_q(there, back);
  EXPECT_EQ(back, k[1].q);
  // Out and in again.
  const auto text = to_mjcf(m.spec());
  ASSERT_TRUE(text.ok());
  const auto again = parse_mjcf(*text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->keyframes[0].q, k[0].q);
  EXPECT_EQ(again->joints[0].user, get_mocap_joint());
  EXPECT_FALSE(parse_mjcf("<mujoco><worldbody><body mocap='true'/></worldbody><keyframe><key mpos='1 2'/></keyframe>"
                          "</mujoco>")
                   .ok());
}

// Two that nothing can push do not touch.
TEST(Mocap, ItPassesThroughTheFloor) {
  const Model m = model_of(
      "<geom type='plane' size='1 1 1'/><body mocap='true'><geom size='.1'/></body><body mocap='true'><geom "
      "size='.1'/></body>");
  const ContactShapes shapes(m);
  EXPECT_EQ(shapes.pairs(), 0);
}

}  // namespace
}  // namespace sinew
