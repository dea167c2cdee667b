// sinew/operators/refinement.hpp - several nodes for one body, and nodes that are not bodies [J11 sections 2.3, 8.1]
//   Refinement<double> r(model, {.hinges = {{2, {1, 2}}}, .parts = {{2, "tool", W, M_tool, {5}}}});
// Two ways to give a body more nodes; the mass matrix, C and theta'' stay what they were.
// - A hinge becomes a chain of hinges with fewer freedoms. With the rows of H(k) cut into H1 .. Hc, the chain is
//     V(k1) = A^*(p, k) V(p) + H1^* theta1',   V(k2) = V(k1) + H2^* theta2',  ...,  V(k) = V(kc-1) + Hc^* thetac'
//   The nodes before the last carry no inertia: they are not bodies. The last one keeps the number and the body.
// - A part of a body becomes a node of its own, welded to it: V(part) = W^* V(k), no freedoms, inertia M_part, and
//     M(k) becomes M(k) - W M_part W^*.
//   W may have any shape: a rotor is one number. Children of the body may hang on the part instead, if W is square and
//   regular: A(part, c) = W^-1 A(k, c). The bias force b stays with the body; so of the forces between body and part
//   the one that the part's own spin needs is missing, which nothing else can feel.
// New nodes come after the old ones: first those of hinges, then the parts. An update allocates nothing.
// Errors: freedoms that do not add up, blocks that do not fit, a node split twice, a child that is none, a W that is
// singular throw std::invalid_argument with the node's name. The original model must outlive the refinement.
#pragma once
#include <string>

#include "sinew/operators/reorder.hpp"
#include "sinew/operators/sko_model.hpp"

namespace sinew::sko {

// A hinge of several freedoms as a chain of hinges.
struct HingeSplit {
  int node;
  std::vector<int> freedoms;  // of each node of the chain, from the parent outwards
};
// A part of a node that becomes a node of its own.
struct BodyPart {
  int node;
  std::string name;
  std::vector<double> W;      // size of the node x size of the part, row by row
  std::vector<double> M;      // size of the part squared
  std::vector<int> children;  // nodes that hang on the part
  int size() const;           // of its velocity
};
// Which hinges and bodies are split.
struct RefinementPlan {
  std::vector<HingeSplit> hinges;
  std::vector<BodyPart> parts;
};

template <class T>
class Refinement {
  const SkoModel<T>* original_;
  RefinementPlan plan_;
  std::vector<std::vector<int>> chains_;  // (hinges of the plan) nodes of `sko`, from the parent outwards
  std::vector<int> chain_of_, on_part_;   // (nodes of the original) its chain; the part it hangs on; -1: none
  std::vector<std::vector<T>> inverse_;   // (parts) of W, where something hangs on the part
  std::vector<T> work_;                   // (largest W)
  int parts_begin_ = 0;                   // the node of part 0

 public:
  Refinement(const SkoModel<T>& original, RefinementPlan);
  Refinement(const SkoModel<T>&& original, RefinementPlan) = delete;

  void update();               // the blocks of `sko`, from those of the original model
  int part_node(int i) const;  // the node of part i

  Reorder freedoms;  // stacked vectors of freedoms: original order -> order of `sko`
  SkoModel<T> sko;
};

}  // namespace sinew::sko
