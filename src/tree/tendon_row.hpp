// src/tree/tendon_row.hpp - one tendon: its length, its row and the rate of its row
#pragma once
#include <span>

#include "sinew/tree/node_force.hpp"

namespace sinew {

// The length; row: one force per node of the tendon, in their order. After calc_kinematics at q.
double calc_tendon_row(const Model&, const TendonEntry&, const KinematicsWorkspace<double>&, In<double> q, double time,
                       std::span<Force<double>> row);
// d^2L/dt^2 where dv/dt = 0. After calc_accelerations with dv/dt = 0.
double calc_tendon_acceleration(const TendonEntry&, const VelocityWorkspace<double>&);

}  // namespace sinew
