// src/model/resolve.hpp - loops, couplings and tendons of a spec, with names turned into nodes and coordinates
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

// Where a side of the loop names a frame and no body: its body, and the pose relative to that.
void name_bodies_of_frames(const ModelSpec&, LoopSpec&);
LoopEntry make_loop_entry(const Model&, const LoopSpec&, Diagnostics&);
CouplingEntry make_coupling_entry(const Model&, const CouplingSpec&);
TendonEntry make_tendon_entry(const Model&, const TendonSpec&);
TendonCouplingEntry make_tendon_coupling_entry(const Model&, const TendonCouplingSpec&);

}  // namespace sinew
