// python/src/constraints.hpp - a constraint set as Python holds it: it keeps its model
#pragma once
#include "common.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew::py {

struct PySet {
  std::shared_ptr<PyModel> model;
  ConstraintSet set;
};
using Rows = ConstraintRows;

// Throws where model and set do not belong together.
void check_set(const char* call, const PyModel&, const PySet&);

}  // namespace sinew::py
