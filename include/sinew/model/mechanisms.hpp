// sinew/model/mechanisms.hpp - built-in mechanisms, for examples, tests and measurements
// Each is made from a few numbers and is the same on every machine. Units SI, z up, x forward; linkages move in the
// x-z plane and count angles from x towards z. Closed loops are closed at the neutral position. Numbers out of range
// throw std::invalid_argument.
#pragma once
#include <cstdint>
#include <numbers>
#include <vector>

#include "sinew/model/spec.hpp"

namespace sinew::mechanisms {

// Chains and trees ---------------------------------------------------------------------------------------------------

// n equal spheres on pins at their poles, hanging straight down at neutral (through the floor, if long enough).
// Keyframe "start": it leans to the left (x < 0) and swings to the right, towards the wall. [J14 section 8]
struct PendulumOptions {
  double length = 12;  // [m] of all spheres; each has the radius length / 2n
  double mass = 1;     // [kg] of each
  double height = 10;  // [m] of the first pin above the floor z = 0
  double wall = 4;     // [m] the plane x = wall
  double friction = 0.5, restitution = 0.7;
  double lean = std::numbers::pi / 4;  // [rad] at the start
  double speed = 1;                    // [rad/s] of the first pin at the start
};
ModelSpec pendulum(int n, const PendulumOptions& = {});

// The general unbranched robot: n revolute joints; no geometric or inertial parameter is zero or special. [F08
// section 10.3]
ModelSpec gu(int n, std::uint64_t seed = 1);

// n revolute joints with random axes, places and inertias; frame "tip" on the last link.
ModelSpec chain(int n, std::uint64_t seed = 1);

// 2^levels - 1 revolute joints; body i hangs on body i / 2, so 3 levels are lambda = (0, 1, 1, 2, 2, 3, 3). [F08
// section 6.5]
ModelSpec binary_tree(int levels);

// A floating stem of `stem_length` links with `branches` arms on its first and as many on its last link. The first
// link floats. Frames "tip1".. at the 2 * branches ends, those of the first link before those of the last. [S23 Fig 3]
// S23 gives no length for the branches; its authors' published script has 7 revolute joints in each.
ModelSpec stem_with_branches(int stem_length, int branches, int branch_length = 7);

// Robots -------------------------------------------------------------------------------------------------------------

// Legs and arms mirror each other: equal coordinates left and right are mirror images of each other.
enum class Side { left, right };

// 36 dof: the tree of S23's Atlas. The pelvis floats; back 3, neck 1, arms 2 x 7, legs 2 x 6. Stands at neutral with
// its soles on the floor z = 0. Frames: "left_sole", its corners "left_sole_front_inner" .. "_back_outer", "left_palm";
// and right.
ModelSpec humanoid();

// 24 dof on a fixed forearm: wrist 2, thumb 5, first, middle and ring finger 4 each, little finger 5. Fingers point
// up, the palm of a right hand faces -y, its thumb is at +x. Frames "thumb_tip", "first_tip", "middle_tip", ...
ModelSpec hand(Side = Side::right);

// The humanoid with such a hand on its left wrist (1: 60 dof) or on both (2: 84 dof); names "left_hand_thumb_tip", ...
ModelSpec humanoid_with_hands(int hands);

// 26 dof on a fixed torso: head 4, arms 2 x 7, on each arm a hand of three fingers with 4 (thumb 2, fingers 1 each).
// J14 says how many links, not where; the split of the hand's 4 is ours. Frames "left_finger1_tip", ... [J14 Table 1]
ModelSpec dual_arm();

// Gears and closed loops ---------------------------------------------------------------------------------------------

// Two arm joints, each driven by a rotor through a gear: lambda = (0, 0, 1, 1), q2 = ratio1 q1, q4 = ratio2 q3.
// [F08 Fig 9.2]
struct GearedArmOptions {
  double upper = 0.5, fore = 0.4;  // [m]
  double ratio1 = 100, ratio2 = 80;
  double rotor_mass = 0.15;  // [kg] of each
};
ModelSpec geared_arm(const GearedArmOptions& = {});

// Crank and rod from the ground, slider from the ground, closed by the revolute loop "wrist_pin". [F08 Fig 4.1]
struct CrankSliderOptions {
  double crank = 0.15, rod = 0.45;      // [m]; rod > crank
  double angle = std::numbers::pi / 3;  // of the crank at neutral
};
ModelSpec crank_slider(const CrankSliderOptions& = {});

// Crank and coupler from one end of the ground link, rocker from the other, closed by the revolute loop
// "coupler_pin": 3 tree joints, 5 constraints of rank 2 in the plane, mobility 1. [F08 section 8.10]
struct FourBarOptions {
  double ground = 0.5, crank = 0.2, coupler = 0.45, rocker = 0.4;  // [m]
  double angle = std::numbers::pi / 3;                             // of the crank at neutral
};
ModelSpec four_bar(const FourBarOptions& = {});

// A two-link arm raised by a cylinder and piston, closed by the revolute loop "piston_pin" [F08 Fig 8.3]: joints arm,
// cylinder, piston, forearm. The pivots of arm and cylinder are l1 apart, the pin is l2 from the arm's pivot, and
//   q2 = atan2(l2 sin q1, l2 cos q1 - l1),  q3 = sqrt(l1^2 + l2^2 - 2 l1 l2 cos q1).
struct CrankPistonOptions {
  double l1 = 0.5, l2 = 0.9;  // [m]
  double angle = 1.1;         // [rad] of the arm at neutral, in (0, pi)
  double arm = 1.6, forearm = 1.2;
};
ModelSpec crank_piston(const CrankPistonOptions& = {});

// A platform with six freedoms on six legs (universal joint, prismatic leg), each closed by the spherical loop "pin1"
// .. "pin6": 24 tree freedoms, 18 constraints, mobility 6.
struct StewartOptions {
  double base = 0.6, top = 0.35, height = 0.7;  // [m] radii of the feet and of the pins, height of the platform
};
ModelSpec stewart_platform(const StewartOptions& = {});

// Stages of two crossed bars; the first bar stands on a pin, the second on a slider, closed by "shoe", and each further
// stage by "middle2", ...: 2 stages + 1 tree joints, 5 stages constraints of rank 2 stages, mobility 1.
struct ScissorLiftOptions {
  int stages = 3;
  double bar = 0.6;    // [m]
  double angle = 0.6;  // [rad] of the bars from the ground
  // The same mechanism with another tree: pins in the middles of the bars are joints, those at the right ends
  // ("right2",
  // ...) close loops. Each loop then has three joints, however many stages there are.
  bool local_loops = false;
};
ModelSpec scissor_lift(const ScissorLiftOptions& = {});

// Six equal links in a ring, neighbouring axes at right angles, the twists alternating in sign, closed by "joint6": 5
// constraints of rank 4 on 5 tree joints, so it moves although counting says that it cannot. Overconstrained at every
// position.
struct BricardOptions {
  double link = 0.4;   // [m]
  double angle = 1.2;  // [rad] of joints 1, 3, 5 at neutral
};
ModelSpec bricard(const BricardOptions& = {});

// A spacecraft of 400 kg, free in space, with two arms of six joints: bodies "bus", "left0" .. "left5", "right0" ..;
// frames "left_hand", "right_hand".
ModelSpec servicer();
// A box of 120 kg, free in space, with the frames "left_fixture", "right_fixture". It stands before a servicer.
ModelSpec satellite();
// Both in one model, the servicer first. Keyframe "tumbling": the satellite drifts and tumbles.
ModelSpec servicer_and_satellite();

// One of each kind; models/ holds a file of each under its name.
std::vector<ModelSpec> gallery();

}  // namespace sinew::mechanisms
