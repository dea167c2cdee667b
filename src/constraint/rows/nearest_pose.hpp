// src/constraint/rows/nearest_pose.hpp - the coordinates at which a joint comes closest to a pose
#pragma once
#include "sinew/joint/joint.hpp"

namespace sinew {

// For double and Dual. X: F_s <- F_p as it is. Turns are found to within a full turn; where a turn also advances
// (helical, rack and pinion), the advance says which. q has room for nq numbers. Primitive kinds that are not reversed.
template <class T>
void find_nearest_pose(const Joint&, const Transform<T>& X, T* q);

// The angle of the turn about axis k (0, 1, 2) that comes closest to E.
template <class T>
T nearest_turn(const Rotation<T>& E, int k);

}  // namespace sinew
