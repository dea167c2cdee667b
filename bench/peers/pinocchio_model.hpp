// bench/peers/pinocchio_model.hpp - Pinocchio's model of a URDF file, built here from what its own reader says
#pragma once
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <string>
#include <vector>

namespace peers {

// Runs pinocchio_side.py, which see.
pinocchio::Model load_pinocchio(const std::string& urdf, bool floating);

struct Contact {
  pinocchio::JointIndex joint;
  int rows;
  pinocchio::SE3 placement;
};
std::vector<Contact> load_contacts(const std::string& urdf, bool floating, const std::string& contacts);

}  // namespace peers
