// src/constraint/rows/nearest_pose.hpp - the coordinates at which a joint comes closest to a pose
#pragma once
#include "sinew/joint/joint.hpp"

namespace sinew {

// X: F_s <- F_p as it is. Turns are found to within a full turn; where a turn also advances (helical, rack and pinion),
// the advance says which. q has room for nq numbers. Primitive kinds that are not reversed.
void find_nearest_pose(const Joint&, const Transform<double>& X, double* q);

// The angle of the turn about axis k (0, 1, 2) that comes closest to E.
double nearest_turn(const Rotation<double>& E, int k);

}  // namespace sinew
