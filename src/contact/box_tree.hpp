// src/contact/box_tree.hpp - a balanced tree over boxes along the axes, to ask which of them meet a box
// Built in O(n log n) by halving along the longest side, so its depth is log2 n wherever the boxes lie. A box that
// moves changes the bounds above it and nothing else; when many have moved far, build it again.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "sinew/contact/triangle_surface.hpp"

namespace sinew::contact {

inline bool meet(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

class BoxTree {
 public:
  void reserve(std::size_t boxes);
  void build(std::span<const Bounds> boxes);
  void move(std::span<const Bounds> boxes, int box);  // after boxes[box] has changed
  // Calls visit(number) for all boxes in leaves that meet b, a few more than meet it themselves. Returns how many
  // nodes were looked at.
  template <class Visitor>
  long visit_near(const Bounds& b, Visitor&& visit) const {
    std::array<int, 64> stack;
    int depth = 0;
    long visited = 0;
    if (!nodes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const Node& n = nodes_[stack[--depth]];
      ++visited;
      if (!meet(n.bounds, b)) continue;
      if (n.count > 0) {
        for (int i = n.first; i < n.first + n.count; ++i) visit(items_[i].box);
      } else {
        stack[depth++] = n.first + 1, stack[depth++] = n.first;
      }
    }
    return visited;
  }

 private:
  struct Node {
    Bounds bounds;
    int first = 0, count = 0;  // items; count 0: children first and first + 1
    int parent = -1;
  };
  struct Item {
    std::array<double, 3> middle;
    int box;
  };
  void split(int node);
  void fit(std::span<const Bounds> boxes, Node&) const;

  std::vector<Node> nodes_;  // the first holds all; children come after their parent
  std::vector<Item> items_;  // (boxes) those of a leaf side by side
  std::vector<int> leaf_;    // (boxes) the leaf that holds it
};

}  // namespace sinew::contact
