// src/constraint/rows/name_rows.hpp - rows of a set in words, those of one constraint together
#pragma once
#include <string>
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// "loop 'pin' (moment about x, force along z); coupling 'gear' (effort on joint 'motor')"
std::string name_rows(const std::vector<int>& rows, const ConstraintSet&);

}  // namespace sinew
