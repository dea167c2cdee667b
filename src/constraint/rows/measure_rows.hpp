// src/constraint/rows/measure_rows.hpp - how large rows would be if nothing in them cancelled
// A row along which nothing can move holds only rounding; comparing it with the size of its terms shows that.
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// After calc_constraint_rows. ConstrainedSystem::full: rows against the model's largest mass and moment of inertia.
void measure_rows(const Model&, const ConstraintSet&, const ConstraintRows&, std::vector<double>& full);
// ConstrainedSystem::made_of, for K v = k or, with accelerations, K dv/dt = k - (velocity errors) rate.
void measure_velocities(const ConstraintSet&, const ConstraintRows&, std::vector<double>& made_of);
void measure_accelerations(const ConstraintSet&, const ConstraintRows&, double rate, std::vector<double>& made_of);

}  // namespace sinew
