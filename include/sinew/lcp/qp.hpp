// sinew/lcp/qp.hpp - a symmetric positive semidefinite problem as a convex quadratic programme
//   minimize  y^T M y / 2 + q^T y  over  0 <= y <= upper        [F08 11.43]
// whose conditions of optimality are the complementarity problem. A primal-dual interior method with a predictor; the
// last digits come from the active set that it ends with (Newton).
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"

namespace sinew::lcp {

// A primal-dual method for symmetric positive semidefinite matrices.
class InteriorPoint {
 public:
  // y without a start. Returns the steps; ends when the mean of y w is below `tolerance`, or after `limit`.
  int solve(const BoxForm&, double* y, int limit, double tolerance);
  void reserve(std::size_t n);

 private:
  bool factor(const BoxForm&, const double* y);
  void calc_direction(const BoxForm&, const double* y, double target);

  std::vector<double> H_, work_;
  std::vector<double> w_, v_, rest_;            // multipliers of the two bounds; M y + q - w + v
  std::vector<double> dy_, dw_, dv_;            // the step
  std::vector<double> cross_low_, cross_high_;  // second-order terms of the predictor
};

}  // namespace sinew::lcp
