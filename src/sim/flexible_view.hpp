// src/sim/flexible_view.hpp - a model with bodies that bend, as contact sees it
#pragma once
#include <vector>

#include "sinew/operators/flexible_sko.hpp"

namespace sinew {

// What is welded to a body that bends, or is one that is welded, has a node of its own; so has each shape on a body
// that bends. Bodies of the flexible model keep their names.
struct FlexibleView {
  explicit FlexibleView(const sko::FlexibleModel&);
  std::vector<std::string> hosts;  // (added bodies) the body that bends
  Model model;
  // (nodes of `model`) how each moves; part < 0: it stands still, or carries no body.
  std::vector<sko::FlexiblePlace> places;
  std::vector<int> bodies;  // (nodes of `model`) body of the flexible model
};

}  // namespace sinew
