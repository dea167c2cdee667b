// src/model/resolve.hpp - loops and couplings of a spec, with names turned into nodes and coordinates
// The spec has been validated: every body and joint it names exists.
#pragma once
#include "sinew/model/model.hpp"

namespace sinew {

LoopEntry make_loop_entry(const Model&, const LoopSpec&, Diagnostics&);
CouplingEntry make_coupling_entry(const Model&, const CouplingSpec&);

}  // namespace sinew
