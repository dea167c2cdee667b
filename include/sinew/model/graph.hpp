// sinew/model/graph.hpp - from a graph of bodies and joints to a spanning tree and loop joints [F08 section 4.1]
// Bodies 0..n-1, body 0 is the fixed base. Joint k leads from its predecessor to its successor.
#pragma once
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

struct GraphJoint {
  int predecessor, successor;
};

// Which joints become tree joints.
enum class SpanningTreeRule {
  first_listed,   // a joint is a tree joint unless earlier ones already connect its bodies
  minimum_depth,  // breadth first from the base: every body as near to it as the graph allows [F08 section 10.2]
};

// In the regular numbering: body i (0 is the base) is body[i] of the graph and hangs on tree joint joint[i].
struct SpanningTree {
  std::vector<int> body;         // regular number -> graph body
  std::vector<int> parent;       // regular number -> regular number; parent[0] = -1
  std::vector<int> joint;        // regular number -> graph joint; joint[0] = -1
  std::vector<bool> reversed;    // the tree runs from successor to predecessor through this joint
  std::vector<int> loop_joints;  // the others, ascending: N_L = N_J - N_B of them
  std::vector<int> unreachable;  // graph bodies that no joint ties to the base
};

// Body 0 of the graph is the base.
SpanningTree find_spanning_tree(int bodies, const std::vector<GraphJoint>& joints,
                                SpanningTreeRule rule = SpanningTreeRule::first_listed);

// The same on a spec. Joints that close loops move to `loops` (a note names each). Tree joints that lead towards the
// world have parent and child swapped and are marked reversed. Fails where no joint connects a body to the world.
Result<ModelSpec> cut_loops(ModelSpec spec, SpanningTreeRule rule = SpanningTreeRule::first_listed);

}  // namespace sinew
