// sinew/sweep/kernel/general_joint.hpp - what a sweep remembers of a joint that is not of one axis
#pragma once
#include "sinew/joint/motion.hpp"

namespace sinew {

template <class T>
struct GeneralJoint {
  Transform<T> X;              // link <- parent
  Motion<T> S[kMaxJointDofs];  // the first nv columns
};

}  // namespace sinew
