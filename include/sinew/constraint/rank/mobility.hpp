// sinew/constraint/rank/mobility.hpp - in how many ways a mechanism can move [F08 section 8.10]
//   mobility = n - r,   overconstraint = n_c - r,   r = rank of K            [F08 8.52, 8.55]
// At a singular position K loses rank: some motions are possible for an instant only. The mobility at assembled
// positions nearby tells how many can be continued.
#pragma once
#include <string>
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {

struct MobilityOptions {
  double tolerance = linear::kDependentWhenClosed;  // pivots of K below this part of its largest entry are zero
  double distance = 1e-2;                           // how far the positions nearby are [rad or m]
  int samples = 24;
};

struct Mobility {
  int freedoms = 0;             // n
  int rows = 0;                 // n_c
  int rank = 0;                 // r, here
  int instantaneous = 0;        // n - r, here
  int overconstraint = 0;       // n_c - r, here
  std::vector<int> redundant;   // rows that the others imply here
  double error = 0;             // largest position error here [m or rad]
  int lowest = 0, highest = 0;  // mobility at the assembled positions nearby; equal unless motions branch here
  int samples = 0;              // positions nearby that closed; 0 where none was needed
  bool decided = true;          // lowest and highest are known
  std::string how;              // how they were found
};

Mobility find_mobility(const Model&, const ConstraintSet&, VectorView<const double> q, double time = 0,
                       const MobilityOptions& = {});

// Sentences for a reader; the first states the mobility.
std::vector<std::string> describe(const Mobility&, const ConstraintSet&);

}  // namespace sinew
