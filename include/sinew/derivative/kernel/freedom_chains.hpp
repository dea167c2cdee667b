// sinew/derivative/kernel/freedom_chains.hpp - the freedoms of a tree in chains that do not branch, whose rows a solver
// keeps in registers together
#pragma once
#include <vector>

#include "sinew/model/dof_tree.hpp"

namespace sinew {

// Freedoms begin .. end - 1, each but the first the only child of the one before.
struct FreedomChain {
  int begin, end;
};
// The longest one: so many rows of a strip fit into registers.
inline constexpr int kMostChain = 6;
// All freedoms in chains; a long one is cut into chains of like lengths.
inline std::vector<FreedomChain> make_freedom_chains(const DofTree& tree) {
  std::vector<FreedomChain> out;
  for (int begin = 0, end = 0; begin < tree.size(); begin = end) {
    end = begin + 1;
    while (end < tree.size() && tree.parent(end) == end - 1 && tree.end(end) == tree.end(end - 1)) ++end;
    const int pieces = (end - begin + kMostChain - 1) / kMostChain;
    for (int k = 0, from = begin; k < pieces; ++k) {
      const int to = begin + (end - begin) * (k + 1) / pieces;
      out.push_back({from, to});
      from = to;
    }
  }
  return out;
}

}  // namespace sinew
