// sinew/constraint/certificate.hpp - what a constrained solve did, and how well
// Residuals are measured on the answer, in the original units and from the original data: never those that the solver
// kept while it worked.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

enum class SolveStatus {
  solved,        // residuals within the tolerance
  inconsistent,  // no acceleration obeys all rows; the rows that contradict are named
  not_reached,   // an iteration ended before its tolerance
  non_finite,    // a number is not finite; the first one is named
};
std::string_view to_string(SolveStatus);

struct SolveCertificate {
  SolveStatus status = SolveStatus::solved;
  std::string_view algorithm;      // "kkt", "multipliers", "projection", "pv", "sparse", "proximal"
  int freedoms = 0, rows = 0;      // n and m
  int rank = 0;                    // of K, as found
  int iterations = 0;              // 0 for direct methods
  double dynamics_residual = 0;    // largest entry of H qdd + C - tau - K^T lambda [N or N m]
  double constraint_residual = 0;  // largest entry of K qdd - k [m/s^2 or rad/s^2]
  double scale = 0;                // what the residuals were compared with: largest term in either equation
  std::vector<int> redundant;      // rows that the others imply (room is kept: no allocation after the first call)
  std::vector<int> contradicting;  // rows that no acceleration obeys
};

}  // namespace sinew
