// sinew/lcp/newton.hpp - semismooth Newton on the natural map  y - P(y - w)  of a boxed problem
// A step solves w = 0 on the rows that the projection does not change and holds the others at their bounds: with the
// right rows it gives the solution at once. Steps are halved until half the square of the map falls; a proximal term
// shift (y - centre)  in w keeps the matrix regular, and vanishes at the fixed point.
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"

namespace sinew::lcp {

class Newton {
 public:
  // Ends when the map is within `tolerance`, or after `limit` steps; y is the best point. Returns the steps.
  int solve(const BoxForm&, double* y, int limit, double tolerance, double& natural);
  // Full steps with a very small shift, from a point whose active set is right. y changes only if it improves.
  int polish(const BoxForm&, double* y, int limit, double& natural);

  // Room for problems of n unknowns.
  void reserve(std::size_t n);

 private:
  bool step(const BoxForm&, const double* y, const double* w, double shift, const double* centre, double* next);
  double calc_merit(const BoxForm&, const double* y, const double* w, double shift, const double* centre) const;
  int solve_shifted(const BoxForm&, double* y, double* w, double shift, double goal, int limit);

  std::vector<int> basic_, order_;
  std::vector<double> A_, rhs_, work_, w_, next_, w_next_, trial_, w_trial_, centre_, best_;
};

}  // namespace sinew::lcp
