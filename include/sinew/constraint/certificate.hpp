// sinew/constraint/certificate.hpp - what a constrained solve did, and how well
// Residuals are measured on the answer, in the original units and from the original data: never those that the solver
// kept while it worked. constraint/solve/certify.hpp measures them, for an answer from anywhere.
#pragma once
#include <string_view>
#include <vector>

namespace sinew {

enum class SolveStatus {
  solved,        // residuals within the tolerance
  inconsistent,  // no acceleration obeys all rows; the rows that contradict are named, the answer is least squares
  not_reached,   // an iteration ended before its tolerance, or the answer does not obey the equations
  non_finite,    // a number is not finite; the first one is named
};
std::string_view to_string(SolveStatus);

struct SolveCertificate {
  SolveCertificate() = default;
  explicit SolveCertificate(int row_count);  // with room for the names of all rows: no allocation after that

  SolveStatus status = SolveStatus::solved;
  std::string_view algorithm;      // "kkt", "multipliers", "projection", "pv", "sparse", "proximal"
  int freedoms = 0, rows = 0;      // n and m
  int rank = 0;                    // of K, as found; -1: the algorithm does not look for it
  int iterations = 0;              // 0 for direct methods
  double tolerance = 0;            // residual / scale that counts as solved
  double dynamics_residual = 0;    // largest entry of H qdd + C - tau - K^T lambda [N or N m]
  double constraint_residual = 0;  // largest entry of K qdd - k [m/s^2 or rad/s^2]
  double dynamics_scale = 0;       // largest term of the first equation
  double constraint_scale = 0;     // largest term of the second, and of K times the acceleration without constraints
  double energy_change = 0;        // impulses only: kinetic energy after less before [J]
  std::vector<int> redundant;      // rows that the others imply
  std::vector<int> contradicting;  // rows that no acceleration obeys together
  std::string_view culprit;        // non_finite: "q", "v", "tau", "external", "rows", "qdd" or "lambda"
  int culprit_index = -1;          // and which entry of it
};

}  // namespace sinew
