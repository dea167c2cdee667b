// src/tree/kernel/articulated_workspace.cpp
#include "sinew/tree/kernel/articulated_workspace.hpp"

#include "base/traced_pass.hpp"
#include "tree/articulated_driver.hpp"

namespace sinew {

template <class T>
ArticulatedWorkspace<T>::ArticulatedWorkspace(const Model& m)
    : made_for(m),
      angles(padded_nodes(m)),
      Dinv(static_cast<std::size_t>(m.nv())),
      turns(node_count(m)),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())),
      k(static_cast<std::size_t>(m.nv())) {}

#define SINEW_INSTANTIATE(T) template struct ArticulatedWorkspace<T>;
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
