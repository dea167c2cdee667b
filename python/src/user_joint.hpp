// python/src/user_joint.hpp - a user's joint as Python holds it
#pragma once
#include "callable.hpp"
#include "sinew/joint/user.hpp"

namespace sinew::py {

struct PyUserJoint {
  std::shared_ptr<const UserJoint> joint;
};

}  // namespace sinew::py
