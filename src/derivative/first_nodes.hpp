// src/derivative/first_nodes.hpp - in whose frame the slopes of a tree are written
#pragma once
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// (nodes) The first node of its tree; 0 for the world.
inline std::vector<int> find_first_nodes(const Model& m) {
  std::vector<int> out(m.nodes().size());
  for (std::size_t i = 1; i < out.size(); ++i) {
    const int parent = m.nodes()[i].parent;
    out[i] = parent == 0 ? static_cast<int>(i) : out[at(parent)];
  }
  return out;
}

}  // namespace sinew
