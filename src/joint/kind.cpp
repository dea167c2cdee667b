// src/joint/kind.cpp
#include "sinew/joint/kind.hpp"

namespace sinew {

std::string_view to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed: return "fixed";
    case JointKind::revolute: return "revolute";
    case JointKind::prismatic: return "prismatic";
    case JointKind::helical: return "helical";
    case JointKind::cylindrical: return "cylindrical";
    case JointKind::planar: return "planar";
    case JointKind::spherical: return "spherical";
    case JointKind::spherical_ypr: return "spherical_ypr";
    case JointKind::universal: return "universal";
    case JointKind::free: return "free";
    case JointKind::rack_and_pinion: return "rack_and_pinion";
    case JointKind::prescribed: return "prescribed";
    case JointKind::composite: return "composite";
    case JointKind::user: return "user";
  }
  return "unknown";
}

}  // namespace sinew
