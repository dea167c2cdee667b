// sinew/tree/hybrid.hpp - hybrid dynamics: accelerations are given for some coordinates, forces for the others
// Finds the rest of a and tau in  M(q) a + h(q, v) = tau + sum of J^T f_external.
//   hybrid_crba   by the inertia matrix H11 of the coordinates with given force   [F08 9.1-9.5], [F08 Table 9.1]
//   hybrid_aba    by articulated bodies, O(n)                                     [F08 9.6-9.10], [F08 Tables 9.2, 9.3]
// All forces given is forward dynamics, all accelerations given is inverse dynamics.
// Differs from [F08]: a joint's coordinates may be split between the two kinds. H11 is kept packed and factored as
//   L^T D L on the tree without the coordinates of given acceleration (lambda' of
//   Figure 9.1). Armature counts as inertia of its coordinate.
// Gravity enters as a_0 = -g.
#pragma once
#include <string_view>

#include "sinew/tree/kernel/articulated_steps.hpp"
#include "sinew/tree/kernel/node_motions.hpp"

namespace sinew {

// Which velocity coordinates have their acceleration given. Throws std::invalid_argument where one does not exist.
class HybridSplit {
 public:
  HybridSplit(const Model&, VectorView<const int> given);
  HybridSplit(const Model& m, std::initializer_list<int> given) : HybridSplit(m, std::vector<int>(given)) {}
  // All coordinates of the named joints, parts of composites too.
  static HybridSplit of_joints(const Model&, const std::vector<std::string_view>& names);

  const MadeFor& made_for() const { return made_for_; }
  // Whether the acceleration of velocity coordinate v is given.
  bool is_given(int v) const { return check_coordinate(v), given_[v] != 0; }
  // The tree of the coordinates with given force: the parent of each is the next of them towards the root.
  const DofTree& forward_tree() const { return forward_; }
  // nu(fd): true where a coordinate with given force moves the node. [F08 9.5]
  bool is_moved(int node) const {
    check_index("HybridSplit", "node", node, moved_.size());
    return moved_[node] != 0;
  }
  int node_of(int v) const { return check_coordinate(v), node_[v]; }

 private:
  void check_coordinate(int v) const { check_index("HybridSplit", "velocity coordinate", v, given_.size()); }

  MadeFor made_for_;
  std::vector<char> given_, moved_;
  std::vector<int> node_;
  DofTree forward_;
};

// Scratch of hybrid_crba.
template <class T>
struct HybridCrbaWorkspace {
  HybridCrbaWorkspace(const Model&, HybridSplit);
  HybridSplit split;                // which accelerations are given                    constant
  NodeMotions<T> motions;           // X, S, v and c of the nodes                       step 1
  std::vector<Motion<T>> a;         // (nodes)                                          steps 1, 4
  std::vector<Force<T>> f, df;      // (nodes) transmitted by the joint: C', H a1       steps 1, 4
  std::vector<RigidInertia<T>> Ic;  // (nodes) composite inertia of those that move     step 2
  std::vector<T> H;                 // H11, packed by split.forward_tree(); then L, D   steps 2, 3
  std::vector<T> x;                 // (coordinates with given force) tau1 - C1', then their accelerations
};

// Scratch of hybrid_aba.
template <class T>
struct HybridAbaWorkspace {
  HybridAbaWorkspace(const Model&, HybridSplit);
  HybridSplit split;                      // which accelerations are given               constant
  NodeMotions<T> motions;                 // X, S, v and c of the nodes                  pass 1
  std::vector<ArticulatedInertia<T>> IA;  // (nodes)                                     pass 2
  std::vector<Force<T>> pA;               // (nodes)                                     pass 2
  std::vector<CoordinateStep<T>> steps;   // (nv) of coordinates with given force        pass 2
  std::vector<Motion<T>> a;               // (nodes)                                     pass 3
};

// a: read at the coordinates whose acceleration is given, written at the others. tau: the other way round.
// For every scalar of the closed set.
template <class T>
void hybrid_crba(const Model&, HybridCrbaWorkspace<T>&, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                 const std::type_identity_t<Surroundings<T>>& = {});
template <class T>
void hybrid_aba(const Model&, HybridAbaWorkspace<T>&, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
