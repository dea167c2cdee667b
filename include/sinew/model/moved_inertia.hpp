// sinew/model/moved_inertia.hpp - the inertia that each coordinate moves
#pragma once
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// (nv) [kg m^2, kg] S . Ic S of composite inertias, tip to base [F08 section 6.2], and armature, at the neutral
// position. A coordinate that moves none makes the mass matrix singular.
std::vector<double> calc_moved_inertia(const Model&);

}  // namespace sinew
