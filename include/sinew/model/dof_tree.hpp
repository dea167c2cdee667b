// sinew/model/dof_tree.hpp - the tree of single freedoms, and matrices with its sparsity [F08 sections 6.3-6.5]
// A joint of n freedoms counts as n joints of one (expanded parent array). Freedoms are numbered in node order, so
// parent < child and a subtree is a run of numbers; `velocity` leads to the model's velocity coordinates.
//
// A symmetric matrix with branch-induced sparsity, or its factor L, is kept as one packed row per freedom k: the
// entries at the ancestors of k, from the root to k itself. Two rows agree position by position as far as their paths
// agree, so row operations are plain loops over contiguous numbers, without any index.
// Accessors by number are unchecked, like the operator[] of a vector: kernels loop over them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

class DofTree {
 public:
  DofTree() = default;
  // parent[k] < k, -1 for those at the root; velocity[k] is k's velocity coordinate.
  DofTree(std::vector<int> parent, std::vector<int> velocity);

  int size() const { return static_cast<int>(parent_.size()); }
  int parent(int k) const { return parent_[k]; }  // -1 at the root
  // The velocity coordinate that freedom k of the tree is.
  int velocity(int k) const { return velocity_[k]; }
  int depth(int k) const { return depth_[k]; }  // ancestors above k: row k has depth + 1 entries
  int end(int k) const { return end_[k]; }      // the subtree of k is k .. end - 1
  std::span<const int> parents() const { return parent_; }
  std::span<const int> velocities() const { return velocity_; }
  std::span<const int> ends() const { return end_; }
  bool in_order() const { return in_order_; }       // freedom k is velocity coordinate k
  std::size_t row(int k) const { return row_[k]; }  // where row k begins in the packed numbers
  std::size_t packed_size() const { return packed_size_; }
  // A hash of all parents and velocities: it tells trees of the same size apart.
  std::uint64_t shape() const { return shape_; }
  // F08 Table 6.6: D1 = sum of depths, D2 = sum of d (d + 1) / 2.
  long d1() const { return d1_; }
  long d2() const { return d2_; }

 private:
  std::vector<int> parent_, velocity_, depth_, end_;
  std::vector<std::size_t> row_;
  std::size_t packed_size_ = 0;
  bool in_order_ = true;
  std::uint64_t shape_ = 0;
  long d1_ = 0, d2_ = 0;
};

}  // namespace sinew
