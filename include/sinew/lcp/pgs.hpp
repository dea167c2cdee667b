// sinew/lcp/pgs.hpp - projected Gauss-Seidel: each unknown in turn takes the value that solves its own row
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"

namespace sinew::lcp {

// Starts from y; ends when nothing changes by more than `tolerance`, or after `limit` sweeps. The unknown of a row
// without a diagonal (a slip speed) changes by its w instead. Converges for symmetric positive semidefinite matrices;
// else it may not.
int solve_pgs(const BoxForm&, double* y, int limit, double tolerance);

}  // namespace sinew::lcp
