// src/sim/plain_snapshot.hpp - a snapshot of a stepper for inspection: time, step, q, v and options
#pragma once
#include <string>

#include "sinew/sim/snapshot.hpp"

namespace sinew {

std::string to_text(double);  // reads back as the same bits
Snapshot make_plain_snapshot(const Stepper&);

}  // namespace sinew
