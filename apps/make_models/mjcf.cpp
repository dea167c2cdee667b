// apps/make_models/mjcf.cpp
#include <stdexcept>
#include <utility>

#include "adapt.hpp"

namespace sinew::make_models {
namespace {

constexpr double kHalfPin = 0.05;  // [m]

std::vector<LoopSpec> split(const LoopSpec& l) {
  if (l.kind == JointKind::fixed || l.kind == JointKind::spherical) return {l};
  if (l.kind != JointKind::revolute)
    throw std::invalid_argument("loop '" + l.name + "' is not revolute, fixed or spherical");
  std::vector<LoopSpec> balls;
  const Vec3<double> axis = (kHalfPin / norm(l.axis)) * l.axis;
  for (const double side : {-1.0, 1.0}) {
    LoopSpec ball = l;
    ball.kind = JointKind::spherical;
    ball.name += side < 0 ? "_1" : "_2";
    ball.pose_a = shift_frame(side * axis) * l.pose_a;
    ball.pose_b = shift_frame(side * axis) * l.pose_b;
    balls.push_back(std::move(ball));
  }
  return balls;
}

// Children in the order of their joints.
std::vector<std::size_t> depth_first(const ModelSpec& spec) {
  std::vector<std::size_t> order;
  std::vector<std::string> stack{spec.world};
  while (!stack.empty()) {
    const std::string body = std::move(stack.back());
    stack.pop_back();
    for (std::size_t j = spec.joints.size(); j-- > 0;) {
      if (spec.joints[j].parent == body) stack.push_back(spec.joints[j].child);
      if (spec.joints[j].child == body) order.push_back(j);
    }
  }
  return order;
}

}  // namespace

ModelSpec adapt_to_mjcf(ModelSpec spec) {
  std::vector<LoopSpec> loops;
  for (const LoopSpec& l : spec.loops)
    for (LoopSpec& ball : split(l)) loops.push_back(std::move(ball));
  spec.loops = std::move(loops);

  std::vector<JointSpec> joints;
  const std::vector<std::size_t> order = depth_first(spec);
  bool moved = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    moved |= order[i] != i;
    joints.push_back(spec.joints[order[i]]);
  }
  if (moved && !spec.keyframes.empty())
    throw std::invalid_argument("the keyframes of '" + spec.name + "' are in another order");
  spec.joints = std::move(joints);
  return spec;
}

}  // namespace sinew::make_models
