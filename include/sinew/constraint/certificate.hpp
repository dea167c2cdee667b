// sinew/constraint/certificate.hpp - what a constrained solve did, and how well
// Residuals are measured on the answer, in the original units and from the original data: never those that the solver
// kept while it worked. constraint/solve/certify.hpp measures them for any answer.
// Small residuals are not enough: where rows are nearly dependent, or a motion has hardly any inertia, a wrong
// acceleration has small residuals too. constraint/solve/refine.hpp estimates the error of the acceleration itself.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

class ConstraintSet;
class Model;

// How a solve ended.
enum class SolveStatus {
  solved,        // residuals and the error of the acceleration are within their tolerances
  inconsistent,  // no acceleration obeys all rows; the rows that contradict are named, the answer is least squares
  not_reached,   // an iteration ended before its tolerance, or the answer is not known to be accurate enough
  singular,      // a motion has no inertia: H has no inverse; the velocity coordinate is named
  non_finite,    // a number is not finite; the first one is named
};
std::string_view to_string(SolveStatus);

// What a solve did: status, residuals with their scales, rank, rows to blame.
struct SolveCertificate {
  SolveCertificate() = default;
  explicit SolveCertificate(int row_count);  // with room for the names of all rows: no allocation after that

  SolveStatus status = SolveStatus::solved;
  std::string_view algorithm;      // "kkt", "multipliers", "projection", "pv", "sparse", "proximal"
  int freedoms = 0, rows = 0;      // n and m
  int rank = 0;                    // of K, as found; -1: the algorithm does not determine it
  int iterations = 0;              // 0 for direct methods
  double tolerance = 0;            // residual / scale that counts as solved
  double dynamics_residual = 0;    // largest entry of H qdd + C - tau - K^T lambda [N or N m]
  double constraint_residual = 0;  // largest entry of K qdd - k [m/s^2 or rad/s^2]
  double dynamics_scale = 0;       // largest term of the first equation
  double constraint_scale = 0;     // largest term of the second, and of K times the acceleration without constraints
  // The error of the acceleration, as a part of its scale; estimated, see constraint/solve/refine.hpp.
  double acceleration_error = 0;
  double acceleration_tolerance = 0;  // what counts as solved
  double acceleration_scale = 0;      // largest entry of the acceleration, with and without constraints
  double least_row = -1;              // smallest part of a row that counted as new; -1: not determined
  int corrections = 0;                // how often the answer was corrected by its own residuals
  double energy_change = 0;           // impulses only: kinetic energy after less before [J]
  std::vector<int> redundant;         // rows that the others imply
  std::vector<int> contradicting;     // rows that no acceleration obeys together
  // The cause. non_finite: "q", "v", "tau", "external", "rows", "qdd" or "lambda"; singular: "inertia";
  // not_reached, where the acceleration is too uncertain: "inertia", or "dependence" of rows.
  std::string_view culprit;
  int culprit_index = -1;  // its entry; "inertia": velocity coordinate; "dependence": row, -1 if not known
};

// Sentences for a reader: the outcome, then each cause, with the names of the model. Empty where solved.
std::vector<std::string> describe(const SolveCertificate&, const Model&, const ConstraintSet&);

}  // namespace sinew
