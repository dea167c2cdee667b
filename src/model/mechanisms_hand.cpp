// src/model/mechanisms_hand.cpp - a five-finger hand with 24 dof, the size of a man's
// Written for a right hand: fingers along z, palm facing -y, thumb at +x. Positive turns close the hand.
#include "mechanisms_parts.hpp"

namespace sinew::mechanisms {
namespace {

constexpr Point kFlex{1, 0, 0};    // carries z towards -y, the palm
constexpr Point kSpread{0, 1, 0};  // carries z towards +x, the thumb

// Knuckle, three phalanges of the given lengths. Radii fall from the knuckle to the tip.
std::vector<Segment> finger(const Point& base, double proximal, double middle, double distal) {
  return {
      {"_spread", "_knuckle", base, kSpread, -0.35, 0.35, 1.5, 6, quiet(ball(0.008, 0.009))},
      {"_base", "_proximal", {0, 0, 0}, kFlex, -0.26, 1.57, 2, 6, rod(0.030, 0.010, {0, 0, proximal})},
      {"_middle", "_intermediate", {0, 0, proximal}, kFlex, 0, 1.57, 1.5, 8, rod(0.017, 0.009, {0, 0, middle})},
      {"_end", "_distal", {0, 0, middle}, kFlex, 0, 1.57, 1, 8, rod(0.012, 0.008, {0, 0, distal})},
  };
}

void add_finger(ModelBuilder& b, const std::string& parent, const std::string& name, std::span<const Segment> table,
                double distal, const Naming& n) {
  const Naming inner{n(name), n.mirrored};
  const std::string last = add_chain(b, parent, table, inner);
  add_frame(b.spec(), inner("_tip"), last, shift_frame(Point{0, 0, distal}));
}

}  // namespace

void add_hand(ModelBuilder& b, const std::string& parent, const Pose& pose, const Naming& n) {
  BodyBuilder forearm = b.body(n("forearm"));
  add_solid(b.spec(), forearm, rod(1.4, 0.04, {0, 0, 0.2}));
  b.fixed(n("mount"), parent, n("forearm"));
  b.spec().joints.back().placement = pose;
  constexpr Segment wrist[] = {
      {"wrist_deviation", "wrist", {0, 0, 0.205}, kSpread, -0.5, 0.2, 20, 3, quiet(ball(0.10, 0.022))},
      {"wrist_flexion",
       "palm",
       {0, 0, 0.032},
       kFlex,
       -0.7,
       0.5,
       30,
       3,
       block(0.32, {0.040, 0.012, 0.042}, {0, 0, 0.045})},
  };
  const std::string palm = add_chain(b, n("forearm"), wrist, n);

  add_finger(b, palm, "first", finger({0.033, 0, 0.093}, 0.045, 0.026, 0.025), 0.025, n);
  add_finger(b, palm, "middle", finger({0.011, 0, 0.098}, 0.047, 0.028, 0.026), 0.026, n);
  add_finger(b, palm, "ring", finger({-0.011, 0, 0.094}, 0.045, 0.027, 0.025), 0.025, n);
  std::vector<Segment> little = finger({-0.002, 0, 0.063}, 0.040, 0.022, 0.023);
  little.insert(little.begin(), {"_arch",
                                 "_metacarpal",
                                 {-0.031, 0, 0.024},
                                 {0.6, 0, 0.8},
                                 0,
                                 0.78,
                                 2,
                                 4,
                                 quiet(rod(0.030, 0.011, {-0.002, 0, 0.063}))});
  add_finger(b, palm, "little", little, 0.023, n);

  // The thumb points away from the fingers by half a right angle, out of the palm's plane by less.
  constexpr Segment thumb[] = {
      {"_rotation",
       "_base",
       {0.034, -0.009, 0.022},
       {0, 0, 1},
       -1.05,
       1.05,
       3,
       4,
       quiet(ball(0.010, 0.012)),
       {0.2, 0.8, 0}},
      {"_opposition", "_proximal", {0, 0, 0}, kFlex, 0, 1.2, 3, 4, rod(0.040, 0.012, {0, 0, 0.040})},
      {"_hub", "_hub", {0, 0, 0.040}, kFlex, -0.2, 0.2, 2, 6, quiet(ball(0.006, 0.009))},
      {"_swing", "_middle", {0, 0, 0}, kSpread, -0.7, 0.7, 2, 6, rod(0.022, 0.010, {0, 0, 0.033})},
      {"_end", "_distal", {0, 0, 0.033}, kFlex, 0, 1.57, 1.5, 8, rod(0.016, 0.009, {0, 0, 0.028})},
  };
  add_finger(b, palm, "thumb", thumb, 0.028, n);
}

ModelSpec hand(Side side) {
  ModelBuilder b(side == Side::right ? "hand" : "left_hand");
  add_hand(b, "world", {}, {"", side == Side::left});
  exclude_neighbours(b.spec());
  return std::move(b.spec());
}

}  // namespace sinew::mechanisms
