// apps/sim/flexible_run.hpp - `sinew sim --flexible`: a scene some of whose bodies bend
#pragma once
#include "sim/run.hpp"

namespace sinew::app {

// Prints the summary; returns the exit code. Options that it does not know how to follow are refused by name.
int run_flexible(const SceneInput&, const Scene&, const SimInput&);

}  // namespace sinew::app
