// src/generate/step_calls.hpp - a step of Simulation without contact: q v tau dt control -> q_next v_next
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau + drives - h)      v+ along the axes at the start of the step
//   q_next = q moved by v+ for dt;  v_next = v+ along the axes at its end: roots of trees move straight
// Springs, dampers and servos of joints are those of sim/drives.hpp, inertial forces those at the start of the step
// (SimulationOptions::middle_forces = false).
#pragma once
#include <string>
#include <vector>

#include "generate/arguments.hpp"

namespace sinew::generate {

// Throws TraceError naming the first thing in the model without which a step has no meaning and which has no code here.
void refuse_step(const Model&);
// What the code leaves out: "contacts of 12 shapes".
std::vector<std::string> list_left_out_of_step(const Model&);

void call_step(const Arguments<Traced>&);
// By Simulation::step, of the model without what is left out.
void call_step(const Arguments<double>&);

}  // namespace sinew::generate
