// apps/common/describe.hpp - what commands say about the structure of a model
#pragma once
#include <string>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew::app {

// The first body on a node: the one its joint moves.
int body_of(const Model&, int node);
// Bodies at which the tree branches.
std::vector<int> branch_points(const Model&);
// The body that a fixed joint has merged this one into; -1 where it moves by itself.
int merged_into(const Model&, int body);

KinematicsWorkspace<double> kinematics_at_neutral(const Model&);
// Distance of a loop's two frames at the neutral position [m].
double loop_gap(const LoopEntry&, const KinematicsWorkspace<double>&);
// "motor1 = 0.5 + 100 elbow - 3 (elbow - 0.1)^2"
std::string formula(const CouplingSpec&);

}  // namespace sinew::app
