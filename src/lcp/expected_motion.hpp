// src/lcp/expected_motion.hpp - a start of the cone solvers from velocities, for problems without W
// Warm impulses hold the last step's loads. Where many bodies share a load and turn with it, the velocities that they
// cause in the next step are off by a tenth, and the states of contacts cannot be told from them. The velocities after
// a step are known far better: those before, and what the last accelerations add.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

class ExpectedMotion {
 public:
  void reserve(std::size_t rows, std::size_t velocities);
  // True where the motion that the problem expects contradicts the contact states of the impulses r by far less than
  // the motion that r causes, u_r, and where nearly all contacts stick.
  bool is_better(const ConeForm&, const double* r, const double* u_r);
  const double* motion() const { return v_.data(); }    // scaled, as that of impulses: M^-1 J^T r
  const double* velocity() const { return u_.data(); }  // of the rows, with b
  double error() const { return error_; }               // of these in the mean: what contact states forbid

 private:
  double calc_error(const ConeForm&, const double* r, const double* u) const;
  std::vector<double> v_, u_;
  double error_ = 0;
};

}  // namespace sinew::lcp
