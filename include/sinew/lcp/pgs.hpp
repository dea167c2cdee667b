// sinew/lcp/pgs.hpp - projected Gauss-Seidel: each unknown in turn takes the value that its own row asks for
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"

namespace sinew::lcp {

// From y on; ends when nothing changes by more than `tolerance`, or after `limit` sweeps. A row without a diagonal (a
// slip speed) moves by its w instead. Converges for symmetric positive semidefinite matrices; else it may not.
int solve_pgs(const BoxForm&, double* y, int limit, double tolerance);

}  // namespace sinew::lcp
