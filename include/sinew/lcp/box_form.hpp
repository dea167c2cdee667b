// sinew/lcp/box_form.hpp - a linear complementarity problem as the solvers see it
//   0 <= y <= upper,   w = M y + q:   w >= 0 where y = 0,  w <= 0 where y = upper,  w = 0 between
// Free rows are eliminated, fixed ones filled in, bounds shifted and turned so that the lower one is zero; rows and
// columns are scaled so that the diagonal is one (by the same factors where it is not zero: a symmetric matrix stays
// so), q so that its largest entry is one.
#pragma once
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/lcp/free_rows.hpp"
#include "sinew/lcp/problem.hpp"

namespace sinew::lcp {

struct BoxForm {
  int size = 0;
  bool boxed = false;            // some upper bound is finite
  std::vector<double> M;         // size x size, row-major
  std::vector<double> q, upper;  // (size)
  Interrupt interrupt;           // that solvers look at once an iteration

  // Row i of M.
  const double* row(int i) const { return M.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(size); }
  // w = M y + q.
  void calc_w(const double* y, double* w) const;
};

// Largest entry of  y - P(y - w).
double calc_natural(const BoxForm&, const double* y, const double* w);
bool is_symmetric(const BoxForm&);

// From a problem to its box form and back: free rows eliminated, rows and columns scaled.
class BoxReduction {
 public:
  // False: free rows cannot be eliminated without a shift. `contradiction`: equations contradict each other.
  bool reduce(const Problem&, BoxForm&, bool& contradiction, double shift = 0, const double* centre = nullptr);
  void scale_start(const BoxForm&, VectorView<const double> z, double* y) const;
  void recover(const Problem&, const BoxForm&, const double* y, VectorView<double> z);

 private:
  FreeRows free_rows_;
  std::vector<int> free_, rest_;
  std::vector<double> base_, sign_, q_;        // of each unknown of the problem: z = base + sign * scaled y
  std::vector<double> row_scale_, col_scale_;  // (size)
  double unit_ = 1;
};

}  // namespace sinew::lcp
