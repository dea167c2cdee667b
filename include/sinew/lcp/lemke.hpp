// sinew/lcp/lemke.hpp - Lemke's complementary pivots
//   w - M z - z0 1 = q,   the basis changes one variable at a time, always the complement of the one that left,
// until z0 leaves (solved) or nothing can (a ray). The inverse of the basis is updated, and recomputed when rounding
// has built up; ties are broken lexicographically by its rows, and z0 leaves before all others. A ray is accepted only
// with a recomputed inverse, and the answer comes from one. O(n^2) per pivot.
#pragma once
#include <vector>

#include "sinew/lcp/box_form.hpp"
#include "sinew/lcp/certificate.hpp"

namespace sinew::lcp {

class Lemke {
 public:
  // y without a start; the status is the method's own: solved, ray or limit. limit 0: 10 size, at least 100.
  Status solve(const BoxForm&, double* y, int limit, int& pivots);

  void reserve(std::size_t n);  // each upper bound counts as one more row

 private:
  void expand(const BoxForm&);
  void calc_column(int variable, double* out) const;
  bool refresh();
  bool has_drifted() const;
  int find_leaving(bool& has_artificial) const;
  void pivot(int row, int entering);
  int least_lexicographic(int a, int b) const;

  int n_ = 0, since_ = 0;
  Interrupt interrupt_;    // of the form
  std::vector<double> M_;  // the problem with upper bounds as rows of their own, by columns
  std::vector<double> q_, x_, direction_, inverse_, factor_, work_;
  mutable std::vector<double> column_;
  std::vector<int> basis_;  // variable in each row: w 0 .. n - 1, z n .. 2 n - 1, z0 2 n
  std::vector<int> order_;
};

}  // namespace sinew::lcp
