// sinew/constraint/rank/assemble.hpp - the nearest position at which the constraints hold
// Newton's method by least motion: each step is the shortest dv with  K dv = -(position errors), so redundant rows
// cause no problem. Rows that hold velocities only are not corrected.
#pragma once
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

struct AssembleOptions {
  double tolerance = 1e-12;  // largest position error [m or rad]
  double longest_step = 1;   // of any coordinate in one step [m or rad]
  int iterations = 100;
};
// Where the search ended.
struct Assembly {
  bool closed = false;
  double error = 0;  // largest position error at the end [m or rad]
  int iterations = 0;
};

// Changes q in place. If the constraints cannot be closed, q is the best position found.
Assembly assemble(const Model&, const ConstraintSet&, VectorView<double> q, double time = 0,
                  const AssembleOptions& = {});

}  // namespace sinew
