// src/sim/contact_source.cpp
#include "sinew/sim/contact_source.hpp"

#include <memory>

#include "sinew/contact/contact_shapes.hpp"

namespace sinew {

ContactSource make_contact_source(const Model& m) {
  return [shapes = std::make_shared<ContactShapes>(m)](const KinematicsWorkspace<double>& kinematics, double,
                                                       double reach, std::vector<ContactPoint>& out) {
    shapes->find(kinematics, reach, out);
  };
}

}  // namespace sinew
