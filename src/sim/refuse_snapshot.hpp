// src/sim/refuse_snapshot.hpp
#pragma once
#include <stdexcept>
#include <string>

namespace sinew {

[[noreturn]] inline void refuse_snapshot(const std::string& why) { throw std::invalid_argument("Snapshot: " + why); }

}  // namespace sinew
