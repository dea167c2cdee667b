// tests/support/random_tree.hpp - random trees over every joint type, from a printed seed
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/model/spec.hpp"

namespace sinew::test {

Vec3<double> random_vec(Random&, double size = 1);
Vec3<double> random_unit(Random&);
Pose random_pose(Random&, double size = 0.5);
// A physical inertia: a random solid ellipsoid, turned and moved.
BodySpec random_body(Random&, const std::string& name);
// Any kind but `composite`'s limits hold: parameters, axes, reversal and prescribed laws are random too.
JointSpec random_joint(Random&, JointKind kind, const std::string& name);

struct RandomTreeOptions {
  int bodies = 10;
  std::vector<JointKind> kinds;  // empty: all of them
  double branching = 0.5;        // chance that a body hangs on a random one rather than on the last
};
ModelSpec random_tree(std::uint64_t seed, const RandomTreeOptions& = {});

// Every kind there is.
std::vector<JointKind> all_kinds();

}  // namespace sinew::test
