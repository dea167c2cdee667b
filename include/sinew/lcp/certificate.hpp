// sinew/lcp/certificate.hpp - what a complementarity solver did, and how well
// Residuals are measured on the answer, from the original data and in the original units; the solver's own
// residual is not used (lcp/residual.hpp).
#pragma once
#include <string_view>

namespace sinew::lcp {

// How a solve ended.
enum class Status {
  solved,      // the residual is within the tolerance
  ray,         // a pivoting method ended on a secondary ray: no solution was found; for the matrices that the method
               // is made for, none exists. Of a cone: rows contradict, as Solver::contradiction() proves, and the
               // answer violates them by the least
  infeasible,  // there is no solution: bounds cross, or equations contradict each other
  limit,       // iterations or pivots ran out above the tolerance; the answer is the best that was found
  close,       // within `acceptable`, or in the end 1e-6, but not within the tolerance
  non_finite,  // the data or the answer hold a number that is not finite
  out_of_time  // the deadline passed above the tolerance; the answer is the best that was found
};
std::string_view to_string(Status);

inline constexpr std::string_view kLastAnswer = "last answer";  // the solver's name where the warm start was the answer

struct Certificate {
  Status status = Status::limit;
  std::string_view solver;  // the one whose answer this is
  int size = 0;             // unknowns
  int iterations = 0;       // pivots, sweeps or Newton steps, of all solvers that were tried
  double tolerance = 0;     // relative residual that counts as solved
  double residual = 0;      // relative natural residual
  double absolute = 0;      // natural residual with unit weights: largest entry of z - P(z - w)
};

}  // namespace sinew::lcp
