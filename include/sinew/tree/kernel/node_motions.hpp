// sinew/tree/kernel/node_motions.hpp - first pass of many tree algorithms: positions and velocities of nodes
// For algorithms that follow the book's equations, on every kind of joint: hybrid, floating_base, dca.
//   v_i = X v_lambda(i) + v_J,   c_i = c_J + v_i x v_J   [F08 7.32-7.35]
// Frames: everything in its own node's frame, about its origin.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

template <class T>
struct NodeMotions {
  explicit NodeMotions(const Model&);
  MadeFor made_for;
  std::vector<Transform<T>> X;     // (nodes) node <- parent; <- world for the children of the world
  std::vector<Motion<T>> S;        // (nv) the joint motion of each velocity coordinate
  std::vector<Motion<T>> v;        // (nodes) velocity
  std::vector<Motion<T>> c;        // (nodes) acceleration of the joint where dv/dt = 0
  std::vector<Force<T>> external;  // (nodes) external forces on the bodies of the node, and those of armature
};

// For every scalar of the closed set. Sizes are checked; `call` is named in what is thrown.
template <class T>
void calc_node_motions(const char* call, const Model&, NodeMotions<T>&, In<T> q, In<T> v,
                       const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
