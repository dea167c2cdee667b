// sinew/io/mjcf_write.hpp - a model as MuJoCo's XML
// Bodies, joints (fixed, revolute, prismatic, cylindrical, universal, spherical, free and composites of them),
// frames, shapes, meshes, heightfields, loops (weld, ball), couplings of one joint, actuators, contact filters and
// keyframes. Numbers are written so that they read back as the same bits. What MJCF cannot express is an error.
#pragma once
#include <string>

#include "sinew/base/result.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

struct MjcfWriteOptions {
  bool lossy = false;  // what MJCF cannot express is left out with a warning, if the rest is still a model
};

// The specification as MJCF. Refuses what MJCF cannot say, or names it in a warning if `lossy`.
Result<std::string> to_mjcf(const ModelSpec&, const MjcfWriteOptions& = {});

}  // namespace sinew
