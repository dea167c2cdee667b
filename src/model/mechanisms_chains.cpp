// src/model/mechanisms_chains.cpp - pendulum, general chains, trees
#include <bit>
#include <cmath>

#include "mechanisms_parts.hpp"
#include "sinew/base/random.hpp"
#include "sinew/model/dh.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::mechanisms {
namespace {

// Random, with either sign and its size in (lower, upper): never near zero.
double away_from_zero(Random& random, double lower, double upper) {
  const double x = random.uniform(lower, upper);
  return random.next() % 2 == 0 ? x : -x;
}

Point random_point(Random& random, double lower, double upper) {
  const double x = away_from_zero(random, lower, upper), y = away_from_zero(random, lower, upper);
  return {x, y, away_from_zero(random, lower, upper)};
}

Rotation<double> random_rotation(Random& random) {
  Quaternion<double> q;
  q.w = random.normal(), q.x = random.normal(), q.y = random.normal(), q.z = random.normal();
  return to_rotation(normalized(q));
}

// A box with random sides, turn and place near the origin: none of its ten inertial parameters is special.
MassProperties random_link(Random& random) {
  const double x = random.uniform(0.03, 0.06), y = random.uniform(0.05, 0.09), z = random.uniform(0.08, 0.15);
  const MassProperties box = solid_box(random.uniform(0.5, 2), {x, y, z});
  const Rotation<double> turn = random_rotation(random);
  return placed(box, {turn, random_point(random, 0.02, 0.1)});
}

// A thin capsule from a joint to the next one, for display.
void add_bar(ModelSpec& spec, const std::string& body, const Point& tip) {
  ShapeSpec s;
  s.body = body;
  s.kind = ShapeKind::capsule;
  s.size = {0.02, norm(tip) / 2, 0};
  s.pose = {rotation_to_z((1 / norm(tip)) * tip), 0.5 * tip};
  s.collides = false;
  spec.shapes.push_back(std::move(s));
}

ShapeSpec make_plane(const char* name, const Pose& pose, const PendulumOptions& o) {
  ShapeSpec s;
  s.name = name;
  s.body = "world";
  s.kind = ShapeKind::plane;
  s.pose = pose;
  s.friction = o.friction;
  s.restitution = o.restitution;
  return s;
}

}  // namespace

ModelSpec pendulum(int n, const PendulumOptions& o) {
  check_range("pendulum", "n", n, 1, 100000);
  check_range("pendulum", "length", o.length, 1e-6, 1e6);
  const double r = o.length / (2 * n);
  ModelBuilder b("pendulum" + std::to_string(n));
  b.gravity({0, 0, -9.8});
  ModelSpec& spec = b.spec();
  spec.timestep = 1e-4;
  spec.shapes.push_back(make_plane("floor", {}, o));
  const Rotation<double> facing_left{{0, 0, 1, 0, 1, 0, -1, 0, 0}};  // its normal is -x
  spec.shapes.push_back(make_plane("wall", {facing_left, {o.wall, 0, 0}}, o));

  KeyframeSpec start;
  start.name = "start";
  for (int i = 1; i <= n; ++i) {
    const Pose centre = shift_frame(Point{0, 0, -r});
    b.body(numbered("link", i)).mass(solid_sphere(o.mass, r), centre).sphere(r, centre);
    spec.shapes.back().friction = o.friction;
    spec.shapes.back().restitution = o.restitution;
    const Point at = i == 1 ? Point{0, 0, o.height} : Point{0, 0, -2 * r};
    b.revolute(numbered("pin", i), i == 1 ? "world" : numbered("link", i - 1), numbered("link", i))
        .at(at)
        .axis({0, 1, 0});
    start.q.push_back(i == 1 ? o.lean : 0);
    start.v.push_back(i == 1 ? -o.speed : 0);  // a positive turn about y moves what hangs down towards -x
  }
  b.spec().keyframes.push_back(std::move(start));
  add_frame(spec, "tip", numbered("link", n), shift_frame(Point{0, 0, -2 * r}));
  exclude_neighbours(spec);
  return std::move(spec);
}

ModelSpec gu(int n, std::uint64_t seed) {
  check_range("gu", "n", n, 1, 100000);
  Random random(seed);
  std::vector<DhRow> table;
  for (int i = 0; i < n; ++i) {
    DhRow row;
    row.a = away_from_zero(random, 0.1, 0.3);
    row.alpha = away_from_zero(random, 0.3, 1.2);
    row.d = away_from_zero(random, 0.1, 0.3);
    row.theta = away_from_zero(random, 0.2, 1.3);
    row.link = random_link(random);
    table.push_back(row);
  }
  ModelSpec spec = make_dh_chain("gu" + std::to_string(n), table, shift_frame(Point{0, 0, 1})).value();
  for (int i = 1; i < n; ++i) add_bar(spec, numbered("link", i), dh_transform(table[i]).r);
  return spec;
}

