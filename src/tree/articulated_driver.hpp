// src/tree/articulated_driver.hpp - preparations for a sweep over articulated inertias
#pragma once
#include "crba_driver.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew {

// Turns of one-axis joints, X and S of general ones; those of free bodies only if asked for.
template <class T>
void prepare(const Model& m, ArticulatedWorkspace<T>& ws, const T* q, double time, bool free_too) {
  const auto links = links_of<T>(m);
  calc_turns(links.data(), static_cast<int>(links.size()), q, ws.angles.data(), ws.turns.data());
  calc_general_joints(m, q, time, ws.general, free_too);
}
template <class T>
ArticulatedScratch<T> scratch_of(ArticulatedWorkspace<T>& ws) {
  return {ws.slot_loads.data(), ws.general.data(), ws.k.data(), ws.Dinv.data()};
}

// Of each node: whether its subtree branches, there or below.
inline std::vector<unsigned char> find_branches(const Model& m) {
  std::vector<unsigned char> out(node_count(m));
  const auto links = m.links<double>();
  for (std::size_t i = out.size(); i-- > 1;) {
    if (links[i].keep >= 0) out[i] = 1;
    if (out[i]) out[at(links[i].parent)] = 1;
  }
  return out;
}

}  // namespace sinew
