// src/delassus/articulated_workspace.cpp
#include "sinew/delassus/articulated_workspace.hpp"

#include "driver.hpp"

namespace sinew::delassus {

template <class T>
ArticulatedWorkspace<T>::ArticulatedWorkspace(const Model& m)
    : angles(padded_nodes(m)),
      Dinv(at(m.nv())),
      turns(node_count(m)),
      slot_loads(at(m.branch_slots())),
      general(at(m.general_joints())),
      k(at(m.nv())) {}

#define SINEW_INSTANTIATE(T) template struct ArticulatedWorkspace<T>;
SINEW_FOR_EACH_SINGLE_SCALAR(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
