// src/model/resolve.hpp - loops and couplings of a spec, with names turned into nodes and coordinates
// The spec has been validated: every body and joint it names exists.
#pragma once
#include "sinew/model/model.hpp"

namespace sinew {

// How messages name an element: "loop 'knee'", or "loop 3: crank -- rocker" where it has no name. An empty body is the
// world. number: among its kind, from 1; 0: not known.
std::string name_pair(const std::string& kind, const std::string& name, int number, const std::string& body_a,
                      const std::string& body_b);
std::string name_element(const LoopSpec&, int number);
std::string name_element(const CouplingSpec&, int number);  // "coupling 2: joint 'wheel'"

LoopEntry make_loop_entry(const Model&, const LoopSpec&, Diagnostics&);
CouplingEntry make_coupling_entry(const Model&, const CouplingSpec&);

}  // namespace sinew
