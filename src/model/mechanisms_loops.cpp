// src/model/mechanisms_loops.cpp - planar linkages with one closed loop each
#include <cmath>

#include "mechanisms_parts.hpp"

namespace sinew::mechanisms {
namespace {

// Links of a linkage pass beside each other, so they do not touch.
void add_bar(ModelBuilder& b, const char* name, double length, double mass_per_metre = 4) {
  BodyBuilder body = b.body(name);
  add_solid(b.spec(), body, quiet(rod(mass_per_metre * length, std::min(0.02, 0.1 * length), {length, 0, 0})));
}

void close_loop(ModelBuilder& b, const char* name, const char* body_a, const Point& at_a, const char* body_b,
                const Point& at_b) {
  LoopSpec loop;
  loop.name = name;
  loop.kind = JointKind::revolute;
  loop.body_a = body_a;
  loop.body_b = body_b;
  loop.pose_a = shift_frame(at_a);
  loop.pose_b = shift_frame(at_b);
  loop.axis = kTurnUp;
  b.loop(std::move(loop));
}

}  // namespace

ModelSpec crank_slider(const CrankSliderOptions& o) {
  check_range("crank_slider", "crank", o.crank, 1e-6, 1e6);
  check_range("crank_slider", "rod", o.rod, o.crank * (1 + 1e-9), 1e6);
  const double rod_angle = -std::asin(o.crank * std::sin(o.angle) / o.rod);
  const double travel = o.crank * std::cos(o.angle) + o.rod * std::cos(rod_angle);

  ModelBuilder b("crank_slider");
  add_bar(b, "crank", o.crank);
  add_bar(b, "rod", o.rod);
  BodyBuilder slider = b.body("slider");
  add_solid(b.spec(), slider, quiet(block(1.2, {0.05, 0.03, 0.03}, {})));
  b.revolute("crank_joint", "world", "crank").at({0, 0, kPivotHeight}).axis(kTurnUp).neutral({o.angle});
  b.revolute("crank_pin", "crank", "rod").at({o.crank, 0, 0}).axis(kTurnUp).neutral({rod_angle - o.angle});
  b.prismatic("guide", "world", "slider")
      .at({0, 0, kPivotHeight})
      .axis({1, 0, 0})
      .neutral({travel})
      .limits(o.rod - o.crank, o.rod + o.crank);
  close_loop(b, "wrist_pin", "rod", {o.rod, 0, 0}, "slider", {});
  return std::move(b.spec());
}

ModelSpec four_bar(const FourBarOptions& o) {
  for (const double x : {o.ground, o.crank, o.coupler, o.rocker}) check_range("four_bar", "a length", x, 1e-6, 1e6);
  // The pin is where a circle about the crank's end meets one about the rocker's pivot, on the upper side.
  const Point a{o.crank * std::cos(o.angle), 0, o.crank * std::sin(o.angle)}, pivot{o.ground, 0, 0};
  const Point across = pivot - a;
  const double d = norm(across);
  check_range("four_bar", "distance from crank to rocker", d, std::abs(o.coupler - o.rocker), o.coupler + o.rocker);
  const double along = (d * d + o.coupler * o.coupler - o.rocker * o.rocker) / (2 * d);
  const double up = std::sqrt(std::max(0.0, o.coupler * o.coupler - along * along));
  const double coupler_angle = std::atan2(across.z, across.x) + std::atan2(up, along);
  const double rocker_angle =
      std::atan2(a.z + o.coupler * std::sin(coupler_angle), a.x + o.coupler * std::cos(coupler_angle) - o.ground);

  ModelBuilder b("four_bar");
  add_bar(b, "crank", o.crank);
  add_bar(b, "coupler", o.coupler);
  add_bar(b, "rocker", o.rocker);
  b.revolute("crank_joint", "world", "crank").at({0, 0, kPivotHeight}).axis(kTurnUp).neutral({o.angle});
  b.revolute("crank_pin", "crank", "coupler").at({o.crank, 0, 0}).axis(kTurnUp).neutral({coupler_angle - o.angle});
  b.revolute("rocker_joint", "world", "rocker").at({o.ground, 0, kPivotHeight}).axis(kTurnUp).neutral({rocker_angle});
  close_loop(b, "coupler_pin", "coupler", {o.coupler, 0, 0}, "rocker", {o.rocker, 0, 0});
  return std::move(b.spec());
}

ModelSpec crank_piston(const CrankPistonOptions& o) {
  for (const double x : {o.l1, o.l2, o.arm, o.forearm}) check_range("crank_piston", "a length", x, 1e-6, 1e6);
  check_range("crank_piston", "angle", o.angle, 1e-6, std::numbers::pi - 1e-6);
  check_range("crank_piston", "arm", o.arm, o.l2, 1e6);
  const double c = std::cos(o.angle), s = std::sin(o.angle);
  const double theta2 = std::atan2(o.l2 * s, o.l2 * c - o.l1);                  // [F08 Fig 8.3]
  const double d = std::sqrt(o.l1 * o.l1 + o.l2 * o.l2 - 2 * o.l1 * o.l2 * c);  // [F08 Fig 8.3]

  ModelBuilder b("crank_piston");
  add_bar(b, "arm", o.arm, 15);
  // Half the stroke is cylinder, half is piston; the piston's frame is at the pin.
  const double half = d / 2;
  add_bar(b, "cylinder", 1.2 * half, 12);
  BodyBuilder piston = b.body("piston");
  add_solid(b.spec(), piston, quiet(rod(8 * half, 0.012, {-half, 0, 0})));
  add_bar(b, "forearm", o.forearm, 10);
  b.revolute("arm_joint", "world", "arm").at({0, 0, kPivotHeight}).axis(kTurnUp).neutral({o.angle});
  b.revolute("cylinder_joint", "world", "cylinder").at({o.l1, 0, kPivotHeight}).axis(kTurnUp).neutral({theta2});
  b.prismatic("piston_joint", "cylinder", "piston")
      .axis({1, 0, 0})
      .neutral({d})
      .limits(std::abs(o.l2 - o.l1), o.l2 + o.l1)
      .max_effort(2e4);
  b.revolute("forearm_joint", "arm", "forearm").at({o.arm, 0, 0}).axis(kTurnUp).neutral({-o.angle}).limits(-2.6, 0.5);
  close_loop(b, "piston_pin", "arm", {o.l2, 0, 0}, "piston", {});
  add_frame(b.spec(), "tip", "forearm", shift_frame(Point{o.forearm, 0, 0}));
  return std::move(b.spec());
}

}  // namespace sinew::mechanisms
