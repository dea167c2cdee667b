// sinew/lcp/pivoting.hpp - principal pivoting in the manner of Dantzig, Cottle and Keller, with bounds
// One row at a time is driven to its law while those already there keep theirs: its unknown moves, the basic unknowns
// follow so that their w stay zero, and an unknown or w that reaches a bound on the way enters or leaves the basis.
// Finite for symmetric positive semidefinite matrices and for P-matrices; a pyramid's matrix is neither, and there it
// may cycle until `limit`.
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"
#include "sinew/lcp/certificate.hpp"

namespace sinew::lcp {

class Pivoting {
 public:
  // y without a start; the status is the method's own: solved, ray or limit. limit 0: 20 size, at least 100.
  Status solve(const BoxForm&, double* y, int limit, int& pivots);
  void reserve(std::size_t n);

 private:
  enum class Side : char { lower, upper, basic };
  struct Event {
    double length = 0;
    int row = -1;  // the row that enters or leaves the basis; -1: none, a ray
    Side side = Side::lower;
  };
  bool calc_direction(const BoxForm&, int driven, double sign);
  Event find_event(const BoxForm&, const double* y, int driven, double sign) const;

  std::vector<Side> side_;
  std::vector<int> basic_, order_;
  std::vector<double> A_, x_, work_, dy_, dw_, w_;
};

}  // namespace sinew::lcp
