// sinew/operators/aggregation.hpp - several nodes of an SKO model as one node [J11 sections 2.3, 8.1]
//   Aggregation<double> legs(rigid.sko, {{"left leg", {3, 4, 5}}, {"right leg", {6, 7, 8}}});
//   rigid.update(q, v);  legs.update();  forward_dynamics(legs.sko, ws, legs.freedoms.to_new(tau), qdd);
// The velocity of the new node is the stack of those of its members. With E_in the weights between members, E_out those
// from members to the parent's node, and A_in = (1 - E_in)^-1:
//   A(p, k) = E_out A_in,   H(k) = H A_in,   M(k) = diag M,   a(k) = A_in^* a,   b(k) = b
// so that V, f, theta', T and the mass matrix are the same numbers in another order. A node that you name in no group
// keeps a node of its own. Members need not hang together: two rotors on one parent are a fine group.
// Cost of an update: O(n m^2) for a group of n members and m numbers; it allocates nothing.
// Errors: a node in two groups, an empty group, and a partition whose nodes do not form a tree throw
// std::invalid_argument; Shape names the nodes and gives the reason [J11 section 8.2].
// The original model must outlive the aggregation.
#pragma once
#include <string>

#include "sinew/operators/reorder.hpp"
#include "sinew/operators/sko_model.hpp"

namespace sinew::sko {
class RigidSko;

// Nodes that become one.
struct NodeGroup {
  std::string name;
  std::vector<int> nodes;
};

template <class T>
class Aggregation {
  struct Member {
    int node, parent;          // of the original model; parent: kInertial where it lies outside the group
    int begin, freedom_begin;  // in the velocity and in the freedoms of the new node
    int parent_begin;          // of the parent, in the velocity of the node that holds it
  };
  const SkoModel<T>* original_;
  std::vector<int> holder_;                   // (nodes of the original) the new node that holds it
  std::vector<std::vector<Member>> members_;  // of each new node, base to tips

 public:
  Aggregation(const SkoModel<T>& original, const std::vector<NodeGroup>&);
  Aggregation(const SkoModel<T>&& original, const std::vector<NodeGroup>&) = delete;

  void update();               // the blocks of `sko`, from those of the original model
  int holder(int node) const;  // the new node that holds a node of the original model

  Reorder nodes, freedoms;  // stacked vectors: original order -> order of `sko`
  SkoModel<T> sko;
};

// The groups of nodes that hold groups of bodies, by the names of the bodies; a group is named after its first body.
// Welded bodies share a node. Throws std::invalid_argument for a name that does not exist, for the world, and for
// bodies of one node in two groups.
std::vector<NodeGroup> find_groups(const RigidSko&, const std::vector<std::vector<std::string>>& bodies);

}  // namespace sinew::sko
