// src/generate/delassus_calls.hpp - W = J M^-1 J^T of the origins of frames, along the axes of the world
// Three formulas with the same result. Which one is the shortest after simplifying depends on the robot: the factor is
// for legs and arms, the articulated bodies for long chains.
#pragma once
#include "generate/arguments.hpp"

namespace sinew::generate {

// M = L^T D L, Y = L^-T J^T, W = Y^T D^-1 Y [S23 4-6], with M of the equivalent model and J from the axes of the joints
// in the world.
void call_delassus_by_factor(const Arguments<Traced>&);
// PV-OSIM and PV-OSIMr [S23 Alg. 1, Alg. 3].
void call_delassus_by_pv(const Arguments<Traced>&);
void call_delassus_by_pvr(const Arguments<Traced>&);
// By whole matrices, for comparison.
void call_delassus(const Arguments<double>&);

}  // namespace sinew::generate
