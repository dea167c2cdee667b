// apps/common/contradiction.hpp - loops and gears that cannot all hold
#pragma once
#include <string>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew::app {

// A sentence that names constraints which contradict each other near the start; empty: none do.
std::string find_contradiction(const Model&, const ConstraintSet&, const State&);

}  // namespace sinew::app
