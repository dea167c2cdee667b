// apps/make_models/adapt.hpp - a mechanism as a file format can express it
#pragma once
#include <string>

#include "sinew/model/spec.hpp"

namespace sinew::make_models {

// As MJCF can express it: joints in depth-first order, a revolute loop as two balls 0.1 m apart on its axis.
ModelSpec adapt_to_mjcf(ModelSpec);

// URDF text of a tree of revolute, prismatic and fixed joints on the world. Frames become links without mass, a
// capsule a cylinder and two spheres, a coupling to one joint a mimic. Loops, planes and keyframes are left out.
// Throws std::invalid_argument, naming the element, for what URDF cannot express.
std::string to_urdf(const ModelSpec&, const std::string& comment);

}  // namespace sinew::make_models
