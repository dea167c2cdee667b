// sinew/tree/reference_frame.hpp - the place and the coordinates of a spatial quantity that is asked for
#pragma once
#include "sinew/model/entries.hpp"

namespace sinew {

enum class ReferenceFrame {
  world,  // axes of the world, about the world's origin      (Pinocchio: WORLD)
  body,   // axes of the place itself, about its origin       (Pinocchio: LOCAL)
  mixed,  // axes of the world, about the origin of the place (Pinocchio: LOCAL_WORLD_ALIGNED)
};

// A body or a frame: model.bodies()[i], model.frames()[i], *model.find_frame("tool").
struct Place {
  Place(const BodyEntry& b) : node(b.node), in_node(b.in_node) {}   // NOLINT(google-explicit-constructor)
  Place(const FrameEntry& f) : node(f.node), in_node(f.in_node) {}  // NOLINT(google-explicit-constructor)

  int node;
  Transform<double> in_node;  // place <- node's frame
};

}  // namespace sinew
