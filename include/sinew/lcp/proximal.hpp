// sinew/lcp/proximal.hpp - proximal point: a sequence of regular problems around a singular one
//   M + shift I,  q - shift y_k   ->   y_k+1
// Each is solved by Newton from the last answer, by Lemke where that fails. The shift shrinks while rounds succeed.
#pragma once
#include <vector>

#include "sinew/lcp/lemke.hpp"
#include "sinew/lcp/newton.hpp"

namespace sinew::lcp {

class Proximal {
 public:
  // Starts from y. Returns the pivots and steps of all rounds; `natural` is the natural map's largest entry.
  int solve(const BoxForm&, Newton&, Lemke&, double* y, int rounds, double tolerance, double& natural);

  // Room for problems of n unknowns.
  void reserve(std::size_t n);

 private:
  BoxForm shifted_;
  std::vector<double> best_, w_;
};

}  // namespace sinew::lcp
