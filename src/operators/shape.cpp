// src/operators/shape.cpp
#include "sinew/operators/shape.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/base/view.hpp"

namespace sinew::sko {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("Shape: " + why); }

std::string quoted(const std::vector<NodeSize>& nodes, int k) {
  return "node " + std::to_string(k) + " '" + nodes[at(k)].name + "'";
}

}  // namespace

Shape::Shape(std::vector<NodeSize> nodes, const std::vector<Edge>& edges)
    : nodes_(std::move(nodes)), parent_(nodes_.size(), kInertial), depth_(nodes_.size(), 0) {
  const int n = static_cast<int>(nodes_.size());
  node_begin_ = freedom_begin_ = {0};
  for (int k = 0; k < n; ++k) {
    const NodeSize& node = nodes_[at(k)];
    if (node.size < 0 || node.freedoms < 0 || node.freedoms > node.size)
      refuse(quoted(nodes_, k) + " has " + std::to_string(node.freedoms) + " freedoms and a velocity of " +
             std::to_string(node.size) + " numbers; 0 <= freedoms <= size is needed");
    node_begin_.push_back(node_begin_.back() + node.size);
    freedom_begin_.push_back(freedom_begin_.back() + node.freedoms);
  }
  std::vector<bool> has_parent(nodes_.size(), false);
  for (const Edge& e : edges) {
    check_index("Shape", "child", e.child, nodes_.size());
    if (e.parent != kInertial) check_index("Shape", "parent", e.parent, nodes_.size());
    if (has_parent[at(e.child)]) {
      const auto name = [&](int k) { return k == kInertial ? std::string("the inertial frame") : quoted(nodes_, k); };
      refuse(
          quoted(nodes_, e.child) + " has two parents, " + name(parent_[at(e.child)]) + " and " + name(e.parent) +
          ": its hinge velocities towards them are not independent [J11 section 8.2]. Cut one edge and close it by a " +
          "constraint, or put the nodes of the loop into one");
    }
    has_parent[at(e.child)] = true;
    parent_[at(e.child)] = e.parent;
  }
  for (int k = 0; k < n; ++k)
    if (!has_parent[at(k)]) refuse(quoted(nodes_, k) + " has no parent; name one, or kInertial, in the list of edges");

  // Base to tips. What is never reached lies on a cycle, or hangs on one.
  std::vector<std::vector<int>> children(nodes_.size());
  for (int k = 0; k < n; ++k) {
    if (parent_[at(k)] == kInertial)
      outward_.push_back(k), depth_[at(k)] = 1;
    else
      children[at(parent_[at(k)])].push_back(k);
  }
  for (std::size_t i = 0; i < outward_.size(); ++i)
    for (const int c : children[at(outward_[i])]) {
      depth_[at(c)] = depth_[at(outward_[i])] + 1;
      outward_.push_back(c);
    }
  if (outward_.size() == nodes_.size()) {
    for (const int k : outward_) {
      const int p = parent_[at(k)];
      const bool base = p == kInertial;
      sweep_.push_back({k, p, nodes_[at(k)].size, nodes_[at(k)].freedoms, node_begin_[at(k)], freedom_begin_[at(k)],
                        base ? 0 : nodes_[at(p)].size, base ? 0 : node_begin_[at(p)]});
    }
    return;
  }
  int k = 0;
  while (depth_[at(k)] > 0) ++k;
  for (int step = 0; step < n; ++step) k = parent_[at(k)];  // now surely on the cycle
  std::string cycle = quoted(nodes_, k);
  for (int p = parent_[at(k)]; p != k; p = parent_[at(p)]) cycle += " -> " + quoted(nodes_, p);
  refuse("there is a cycle: " + cycle + " -> " + quoted(nodes_, k) +
         ". E_A is then not nilpotent and (1 - E_A)^-1 does not exist [J11 section 8.2]; cut one of its edges");
}

std::size_t Shape::index(int k) const {
  check_index("Shape", "node", k, nodes_.size());
  return at(k);
}

bool Shape::is_ancestor(int a, int k) const {
  while (depth(k) > depth(a)) k = parent(k);
  return k == a;
}

int Shape::common_ancestor(int i, int j) const {
  while (i != j) {
    int& deeper = depth(i) >= depth(j) ? i : j;
    deeper = parent(deeper);
    if (deeper == kInertial) return kInertial;
  }
  return i;
}

std::string Shape::describe(int k) const { return "node " + std::to_string(k) + " '" + name(k) + "'"; }

Branches::Branches(const Shape& s) {
  std::vector<int> count(at(s.nodes()), 0), branch(at(s.nodes()), -1);
  for (int k = 0; k < s.nodes(); ++k)
    if (s.parent(k) != kInertial) ++count[at(s.parent(k))];
  std::vector<int> above;                               // the node that each branch hangs on
  for (std::size_t i = s.outward().size(); i-- > 0;) {  // tips first
    int k = s.outward()[i];
    if (branch[at(k)] >= 0) continue;
    const int b = static_cast<int>(nodes.size());
    nodes.emplace_back();
    for (;; k = s.parent(k)) {
      nodes.back().push_back(k);
      branch[at(k)] = b;
      const int p = s.parent(k);
      if (p == kInertial || count[at(p)] > 1) break;
    }
    above.push_back(s.parent(k));
  }
  for (const int k : above) parent.push_back(k == kInertial ? kInertial : branch[at(k)]);
}

namespace {
template <class F>
std::string draw(int n, const F& nonzero) {
  std::string out;
  for (int i = 0; i < n; ++i, out += '\n')
    for (int j = 0; j < n; ++j) out += nonzero(i, j) ? 'X' : '.';
  return out;
}
bool reaches(const std::vector<int>& parent, int from, int to) {
  while (from != kInertial && from != to) from = parent[at(from)];
  return from == to;
}
}  // namespace

std::string Branches::draw_kernel() const {
  return draw(static_cast<int>(parent.size()), [&](int i, int j) { return i == j || parent[at(j)] == i; });
}
std::string Branches::draw_resolvent() const {
  return draw(static_cast<int>(parent.size()), [&](int i, int j) { return reaches(parent, j, i); });
}
std::string Branches::draw_mass() const {
  return draw(static_cast<int>(parent.size()),
              [&](int i, int j) { return reaches(parent, j, i) || reaches(parent, i, j); });
}
std::string draw_mass(const Shape& s) {
  return draw(s.nodes(), [&](int i, int j) { return s.related(i, j); });
}

}  // namespace sinew::sko
