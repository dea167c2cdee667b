// sinew/constraint/embedding/groups.hpp - bodies that become one node when their loops are embedded [J11 section 8.1]
// A cluster of constraints (constraint/rank/clusters.hpp) ties the joints on its paths. Its bodies can be one node of a
// tree if each body between two of them belongs to it too, and if all of them hang on one body outside. So a group is
// the cluster's bodies and those between; clusters that then share a body are one group. With groups for nodes the
// mechanism is a tree again, whatever loops it has.
#pragma once
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// All ascending.
struct EmbeddedGroup {
  int parent = 0;                // the node that all of them hang on; 0: the world
  std::vector<int> nodes;        // parents before children
  std::vector<int> coordinates;  // velocity coordinates of these nodes
  std::vector<int> constraints;  // those between these nodes
};

// In the order of their first nodes: a group comes after the one that it hangs on. Constraints without coordinates are
// in no group.
std::vector<EmbeddedGroup> find_groups(const Model&, const ConstraintSet&);

}  // namespace sinew
