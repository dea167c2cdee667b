// src/model/align_frames.hpp - Denavit-Hartenberg frames for the nodes of a tree
#pragma once
#include <vector>

#include "sinew/model/entries.hpp"

namespace sinew {

// Moves the frames of nodes whose joints act along one axis: along and about that axis, which changes nothing else.
// Each such node's x axis is laid along the common normal to the axis of one of its children. Placements, inertias
// and bodies follow; Node::axial is filled.
void align_frames(std::vector<Node>& nodes, std::vector<BodyEntry>& bodies);

}  // namespace sinew
