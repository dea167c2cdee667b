// src/contact/box_tree.cpp
#include "contact/box_tree.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::contact {
namespace {

Bounds join(const Bounds& a, const Bounds& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

constexpr int kFewBoxes = 4;  // in a leaf

}  // namespace

void BoxTree::reserve(std::size_t boxes) { items_.reserve(boxes), leaf_.reserve(boxes), nodes_.reserve(boxes + 1); }

void BoxTree::build(std::span<const Bounds> boxes) {
  items_.clear(), nodes_.clear();
  const int count = static_cast<int>(boxes.size());
  for (int i = 0; i < count; ++i) {
    const Vec3<double> m = boxes[i].low + boxes[i].high;
    // A place that is no number sorts like any other: its box meets nothing.
    const auto number = [](double x) { return std::isnan(x) ? 0 : x; };
    items_.push_back({{number(m.x), number(m.y), number(m.z)}, i});
  }
  leaf_.resize(boxes.size());
  if (count == 0) return;
  nodes_.push_back({{}, 0, count, -1});
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) split(i);
  for (std::size_t i = nodes_.size(); i-- > 0;) fit(boxes, nodes_[i]);
}

// Halves the items of a node along the longest side of the box around their middles.
void BoxTree::split(int node) {
  const int first = nodes_[node].first, count = nodes_[node].count;
  const auto begin = items_.begin() + first, end = begin + count;
  if (count <= kFewBoxes) {
    for (auto i = begin; i != end; ++i) leaf_[i->box] = node;
    return;
  }
  std::array<double, 3> low = begin->middle, high = low;
  for (auto i = begin; i != end; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      low[k] = std::min(low[k], i->middle[k]), high[k] = std::max(high[k], i->middle[k]);
  std::size_t k = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (high[i] - low[i] > high[k] - low[k]) k = i;
  std::nth_element(begin, begin + count / 2, end,
                   [k](const Item& a, const Item& b) { return a.middle[k] < b.middle[k]; });
  nodes_[node].first = static_cast<int>(nodes_.size()), nodes_[node].count = 0;
  nodes_.push_back({{}, first, count / 2, node});
  nodes_.push_back({{}, first + count / 2, count - count / 2, node});
}

void BoxTree::fit(std::span<const Bounds> boxes, Node& n) const {
  if (n.count == 0) {
    n.bounds = join(nodes_[n.first].bounds, nodes_[n.first + 1].bounds);
    return;
  }
  n.bounds = boxes[items_[n.first].box];
  for (int i = n.first + 1; i < n.first + n.count; ++i) n.bounds = join(n.bounds, boxes[items_[i].box]);
}

void BoxTree::move(std::span<const Bounds> boxes, int box) {
  for (int i = leaf_[box]; i >= 0; i = nodes_[i].parent) {
    const Bounds before = nodes_[i].bounds;
    fit(boxes, nodes_[i]);
    if (nodes_[i].bounds.low == before.low && nodes_[i].bounds.high == before.high) return;
  }
}

}  // namespace sinew::contact
