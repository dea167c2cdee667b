// sinew/operators/finite_elements.hpp - a flexible body from a finite-element pair M, K by Craig-Bampton
//   FlexibleBody b = make_flexible_body(elements);
// Nodes have 3 freedoms (shifts) or 6 (shifts, then turns) each, all in the body's frame; freedom f of node n is row
// freedoms n + f. The root nodes are clamped to the body's frame. Interfaces keep all freedoms of their nodes; one of
// several nodes, or of nodes without turns, moves as the rigid motion nearest to theirs. Modes are the lowest of the
// reduced pair, scaled to mass 1.
// Momentum and inertia of the undeformed body, and the modal mass, are exact for M. Terms that depend on eta take the
// mass of M lumped to its nodes. Geometric stiffening comes from `lines`: chains of nodes that are beams, starting at a
// root node or at a node of another line; without lines there is none.
// Errors: std::invalid_argument naming the body and the culprit: M or K that do not fit the nodes or are not symmetric,
// nodes that do not exist, an interface that cannot tell turns, a stiffness with free parts.
#pragma once
#include <string>
#include <vector>

#include "sinew/linear/sparse_entry.hpp"
#include "sinew/operators/flexible_body.hpp"

namespace sinew::sko {

struct FiniteElements {
  // Nodes that others attach to.
  struct Interface {
    std::string name;
    std::vector<int> nodes;
  };
  std::string body;
  std::vector<Vec3<double>> nodes;                   // places, in the body's frame
  int freedoms = 6;                                  // per node: 3 or 6
  int rows = 0;                                      // of M and K: freedoms times nodes
  std::vector<linear::SparseEntry> mass, stiffness;  // both triangles; entries at the same place add up
  std::vector<int> root;                             // nodes
  std::vector<Interface> interfaces;
  std::vector<std::vector<int>> lines;  // of nodes, outwards
  int inner_modes = 10;                 // with the interfaces held
  int modes = 6;                        // of the body
  double damping_ratio = 0;
};

// Reduces the model by Craig and Bampton. Throws std::invalid_argument naming what is wrong with it.
FlexibleBody make_flexible_body(const FiniteElements&);

}  // namespace sinew::sko
