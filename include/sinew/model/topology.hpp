// sinew/model/topology.hpp - everything about a tree that algorithms would otherwise search for [F08 section 4.1]
// Bodies 0..n, body 0 is the root, parent[i] < i (a regular numbering). Computed once; no recursion, no O(n^2)
// storage, so a chain of 10^5 bodies is no problem.
// Accessors by number are unchecked, like the operator[] of a vector: kernels loop over them.
#pragma once
#include <span>
#include <vector>

#include "sinew/base/index.hpp"

namespace sinew {

class Topology {
 public:
  Topology() : Topology(std::vector<int>{-1}) {}
  // parent[0] = -1. Throws std::invalid_argument, naming the entry, unless 0 <= parent[i] < i.
  explicit Topology(std::vector<int> parent);

  int size() const { return static_cast<int>(parent_.size()); }  // the root counted
  int parent(int i) const { return parent_[i]; }                 // lambda(i)
  std::span<const int> parents() const { return parent_; }
  std::span<const int> children(int i) const {  // mu(i), ascending
    return {child_.data() + child_begin_[i], child_.data() + child_begin_[at(i) + 1]};
  }
  // nu(i): i and all below it, depth first.
  std::span<const int> subtree(int i) const {
    return {order_.data() + place_[i], order_.data() + place_[i] + subtree_size_[i]};
  }
  // kappa(i): the bodies whose joints move i, from below the root to i.
  std::vector<int> support(int i) const;
  int depth(int i) const { return depth_[i]; }  // the root has depth 0
  int max_depth() const { return static_cast<int>(level_begin_.size()) - 2; }
  // The bodies of one depth, ascending.
  std::span<const int> level(int d) const {
    return {level_.data() + level_begin_[d], level_.data() + level_begin_[at(d) + 1]};
  }
  bool is_leaf(int i) const { return subtree_size_[i] == 1; }
  // Bodies with two or more children, ascending.
  std::span<const int> branch_points() const { return branch_points_; }
  // True where a is on the path from the root to b, or a == b.
  bool is_ancestor(int a, int b) const { return place_[a] <= place_[b] && place_[b] < place_[a] + subtree_size_[a]; }
  int closest_common_ancestor(int a, int b) const;
  // True where every subtree has consecutive numbers.
  bool is_depth_first() const;

 private:
  std::vector<int> parent_, depth_;
  std::vector<int> child_, child_begin_;
  std::vector<int> order_, place_, subtree_size_;  // depth-first order and each body's place in it
  std::vector<int> level_, level_begin_;
  std::vector<int> branch_points_;
};

// The parent array of the tree in which joint i is nv[i] joints of one degree of freedom: entry 0 is the root.
// nv[0] belongs to the root and is 0. A body without freedom disappears into its parent. [F08 Table 6.4]
std::vector<int> expand_parents(std::span<const int> parent, std::span<const int> nv);

}  // namespace sinew
