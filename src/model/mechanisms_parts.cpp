// src/model/mechanisms_parts.cpp
#include "mechanisms_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "sinew/spatial/orientation.hpp"

namespace sinew::mechanisms {

void check_range(const char* call, const char* name, double value, double lower, double upper) {
  if (!(value >= lower && value <= upper))
    throw std::invalid_argument(
        fmt::format("mechanisms::{}: {} is {:g}, must be in {:g} .. {:g}", call, name, value, lower, upper));
}

void add_solid(ModelSpec& spec, BodyBuilder& body, const Solid& s) {
  const bool is_rod = s.half == Point{};
  if (is_rod) {
    const double length = norm(s.tip), half = std::max(length / 2 - s.radius, 0.05 * length);
    const Pose pose{rotation_to_z((1 / length) * s.tip), 0.5 * s.tip};
    body.plus(solid_capsule(s.mass, s.radius, half), pose).capsule(s.radius, half, pose);
  } else if (s.radius > 0) {
    body.plus(solid_sphere(s.mass, s.radius), shift_frame(s.tip)).sphere(s.radius, shift_frame(s.tip));
  } else {
    body.plus(solid_box(s.mass, s.half), shift_frame(s.tip)).box(s.half, shift_frame(s.tip));
  }
  spec.shapes.back().collides = s.collides;
  spec.shapes.back().rgba = s.collides ? std::array{0.78, 0.80, 0.84, 1.0} : std::array{0.30, 0.36, 0.45, 1.0};
}

void add_floor(ModelSpec& spec) {
  ShapeSpec s;
  s.name = "floor";
  s.body = spec.world;
  s.kind = ShapeKind::plane;
  spec.shapes.push_back(std::move(s));
}

void add_frame(ModelSpec& spec, const std::string& name, const std::string& body, const Pose& pose) {
  spec.frames.push_back({name, body, pose, {}});
}

std::string add_chain(ModelBuilder& b, std::string parent, std::span<const Segment> segments, const Naming& n) {
  for (const Segment& s : segments) {
    Solid solid = s.solid;
    solid.tip = n.place(solid.tip);
    BodyBuilder body = b.body(n(s.body));
    add_solid(b.spec(), body, solid);
    b.revolute(n(s.joint), parent, n(s.body))
        .at(n.place(s.at), n.turn(s.rpy))
        .axis(n.turn(s.axis))
        .limits(s.lower, s.upper)
        .max_effort(s.effort)
        .max_velocity(s.speed)
        .damping(0.005 * s.effort);
    parent = n(s.body);
  }
  return parent;
}

void exclude_neighbours(ModelSpec& spec) {
  std::unordered_map<std::string, std::string> parent;
  for (const JointSpec& j : spec.joints) parent[j.child] = j.parent;
  std::unordered_set<std::string> touching;
  for (const ShapeSpec& s : spec.shapes)
    if (s.collides) touching.insert(s.body);
  for (const BodySpec& b : spec.bodies) {
    if (!touching.contains(b.name)) continue;
    std::string above = parent.at(b.name);
    while (above != spec.world && !touching.contains(above)) above = parent.at(above);
    if (above != spec.world) spec.exclusions.push_back({above, b.name, {}});
  }
  // Links that fork from one point.
  for (std::size_t i = 0; i < spec.joints.size(); ++i)
    for (std::size_t k = i + 1; k < spec.joints.size(); ++k) {
      const JointSpec &a = spec.joints[i], &b = spec.joints[k];
      const bool fork = a.parent == b.parent && a.parent != spec.world && a.placement.r == b.placement.r;
      if (fork && touching.contains(a.child) && touching.contains(b.child))
        spec.exclusions.push_back({a.child, b.child, {}});
    }
  for (const LoopSpec& l : spec.loops)
    if (touching.contains(l.body_a) && touching.contains(l.body_b)) spec.exclusions.push_back({l.body_a, l.body_b, {}});
}

std::vector<ModelSpec> gallery() {
  return {pendulum(3),
          pendulum(12),
          gu(6),
          chain(12),
          binary_tree(3),
          stem_with_branches(6, 2),
          humanoid(),
          hand(),
          humanoid_with_hands(1),
          humanoid_with_hands(2),
          dual_arm(),
          geared_arm(),
          crank_slider(),
          four_bar(),
          crank_piston()};
}

}  // namespace sinew::mechanisms
