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

// Throws where model and set, or set and rows, do not belong together.
void check_set(const char* call, const PyModel&, const PySet&);
void check_rows(const char* call, const PySet&, const Rows&);

}  // namespace sinew::py
