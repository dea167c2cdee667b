// src/tree/move_inertias.hpp - the procedure of [F08 section 9.7]
#pragma once
#include <vector>

#include "sinew/tree/equivalence.hpp"

namespace sinew {

// From the tips to the base: each node hands best_match() of its inertia to its parent. One inertia per node.
void move_inertias(const Model&, ThirdZero, std::vector<RigidInertia<double>>& inertias);

}  // namespace sinew