ModelSpec chain(int n, std::uint64_t seed) {
  check_range("chain", "n", n, 1, 100000);
  Random random(seed);
  ModelBuilder b("chain" + std::to_string(n));
  Point tip{0, 0, 1};
  std::string parent = "world";
  for (int i = 1; i <= n; ++i) {
    const std::string body = numbered("link", i);
    b.body(body).mass(random_link(random));
    JointBuilder joint = b.revolute(numbered("joint", i), parent, body);
    joint.at(tip, rpy_from_rotation(random_rotation(random)));
    const Point axis = random_point(random, 0.2, 1);
    joint.axis((1 / norm(axis)) * axis).limits(-std::numbers::pi, std::numbers::pi);
    tip = random_point(random, 0.05, 0.2);
    add_bar(b.spec(), body, tip);
    parent = body;
  }
  add_frame(b.spec(), "tip", parent, shift_frame(tip));
  return std::move(b.spec());
}

ModelSpec binary_tree(int levels) {
  check_range("binary_tree", "levels", levels, 1, 16);
  ModelBuilder b("binary_tree" + std::to_string(levels));
  for (int i = 1; i < 1 << levels; ++i) {
    const int level = static_cast<int>(std::bit_width(static_cast<unsigned>(i))) - 1;
    const auto length = [](int l) { return 0.4 * std::pow(0.8, l); };
    BodyBuilder body = b.body(numbered("body", i));
    const double size = length(level);
    add_solid(b.spec(), body, rod(12 * size * size, 0.08 * size, {0, 0, size}));
    // Children fork to both sides, in turn in the x-z and in the y-z plane.
    const double tilt = i == 1 ? 0 : (i % 2 == 0 ? -0.5 : 0.5);
    JointBuilder joint =
        b.revolute(numbered("joint", i), i == 1 ? "world" : numbered("body", i / 2), numbered("body", i));
    joint.at({0, 0, i == 1 ? 0 : length(level - 1)}, level % 2 == 1 ? Point{0, tilt, 0} : Point{tilt, 0, 0});
    joint.axis(level % 2 == 1 ? Point{0, 1, 0} : Point{1, 0, 0}).limits(-1, 1).damping(0.01);
  }
  exclude_neighbours(b.spec());
  return std::move(b.spec());
}

ModelSpec stem_with_branches(int stem_length, int branches, int branch_length) {
  check_range("stem_with_branches", "stem_length", stem_length, 1, 100000);
  check_range("stem_with_branches", "branches", branches, 1, 10000);
  check_range("stem_with_branches", "branch_length", branch_length, 1, 10000);
  constexpr double kLink = 0.25;
  constexpr Point kAxes[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  ModelBuilder b("stem" + std::to_string(stem_length) + "_branches" + std::to_string(branches));
  const auto add_link = [&](const std::string& body, double mass, double radius) {
    BodyBuilder link = b.body(body);
    add_solid(b.spec(), link, rod(mass, radius, {kLink, 0, 0}));
  };
  for (int i = 1; i <= stem_length; ++i) {
    add_link(numbered("stem", i), 2, 0.04);
    if (i == 1)
      b.free("floating", "world", "stem1").neutral({1, 0, 0, 0, 0, 0, 1});
    else
      b.revolute(numbered("stem_joint", i), numbered("stem", i - 1), numbered("stem", i))
          .at({kLink, 0, 0})
          .axis(kAxes[i % 3])
          .limits(-1, 1);
  }
  // Arms spread as the spokes of a wheel about the stem and bend a little at every joint, so that no pose is singular
  // merely because everything is straight. The arms of the last link come first: joints are in depth-first order.
  for (int i = 0; i < 2 * branches; ++i) {
    const bool far = i < branches;
    const int k = far ? i + branches : i - branches;
    std::string parent = far ? numbered("stem", stem_length) : "stem1";
    const double spoke = 2 * std::numbers::pi * (k % branches + (far ? 0.5 : 0)) / branches;
    for (int j = 1; j <= branch_length; ++j) {
      const std::string suffix = std::to_string(k + 1) + "_" + std::to_string(j);
      add_link("branch" + suffix, 0.8, 0.025);
      JointBuilder joint = b.revolute("branch_joint" + suffix, parent, "branch" + suffix);
      joint.at({kLink, 0, 0}, {0.2, 0.3, -0.25});
      if (j == 1)
        b.spec().joints.back().placement = {
            rotation_z(far ? std::numbers::pi / 3 : 2 * std::numbers::pi / 3) * rotation_x(spoke),
            {far ? kLink : 0, 0, 0}};
      joint.axis(kAxes[j % 3]).limits(-2, 2);
      parent = "branch" + suffix;
    }
    add_frame(b.spec(), numbered("tip", k + 1), parent, shift_frame(Point{kLink, 0, 0}));
  }
  exclude_neighbours(b.spec());
  return std::move(b.spec());
}

}  // namespace sinew::mechanisms
