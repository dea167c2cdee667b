// src/model/topology.cpp
#include "sinew/model/topology.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace sinew {
namespace {

// Groups 0..n-1 by key: begin[k]..begin[k+1] of `items` are those with key k, ascending. Keys below 0 are left out.
void group_by(std::span<const int> key, int keys, std::vector<int>& items, std::vector<int>& begin) {
  begin.assign(at(keys) + 1, 0);
  for (const int k : key)
    if (k >= 0) ++begin[at(k) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  items.resize(at(begin.back()));
  std::vector<int> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < key.size(); ++i)
    if (key[i] >= 0) items[next[key[i]]++] = static_cast<int>(i);
}

}  // namespace

Topology::Topology(std::vector<int> parent) : parent_(std::move(parent)) {
  if (parent_.empty() || parent_[0] != -1) throw std::invalid_argument("Topology: entry 0 is the root and must be -1");
  const int n = size();
  for (int i = 1; i < n; ++i)
    if (parent_[i] < 0 || parent_[i] >= i)
      throw std::invalid_argument("Topology: parent of " + std::to_string(i) + " is " + std::to_string(parent_[i]) +
                                  ", must be at least 0 and below " + std::to_string(i));

  depth_.assign(at(n), 0);
  subtree_size_.assign(at(n), 1);
  for (int i = 1; i < n; ++i) depth_[i] = depth_[parent_[i]] + 1;
  for (int i = n - 1; i > 0; --i) subtree_size_[parent_[i]] += subtree_size_[i];

  group_by(parent_, n, child_, child_begin_);
  group_by(depth_, *std::max_element(depth_.begin(), depth_.end()) + 1, level_, level_begin_);

  // A body comes right after its parent and the subtrees of its earlier siblings.
  place_.assign(at(n), 0);
  order_.assign(at(n), 0);
  for (int i = 0; i < n; ++i) {
    order_[place_[i]] = i;
    int next = place_[i] + 1;
    for (const int c : children(i)) {
      place_[c] = next;
      next += subtree_size_[c];
    }
    if (children(i).size() > 1) branch_points_.push_back(i);
  }
}

std::vector<int> Topology::support(int i) const {
  std::vector<int> path(at(depth(i)));
  for (auto p = path.rbegin(); p != path.rend(); ++p, i = parent(i)) *p = i;
  return path;
}

int Topology::closest_common_ancestor(int a, int b) const {
  while (!is_ancestor(a, b)) a = parent(a);
  return a;
}

bool Topology::is_depth_first() const { return std::is_sorted(order_.begin(), order_.end()); }

std::vector<int> expand_parents(std::span<const int> parent, std::span<const int> nv) {
  if (parent.size() != nv.size())
    throw std::invalid_argument("expand_parents: parent has " + std::to_string(parent.size()) + " entries, nv has " +
                                std::to_string(nv.size()));
  std::vector<int> expanded{-1};
  std::vector<int> last(parent.size(), 0);  // the one-dof body that carries body i
  for (std::size_t i = 1; i < parent.size(); ++i) {
    int carrier = last[parent[i]];
    for (int k = 0; k < nv[i]; ++k) {
      expanded.push_back(carrier);
      carrier = static_cast<int>(expanded.size()) - 1;
    }
    last[i] = carrier;
  }
  return expanded;
}

}  // namespace sinew
