// tests/support/naive_kinematics.hpp - body poses straight from the spec, by homogeneous 4x4 matrices
// An independent path: active rotations about the written axes, no canonical frames, no merging, no spatial types.
#pragma once
#include <Eigen/Dense>
#include <map>
#include <string>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew::test {

// Pose of every body in the world.
std::map<std::string, Eigen::Isometry3d> naive_poses(const ModelSpec&, const std::vector<double>& q, double t);

Eigen::Isometry3d to_isometry(const Pose&);

}  // namespace sinew::test
