// tests/support/random_tree.cpp
#include "support/random_tree.hpp"

#include <cmath>

#include "sinew/joint/joint.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/model/solids.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/user_joints.hpp"

namespace sinew::test {

Vec3<double> random_vec(Random& rng, double size) {
  return {rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size)};
}
Vec3<double> random_unit(Random& rng) {
  const Vec3<double> v{rng.normal(), rng.normal(), rng.normal()};
  return (1 / norm(v)) * v;
}
Pose random_pose(Random& rng, double size) {
  const Quaternion<double> q{rng.normal(), rng.normal(), rng.normal(), rng.normal()};
  return make_pose(random_vec(rng, size), normalized(q));
}

BodySpec random_body(Random& rng, const std::string& name) {
  const Vec3<double> radii{rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3)};
  const MassProperties p = placed(solid_ellipsoid(rng.uniform(0.2, 3), radii), random_pose(rng, 0.3));
  return {name, p.mass, p.com, p.inertia, {}};
}

std::vector<JointKind> all_kinds() {
  std::vector<JointKind> kinds;
  for (int k = 0; k <= static_cast<int>(JointKind::user); ++k) kinds.push_back(static_cast<JointKind>(k));
  return kinds;
}

JointSpec random_joint(Random& rng, JointKind kind, const std::string& name) {
  JointSpec j;
  j.name = name;
  j.kind = kind;
  j.placement = random_pose(rng);
  j.child_placement = random_pose(rng);
  j.axis = random_unit(rng);
  const Vec3<double> other = random_unit(rng), across = cross(j.axis, other);
  j.axis2 = (1 / norm(across)) * across;
  j.pitch = rng.uniform(-0.3, 0.3);
  j.radius = rng.uniform(0.05, 0.3);
  j.reversed = rng.below(4) == 0;
  if (kind == JointKind::prescribed) {
    const JointKind moves[] = {JointKind::revolute, JointKind::prismatic, JointKind::helical};
    j.prescribed_kind = moves[rng.below(3)];
    const double w = rng.uniform(0.5, 2), a = rng.uniform(-1, 1);
    j.law = [a, w](double t) {
      return MotionSample{a * std::sin(w * t), a * w * std::cos(w * t), -a * w * w * std::sin(w * t)};
    };
  }
  if (kind == JointKind::user) j.user = make_user_joint(CamJoint{rng.uniform(0.1, 0.5)});
  if (kind == JointKind::composite)
    for (int k = 0; k < 3; ++k) {
      const JointKind parts[] = {JointKind::revolute,   JointKind::prismatic, JointKind::helical,
                                 JointKind::prescribed, JointKind::universal, JointKind::rack_and_pinion};
      j.parts.push_back(random_joint(rng, parts[rng.below(6)], name + "." + std::to_string(k)));
    }
  return j;
}

ModelSpec random_tree(std::uint64_t seed, const RandomTreeOptions& options) {
  Random rng(seed);
  const std::vector<JointKind> kinds = options.kinds.empty() ? all_kinds() : options.kinds;
  ModelSpec spec;
  spec.name = "random tree, seed " + std::to_string(seed);
  for (int i = 0; i < options.bodies; ++i) {
    const std::string name = "body" + std::to_string(i);
    spec.bodies.push_back(random_body(rng, name));
    JointSpec j = random_joint(rng, kinds[rng.below(static_cast<int>(kinds.size()))], "joint" + std::to_string(i));
    const int on = i == 0 ? -1 : rng.uniform() < options.branching ? rng.below(i + 1) - 1 : i - 1;
    j.parent = on < 0 ? spec.world : "body" + std::to_string(on);
    j.child = name;
    spec.joints.push_back(std::move(j));
  }
  return spec;
}

}  // namespace sinew::test
