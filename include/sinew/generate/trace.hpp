// sinew/generate/trace.hpp - which algorithms code is written for, and the operations of one of them on one model
//   rnea          q v a -> tau      inverse dynamics
//   aba           q v tau -> a      forward dynamics
//   crba          q -> M            joint-space inertia matrix, nv x nv
//   mass_inverse  q -> Minv         its inverse
//   drnea         q v a -> tau, dtau_dq, dtau_dv, M    with its derivatives (derivative/rnea_derivatives.hpp)
//   daba          q v tau -> a, da_dq, da_dv, Minv     likewise (derivative/aba_derivatives.hpp)
//   fk            q -> position, rotation   of every body, in the world: 3 and 9 numbers, the columns its axes
//   delassus:foot,hand   q -> W       J M^-1 J^T of the origins of the frames or bodies that are named; for each the
//                        three axes of the world
//   step          q v tau dt control -> q_next v_next   what Simulation::step does with middle_forces = false in a
//   model
//                 without contacts, stops and dry friction; its springs, dampers and actuators on joints act. control
//                 is an argument where there are actuators
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
std::string describe_algorithm(const std::string& algorithm);
// "rnea,delassus:foot,hand,crba" is rnea, delassus:foot,hand and crba: after a colon, words that are no algorithms are
// frames.
std::vector<std::string> split_algorithms(const std::string& list);

// The record of one run: every operation that depends on the state, nothing simplified. Throws std::invalid_argument
// for an algorithm or a frame that is not known, or does not move; TraceError where the model has a joint that cannot
// be traced: its motion is prescribed by a function of time, it is written in Python, or its code branches on the
// state.
Graph trace(const Model&, const std::string& algorithm);
// The same by the formulas that may make shorter code, at least one: aba as M^-1 (tau - h); mass_inverse, daba and
// delassus by factors of M and by articulated bodies. Which is the shortest shows after simplifying.
std::vector<Graph> trace_for_code(const Model&, const std::string& algorithm);

// What code of this algorithm leaves out of the model, in words: "contacts of 12 shapes".
std::vector<std::string> list_left_out(const Model&, const std::string& algorithm);

// What the library gives for these inputs, in the order of the graph.
std::vector<double> run_library(const Model&, const std::string& algorithm, VectorView<const double> inputs);
// Inputs at a random state: a configuration within the limits, dt of 1 to 10 ms, all else between -1 and 1.
std::vector<double> random_inputs(const Model&, const Graph&, Random&);

}  // namespace sinew::generate
