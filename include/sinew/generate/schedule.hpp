// sinew/generate/schedule.hpp - the order in which steps are done, so that few values wait at once
// A value that waits takes a register, or a place in memory and two instructions. Four orders are tried, and the one
// with the fewest values that are needed later at once is taken: as recorded; depth first from the results, the operand
// that needs more registers first (Sethi and Ullman 1970); the same from the last result to the first; and greedy, the
// step that ends the life of most values.
#pragma once
#include "sinew/generate/graph.hpp"

namespace sinew::generate {

Graph schedule(const Graph&);

}  // namespace sinew::generate
