// sinew/operators/shape.hpp - the tree under an SKO model: nodes, their sizes, and which is whose parent [J11
// section 2.1]
//   Shape s({{"base", 6, 1}, {"arm", 6, 2}, {"rotor", 1, 1}}, {{kInertial, 0}, {0, 1}, {1, 2}});
// A node has a velocity of `size` numbers and a hinge with `freedoms` towards its parent. Nodes keep the numbers that
// you gave them, in any order; several may hang on the inertial frame. A graph that is no tree throws
// std::invalid_argument with the reason [J11 section 8.2]: a cycle has no (1 - E_A)^-1, a node with two parents has no
// independent hinge velocities. Immutable. Stacked vectors hold the nodes, or their freedoms, in order of the numbers.
#pragma once
#include <string>
#include <vector>

namespace sinew::sko {

inline constexpr int kInertial = -1;  // the parent of a node that hangs on the inertial frame

// A node: how many numbers its velocity and its hinge have.
struct NodeSize {
  std::string name;
  int size = 6;      // of its velocity, m_k
  int freedoms = 1;  // of its hinge, r_k
};
// A hinge between two nodes.
struct Edge {
  int parent, child;  // places in the list of nodes
};

// A node as the recursions read it, unchecked.
struct SweepNode {
  int node, parent;               // numbers
  int size, freedoms;             // of the node
  int begin, freedom_begin;       // in stacked vectors
  int parent_size, parent_begin;  // 0 on the inertial frame
};

class Shape {
 public:
  Shape(std::vector<NodeSize> nodes, const std::vector<Edge>& edges);

  int nodes() const { return static_cast<int>(nodes_.size()); }
  int size() const { return node_begin_.back(); }         // numbers in a stacked vector of nodes
  int freedoms() const { return freedom_begin_.back(); }  // numbers in a stacked vector of freedoms
  // Of node k: name, size of its velocity, freedoms of its hinge, parent.
  const std::string& name(int k) const { return nodes_[index(k)].name; }
  int size(int k) const { return nodes_[index(k)].size; }
  int freedoms(int k) const { return nodes_[index(k)].freedoms; }
  int parent(int k) const { return parent_[index(k)]; }
  int begin(int k) const { return node_begin_[index(k)]; }             // of node k in a stacked vector
  int freedom_begin(int k) const { return freedom_begin_[index(k)]; }  // of its freedoms
  int depth(int k) const { return depth_[index(k)]; }                  // 1 on the inertial frame
  const std::vector<int>& outward() const { return outward_; }         // every parent before its children
  const std::vector<SweepNode>& sweep() const { return sweep_; }       // in the order of outward()

  bool is_ancestor(int a, int k) const;  // a is k, or on the path from k to the inertial frame
  // One is an ancestor of the other.
  bool related(int i, int j) const { return is_ancestor(i, j) || is_ancestor(j, i); }
  int common_ancestor(int i, int j) const;  // the nearest; kInertial: none
  std::string describe(int k) const;        // node 3 'arm'

 private:
  std::size_t index(int k) const;  // throws for a node that does not exist
  std::vector<NodeSize> nodes_;
  std::vector<int> parent_, depth_, outward_, node_begin_, freedom_begin_;
  std::vector<SweepNode> sweep_;
};

// Maximal serial pieces of the tree, tips first [J11 section 7.1]: a piece ends where the tree branches or ends.
struct Branches {
  explicit Branches(const Shape&);
  std::vector<std::vector<int>> nodes;  // of each branch, tip to base
  std::vector<int> parent;              // branch; kInertial: none
  // One character per pair of branches, rows apart by line breaks: 'X' where blocks may differ from zero, else '.'.
  std::string draw_kernel() const;     // E_A [J11 61]
  std::string draw_resolvent() const;  // A [J11 63]
  std::string draw_mass() const;       // the mass matrix [J11 section 7.4]
};
// The same, one character per pair of nodes, in order of their numbers [J11 section 4.2].
std::string draw_mass(const Shape&);

}  // namespace sinew::sko
