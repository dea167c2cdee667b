// sinew/constraint/rank/clusters.hpp - groups of constraints that share joints [F08 section 8.9]
// With the coordinates of each cluster side by side K is block-diagonal, with gaps for coordinates that no constraint
// touches; G is block-diagonal, with an identity for each gap. Clusters may be solved one by one.
#pragma once
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// All ascending.
struct LoopCluster {
  std::vector<int> constraints;
  std::vector<int> rows;
  std::vector<int> joints;       // of the model, on the paths of these constraints
  std::vector<int> coordinates;  // velocity coordinates of those joints: the columns of K that may be nonzero
};

// In the order of their first constraints. A loop's path is that between its two bodies; joints above the body where
// the two branches meet move both sides equally and do not count. A custom constraint counts everything that moves its
// nodes. Constraints without coordinates are clusters of their own.
std::vector<LoopCluster> find_clusters(const Model&, const ConstraintSet&);

// Velocity coordinates on the path of one constraint, ascending.
std::vector<int> find_coordinates(const Model&, const ConstraintSet&, int constraint);

}  // namespace sinew
