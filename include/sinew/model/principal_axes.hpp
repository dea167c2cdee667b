// sinew/model/principal_axes.hpp - the axes along which an inertia is diagonal
#pragma once
#include "sinew/spatial/rotation.hpp"

namespace sinew {

// The turn from the axes of the inertia to its principal ones. Moments descend from x to z. Order and senses are
// MuJoCo's, since the coordinates of an aligned free body depend on them.
Quaternion<double> find_principal_axes(const Sym3<double>& inertia);

}  // namespace sinew
