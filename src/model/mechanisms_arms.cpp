// src/model/mechanisms_arms.cpp - the dual-arm robot, the geared arm
#include "mechanisms_parts.hpp"

namespace sinew::mechanisms {
namespace {

// Tables for the left side: x forward, y to the left, z up. Arms reach forward.
constexpr Segment kHead[] = {
    {"neck_pan", "neck_base", {0, 0, 0.50}, kYaw, -2, 2, 15, 4, quiet(ball(0.8, 0.04))},
    {"neck_tilt", "neck", {0, 0, 0.05}, kPitch, -0.8, 0.8, 15, 4, rod(0.9, 0.035, {0, 0, 0.15})},
    {"head_pan", "head_base", {0, 0, 0.15}, kYaw, -1.5, 1.5, 8, 4, quiet(ball(0.6, 0.035))},
    {"head_tilt", "head", {0, 0, 0.05}, kPitch, -1, 1, 8, 4, block(1.8, {0.06, 0.11, 0.04}, {0.02, 0, 0.05})},
};
constexpr Segment kReachingArm[] = {
    {"shoulder_yaw", "shoulder_base", {0.04, 0.26, 0.40}, kYaw, -2.6, 2.6, 77, 3, quiet(ball(2.5, 0.08))},
    {"shoulder_pitch", "shoulder", {0, 0, 0}, kPitch, -2, 2, 160, 3, quiet(ball(2.0, 0.07))},
    {"shoulder_roll", "upper_arm", {0, 0, 0}, kRoll, -2.8, 2.8, 95, 3, rod(3.2, 0.06, {0.46, 0, 0})},
    {"elbow", "forearm", {0.50, 0, 0.045}, kPitch, -0.9, 3.1, 95, 3, rod(1.6, 0.045, {0.22, 0, -0.045})},
    {"wrist_yaw", "wrist_base", {0.24, 0, -0.045}, kRoll, -4.8, 1.3, 10, 6, quiet(ball(0.9, 0.04))},
    {"wrist_pitch", "wrist", {0.06, 0, 0}, kPitch, -1.6, 1.6, 10, 6, quiet(ball(0.3, 0.035))},
    {"wrist_roll", "palm", {0.04, 0, 0}, kRoll, -3, 3, 4, 6, block(0.9, {0.035, 0.045, 0.04}, {0.045, 0, 0})},
};
// Two fingers above and a thumb below that also swings to the side; all close towards the middle.
constexpr double kFinger = 0.12;
constexpr Segment kInnerFinger[] = {
    {"finger1_flexion", "finger1", {0.08, -0.025, 0.035}, kPitch, -0.3, 1.2, 8, 3, rod(0.12, 0.012, {kFinger, 0, 0})}};
constexpr Segment kOuterFinger[] = {
    {"finger2_flexion", "finger2", {0.08, 0.025, 0.035}, kPitch, -0.3, 1.2, 8, 3, rod(0.12, 0.012, {kFinger, 0, 0})}};
constexpr Segment kThumb[] = {
    {"thumb_swing", "thumb_base", {0.08, 0, -0.035}, kYaw, -0.8, 0.8, 5, 3, quiet(ball(0.05, 0.014))},
    {"thumb_flexion", "thumb", {0, 0, 0}, {0, -1, 0}, -0.3, 1.2, 8, 3, rod(0.12, 0.012, {kFinger, 0, 0})}};

}  // namespace

ModelSpec dual_arm() {
  ModelBuilder b("dual_arm");
  BodyBuilder torso = b.body("torso");
  add_solid(b.spec(), torso, block(40, {0.12, 0.16, 0.25}, {0, 0, 0.25}));
  add_solid(b.spec(), torso, quiet(block(60, {0.08, 0.08, 0.375}, {0, 0, -0.375})));
  b.fixed("mount", "world", "torso").at({0, 0, 0.75});
  add_chain(b, "torso", kHead, {});
  for (const bool right : {false, true}) {
    const Naming n{right ? "right_" : "left_", right};
    const std::string palm = add_chain(b, "torso", kReachingArm, n);
    add_frame(b.spec(), n("grasp"), palm, shift_frame(Point{0.16, 0, 0}));
    const auto add_finger = [&](std::span<const Segment> finger) {
      const std::string last = add_chain(b, palm, finger, n);
      add_frame(b.spec(), last + "_tip", last, shift_frame(Point{kFinger, 0, 0}));
    };
    add_finger(kInnerFinger);
    add_finger(kOuterFinger);
    add_finger(kThumb);
  }
  exclude_neighbours(b.spec());
  return std::move(b.spec());
}

ModelSpec geared_arm(const GearedArmOptions& o) {
  for (const double x : {o.upper, o.fore, o.rotor_mass})
    check_range("geared_arm", "upper, fore or rotor_mass", x, 1e-6, 1e6);
  constexpr Point kAxis{0, -1, 0};  // turns x towards z
  constexpr double kRotor = 0.025, kHalf = 0.03;
  ModelBuilder b("geared_arm");
  const Pose across{{{1, 0, 0, 0, 0, 1, 0, -1, 0}}, {}};  // its z is the world's -y
  // A link and the wheel on its joint.
  const auto add_link = [&](const char* name, double mass, double length, double wheel) {
    BodyBuilder body = b.body(name);
    add_solid(b.spec(), body, quiet(rod(mass, 0.04, {length, 0, 0})));
    const Pose beside{across.E, {0, -0.06, 0}};
    body.plus(solid_cylinder(0.4, wheel, 0.01), beside).cylinder(wheel, 0.01, beside);
    b.spec().shapes.back().collides = false;
  };
  const auto add_rotor = [&](const char* name) {
    b.body(name).mass(solid_cylinder(o.rotor_mass, kRotor, kHalf), across).cylinder(kRotor, kHalf, across);
    b.spec().shapes.back().collides = false;
  };
  add_link("upper_arm", 4, o.upper, 0.09);
  add_rotor("rotor1");
  add_link("forearm", 2.5, o.fore, 0.07);
  add_rotor("rotor2");
  b.revolute("shoulder", "world", "upper_arm")
      .at({0, 0, 1})
      .axis(kAxis)
      .limits(-2.5, 2.5)
      .max_effort(150)
      .max_velocity(4);
  b.revolute("motor1", "world", "rotor1").at({-0.12, -0.06, 1}).axis(kAxis).max_effort(1.5).max_velocity(400);
  b.revolute("elbow", "upper_arm", "forearm")
      .at({o.upper, 0, 0})
      .axis(kAxis)
      .limits(-2.5, 2.5)
      .max_effort(60)
      .max_velocity(6);
  b.revolute("motor2", "upper_arm", "rotor2")
      .at({o.upper - 0.1, -0.06, 0})
      .axis(kAxis)
      .max_effort(0.75)
      .max_velocity(500);
  b.gear("gear1", "motor1", "shoulder", o.ratio1).gear("gear2", "motor2", "elbow", o.ratio2);
  add_frame(b.spec(), "tip", "forearm", shift_frame(Point{o.fore, 0, 0}));
  return std::move(b.spec());
}

}  // namespace sinew::mechanisms
