// bench/peers/pinocchio_kinematics.cpp
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_jacobians(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::computeJointJacobians(model, data, s.q);
}

void call_kinematics(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::forwardKinematics(model, data, s.q);
}

}  // namespace peers
