// src/joint/mocap.cpp
#include "sinew/joint/mocap.hpp"

#include "sinew/joint/user.hpp"

namespace sinew {

const std::shared_ptr<const UserJoint>& get_mocap_joint() {
  static const std::shared_ptr<const UserJoint> shared = make_user_joint(MocapJoint{});
  return shared;
}

}  // namespace sinew
