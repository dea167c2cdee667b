// src/lcp/cone_path.hpp - a contact problem with the exact cone, by one solver or by several
#pragma once
#include <optional>
#include <vector>

#include "lcp/attempt.hpp"
#include "sinew/lcp/alart_curnier.hpp"
#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/cone_interior.hpp"
#include "sinew/lcp/cone_sequence.hpp"
#include "sinew/lcp/gauss_seidel.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew::lcp {

class ConePath {
 public:
  void reserve(const RowLayout& most, const SolverOptions&);
  // A certificate where z, the answer of the last step, is still right; W is then finite. All else must be finite.
  std::optional<Certificate> repeat(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);
  // The problem has been checked. z: in, the start where options.warm; out, the answer.
  Certificate solve(const FrictionProblem&, const SolverOptions&, VectorView<double> z);

 private:
  void run(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);
  void run_automatic(const FrictionProblem&, const SolverOptions&);
  bool run_interior(const FrictionProblem&);
  bool run_sequence(const FrictionProblem&, const SolverOptions&, bool haste, double least_shift);
  double find_matrix_error(const FrictionProblem&);
  void solve_asymmetric(const FrictionProblem&, SolverOptions);
  bool offer(const FrictionProblem&, std::string_view solver);
  bool offer_polished(const FrictionProblem&, std::string_view solver);

  Attempt<FrictionProblem> attempt_;
  ConeForm form_;
  ConeReduction reduction_;
  GaussSeidel gauss_seidel_;
  AlartCurnier newton_;
  ConeInterior interior_;
  ConeSequence sequence_;
  std::vector<double> r_, trial_, last_, ahead_, u_, slip_, last_slip_, z_, centre_;
  std::vector<double> skew_, start_b_;  // of matrices that are not symmetric
  bool judge_by_matrix_ = false;        // the caller takes answers that are as good as W allows
  double matrix_error_ = 0;             // of the last problem, 0: W allows every tolerance, or it was not asked
};

}  // namespace sinew::lcp
