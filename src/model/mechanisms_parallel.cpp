// src/model/mechanisms_parallel.cpp - several loops, and Bricard's mechanism, which counting says cannot move
#include <cmath>

#include "mechanisms_parts.hpp"

namespace sinew::mechanisms {
namespace {

void add_link(ModelBuilder& b, const std::string& name, const Solid& solid) {
  BodyBuilder body = b.body(name);
  add_solid(b.spec(), body, quiet(solid));
}

LoopSpec make_loop(const std::string& name, JointKind kind, const std::string& body_a, const Pose& pose_a,
                   const std::string& body_b, const Pose& pose_b, const Point& axis) {
  LoopSpec loop;
  loop.name = name;
  loop.kind = kind;
  loop.body_a = body_a, loop.body_b = body_b;
  loop.pose_a = pose_a, loop.pose_b = pose_b;
  loop.axis = axis;
  return loop;
}

}  // namespace

ModelSpec stewart_platform(const StewartOptions& o) {
  check_range("stewart_platform", "base", o.base, 1e-3, 1e3);
  check_range("stewart_platform", "top", o.top, 1e-3, 1e3);
  check_range("stewart_platform", "height", o.height, 1e-3, 1e3);
  ModelBuilder b("stewart_platform");
  add_link(b, "platform", block(8, {0.7 * o.top, 0.7 * o.top, 0.03}, {}));
  b.free("platform_joint", "world", "platform").neutral({1, 0, 0, 0, 0, 0, o.height});
  for (int i = 0; i < 6; ++i) {
    // Pairs of legs meet nearly on the base at 0, 120, 240 degrees, and on the platform half way between.
    const int corner = i / 2;
    const double pair = 2 * std::numbers::pi / 3 * corner, side = i % 2 == 0 ? -1 : 1;
    const double low = pair + side * 0.2, high = pair + side * (std::numbers::pi / 3 - 0.2);
    const Point foot{o.base * std::cos(low), o.base * std::sin(low), 0};
    const Point pin{o.top * std::cos(high), o.top * std::sin(high), 0};
    const Point leg = pin + Point{0, 0, o.height} - foot;
    const double length = norm(leg);
    // A turn about x, then about y: z goes to (sin b, -sin a cos b, cos a cos b).
    const double turn_y = std::asin(leg.x / length), turn_x = std::atan2(-leg.y, leg.z);
    const std::string cylinder = numbered("cylinder", i + 1), piston = numbered("piston", i + 1);
    add_link(b, cylinder, rod(1.5, 0.03, {0, 0, 0.5 * length}));
    add_link(b, piston, rod(0.8, 0.02, {0, 0, -0.5 * length}));
    b.universal(numbered("foot", i + 1), "world", cylinder)
        .at(foot)
        .axes({1, 0, 0}, {0, 1, 0})
        .neutral({turn_x, turn_y});
    b.prismatic(numbered("leg", i + 1), cylinder, piston).axis({0, 0, 1}).neutral({length});
    b.loop(
        make_loop(numbered("pin", i + 1), JointKind::spherical, piston, {}, "platform", shift_frame(pin), {0, 0, 1}));
  }
  return std::move(b.spec());
}

ModelSpec scissor_lift(const ScissorLiftOptions& o) {
  check_range("scissor_lift", "stages", o.stages, 1, 1000);
  check_range("scissor_lift", "bar", o.bar, 1e-3, 1e3);
  check_range("scissor_lift", "angle", o.angle, 1e-6, std::numbers::pi / 2 - 1e-6);
  ModelBuilder b("scissor_lift");
  const double across = std::numbers::pi - 2 * o.angle;  // from a rising bar to a falling one
  const Point middle{o.bar / 2, 0, 0}, end{o.bar, 0, 0};
  for (int i = 1; i <= o.stages; ++i) {
    const std::string rising = numbered("rising", i), falling = numbered("falling", i);
    add_link(b, rising, rod(2 * o.bar, 0.02, end));
    add_link(b, falling, rod(2 * o.bar, 0.02, end));
    const std::string below = numbered("rising", i - 1);
    if (i == 1)
      b.revolute("foot", "world", rising).at({0, 0, kPivotHeight}).axis(kTurnUp).neutral({o.angle});
    else
      b.revolute(numbered("left", i), numbered("falling", i - 1), rising).at(end).axis(kTurnUp).neutral({-across});
    if (i == 1 || o.local_loops)
      b.revolute(numbered("middle", i), rising, falling).at(middle).on_child(middle).axis(kTurnUp).neutral({across});
    else
      b.revolute(numbered("right", i), below, falling).at(end).axis(kTurnUp).neutral({across});
    if (i == 1) continue;
    if (o.local_loops)
      b.loop(make_loop(numbered("right", i), JointKind::revolute, below, shift_frame(end), falling, {}, kTurnUp));
    else
      b.loop(make_loop(numbered("middle", i), JointKind::revolute, rising, shift_frame(middle), falling,
                       shift_frame(middle), kTurnUp));
  }
  add_link(b, "slider", block(1, {0.05, 0.03, 0.03}, {}));
  b.prismatic("rail", "world", "slider").at({0, 0, kPivotHeight}).axis({1, 0, 0}).neutral({o.bar * std::cos(o.angle)});
  b.loop(make_loop("shoe", JointKind::revolute, "falling1", {}, "slider", {}, kTurnUp));
  return std::move(b.spec());
}

ModelSpec bricard(const BricardOptions& o) {
  check_range("bricard", "link", o.link, 1e-3, 1e3);
  check_range("bricard", "angle", o.angle, 1e-3, 2 * std::numbers::pi / 3 - 1e-3);
  // Three angles are `angle`, the three between them have cos = -cos / (1 + cos).
  const double c = std::cos(o.angle), other = std::acos(-c / (1 + c));
  ModelBuilder b("bricard");
  const auto twist = [](int i) { return i % 2 == 0 ? std::numbers::pi / 2 : -std::numbers::pi / 2; };
  for (int i = 0; i < 5; ++i) {
    const std::string link = numbered("link", i + 1);
    add_link(b, link, rod(1.5 * o.link, 0.02, {o.link, 0, 0}));
    JointBuilder joint = b.revolute(numbered("joint", i + 1), i == 0 ? "world" : numbered("link", i), link);
    joint.axis({0, 0, 1}).neutral({i % 2 == 0 ? o.angle : other});
    if (i == 0)
      joint.at({0, 0, kPivotHeight});
    else
      joint.at({o.link, 0, 0}, {twist(i - 1), 0, 0});
  }
  b.loop(make_loop("joint6", JointKind::revolute, "link5", make_placement({o.link, 0, 0}, {twist(4), 0, 0}), "world",
                   make_placement({-o.link, 0, kPivotHeight}, {-twist(5), 0, 0}), {0, 0, 1}));
  return std::move(b.spec());
}

}  // namespace sinew::mechanisms
