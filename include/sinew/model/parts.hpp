// sinew/model/parts.hpp - a model of several trees as one model per tree
// A tree is one child node of the world and everything below it; only loops, contacts and other rows couple trees.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// One tree of a model, as a model.
struct ModelPart {
  Model model;            // bodies and joints of the tree alone: no shapes, frames, loops, couplings, actuators
  int shift = 0;          // node i of the part, i > 0, is node i + shift of the whole
  std::vector<int> q, v;  // of the whole, one per coordinate of the part
};
// In the order of their nodes. A model of one tree, or of none, is not taken apart: no parts.
std::vector<ModelPart> split_trees(const Model&);

}  // namespace sinew
