// sinew/tree/kernel/articulated_workspace.hpp - what the sweeps over articulated inertias need, of one model
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"

namespace sinew {

template <class T>
struct ArticulatedWorkspace {
  explicit ArticulatedWorkspace(const Model&);
  MadeFor made_for;
  std::vector<T> angles, Dinv;
  std::vector<Turn<T>> turns;
  std::vector<ArticulatedInertia<T>> slot_loads;
  std::vector<GeneralJoint<T>> general;
  std::vector<Force<T>> k;
};

}  // namespace sinew
