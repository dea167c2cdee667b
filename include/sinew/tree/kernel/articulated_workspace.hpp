// sinew/tree/kernel/articulated_workspace.hpp - what the sweeps over articulated inertias need, of one model
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/turns.hpp"

namespace sinew {

template <class T>
struct ArticulatedWorkspace {
  explicit ArticulatedWorkspace(const Model&);
  MadeFor made_for;
  std::vector<T> angles;                          // (nodes, and a register more) of one-axis joints
  std::vector<T> Dinv;                            // (nv) 1 / D of each freedom
  std::vector<Turn<T>> turns;                     // (nodes) cosine and sine of one-axis joints
  std::vector<ArticulatedInertia<T>> slot_loads;  // (branch slots) inertias that the children hand over
  std::vector<GeneralJoint<T>> general;           // (general joints) X and S
  std::vector<Force<T>> k;                        // (nv) U / D of each freedom
};

}  // namespace sinew
