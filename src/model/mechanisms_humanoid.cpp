// src/model/mechanisms_humanoid.cpp - a standing humanoid of 36 dof, with and without hands
// The tables are for the left side: x forward, y to the left, z up; the right side is their mirror image.
#include "mechanisms_parts.hpp"

namespace sinew::mechanisms {
namespace {

constexpr double kPelvisHeight = 0.99;
constexpr double kAnkleHeight = 0.07;

// joint, body, place, axis, limits, effort, speed, link
constexpr Segment kTrunk[] = {
    {"back_yaw", "lower_spine", {-0.01, 0, 0.12}, kYaw, -0.66, 0.66, 110, 9, quiet(ball(1.5, 0.06))},
    {"back_pitch", "upper_spine", {0, 0, 0.06}, kPitch, -0.22, 0.54, 450, 9, quiet(ball(1.5, 0.06))},
    {"back_roll", "chest", {0, 0, 0.05}, kRoll, -0.52, 0.52, 300, 9, block(22, {0.11, 0.14, 0.17}, {0, 0, 0.20})},
};
constexpr Segment kNeck[] = {
    {"neck_pitch", "head", {0.02, 0, 0.40}, kPitch, -0.60, 1.15, 25, 6, ball(4, 0.10, {0.02, 0, 0.09})},
};
constexpr Segment kHangingArm[] = {
    {"shoulder_pitch", "shoulder_upper", {0, 0.19, 0.31}, kPitch, -2.8, 1.4, 90, 9, quiet(ball(1.2, 0.055))},
    {"shoulder_roll", "shoulder_lower", {0, 0.04, 0}, kRoll, -0.2, 1.6, 90, 9, quiet(ball(1.0, 0.05))},
    {"shoulder_yaw", "upper_arm", {0, 0.01, -0.06}, kYaw, -1.6, 1.6, 65, 9, rod(2.2, 0.045, {0, 0, -0.25})},
    {"elbow", "forearm", {0.01, 0, -0.25}, kPitch, -2.4, 0, 65, 9, rod(1.6, 0.040, {0, 0, -0.16})},
    {"forearm_yaw", "lower_forearm", {0, 0, -0.16}, kYaw, -2.9, 2.9, 25, 10, quiet(rod(0.8, 0.035, {0, 0, -0.11}))},
    {"wrist_pitch", "wrist", {0, 0, -0.11}, kPitch, -1.2, 1.2, 25, 10, quiet(ball(0.4, 0.03))},
    {"wrist_roll", "hand", {0, 0, -0.03}, kRoll, -1.2, 1.2, 25, 10, block(0.6, {0.04, 0.02, 0.05}, {0, 0, -0.05})},
};
constexpr Segment kLeg[] = {
    {"hip_yaw", "hip_upper", {0, 0.09, -0.03}, kYaw, -0.3, 0.8, 280, 12, quiet(ball(1.2, 0.055))},
    {"hip_roll", "hip_lower", {0, 0, -0.04}, kRoll, -0.5, 0.5, 420, 12, quiet(ball(1.2, 0.055))},
    {"hip_pitch", "thigh", {0.04, 0.02, -0.03}, kPitch, -1.6, 0.7, 840, 12, rod(8.0, 0.070, {-0.04, 0, -0.40})},
    {"knee", "shin", {-0.04, 0, -0.40}, kPitch, 0, 2.4, 890, 12, rod(4.5, 0.055, {0, 0, -0.39})},
    {"ankle_pitch", "ankle", {0, 0, -0.40}, kPitch, -1.0, 0.7, 740, 12, quiet(ball(0.4, 0.03))},
    {"ankle_roll",
     "foot",
     {0, 0, -0.02},
     kRoll,
     -0.8,
     0.8,
     360,
     12,
     block(1.6, {0.13, 0.06, 0.02}, {0.04, 0, -kAnkleHeight + 0.02})},
};

void add_arm(ModelBuilder& b, const Naming& n, bool with_hand) {
  const std::string hand = add_chain(b, "chest", kHangingArm, n);
  add_frame(b.spec(), n("palm"), hand, shift_frame(Point{0, 0, -0.06}));
  // The arm hangs down, so the hand's z does; palms face the body, thumbs look forward.
  const Pose down{{{1, 0, 0, 0, -1, 0, 0, 0, -1}}, {0, 0, -0.10}};
  if (with_hand) add_hand(b, hand, down, {n("hand_"), !n.mirrored});
}

void add_leg(ModelBuilder& b, const Naming& n) {
  const std::string foot = add_chain(b, "pelvis", kLeg, n);
  add_frame(b.spec(), n("sole"), foot, shift_frame(Point{0, 0, -kAnkleHeight}));
  for (const bool front : {true, false})
    for (const bool inner : {true, false}) {
      const std::string corner = std::string(front ? "_front" : "_back") + (inner ? "_inner" : "_outer");
      const Point at{front ? 0.17 : -0.09, inner ? -0.06 : 0.06, -kAnkleHeight};
      add_frame(b.spec(), n("sole" + corner), foot, shift_frame(n.place(at)));
    }
}

ModelSpec make_humanoid(std::string name, int hands) {
  const Naming left{"left_", false}, right{"right_", true};
  ModelBuilder b(std::move(name));
  add_floor(b.spec());
  BodyBuilder pelvis = b.body("pelvis");
  add_solid(b.spec(), pelvis, block(12, {0.10, 0.13, 0.08}, {0, 0, 0.04}));
  b.free("floating", "world", "pelvis").neutral({1, 0, 0, 0, 0, 0, kPelvisHeight});
  add_chain(b, "pelvis", kTrunk, {});
  add_chain(b, "chest", kNeck, {});
  add_arm(b, left, hands >= 1);
  add_arm(b, right, hands >= 2);
  add_leg(b, left);
  add_leg(b, right);
  exclude_neighbours(b.spec());
  return std::move(b.spec());
}

}  // namespace

ModelSpec humanoid() { return make_humanoid("humanoid", 0); }

ModelSpec humanoid_with_hands(int hands) {
  check_range("humanoid_with_hands", "hands", hands, 1, 2);
  return make_humanoid("humanoid_with_hands" + std::to_string(hands), hands);
}

}  // namespace sinew::mechanisms
