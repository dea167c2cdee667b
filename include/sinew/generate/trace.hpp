// sinew/generate/trace.hpp - which algorithms code is written for, and the operations of one of them on one model
//   rnea          q v a -> tau      inverse dynamics
//   aba           q v tau -> a      forward dynamics
//   crba          q -> M            joint-space inertia matrix, nv x nv
//   mass_inverse  q -> Minv         its inverse
//   drnea         q v a -> tau, dtau_dq, dtau_dv, M    with its derivatives (derivative/rnea_derivatives.hpp)
//   daba          q v tau -> a, da_dq, da_dv, Minv     likewise (derivative/aba_derivatives.hpp)
//   fk            q -> position, rotation   of every body, in the world: 3 and 9 numbers, the columns its axes
// rnea and crba are traced on the EquivalentModel, whose zeros fall away here. External forces are not traced.
// A new algorithm is a row in src/generate/trace.cpp.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sinew/generate/graph.hpp"
#include "sinew/model/model.hpp"

namespace sinew::generate {

// The names of all of them.
std::span<const std::string> algorithm_names();
// "q v a -> tau: inverse dynamics".
std::string describe_algorithm(const std::string& name);

// The record of one run: every operation that depends on the state, nothing simplified. Throws std::invalid_argument
// for a name that is not known; TraceError where the model has a joint that cannot be traced: its motion is prescribed
// by a function of time, it is written in Python, or its code branches on the state.
Graph trace(const Model&, const std::string& algorithm);
// The same, by another formula where that makes shorter code: aba as M^-1 (tau - h).
Graph trace_for_code(const Model&, const std::string& algorithm);

// What the library gives for these inputs, in the order of the graph.
std::vector<double> run_library(const Model&, const std::string& algorithm, VectorView<const double> inputs);
// Inputs at a random state: a configuration within the limits, all else between -1 and 1.
std::vector<double> random_inputs(const Model&, const Graph&, Random&);

}  // namespace sinew::generate
