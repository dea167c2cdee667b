// src/lcp/cone_path.hpp - a contact problem with the exact cone, by one solver or by several
#pragma once
#include <optional>
#include <vector>

#include "lcp/attempt.hpp"
#include "lcp/cone_run.hpp"

namespace sinew::lcp {

class ConePath : private ConeJudge {
 public:
  void reserve(const RowLayout& most, const SolverOptions&);
  // A certificate where z, the answer of the last step, is still right; W is then finite. All else must be finite.
  std::optional<Certificate> repeat(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);
  // The problem has been checked. z: in, the start where options.warm; out, the answer.
  Certificate solve(const FrictionProblem&, const SolverOptions&, VectorView<double> z);
  // Of the last problem, where its status is ray: impulses that contradict each other, the largest 1; empty otherwise.
  VectorView<const double> contradiction() const { return contradiction_; }
  void forget_contradiction() { contradiction_.clear(); }

 private:
  bool offer(const double* r, std::string_view solver) override;
  bool is_solved() const override { return attempt_.solved() && attempt_.certificate.residual <= stop; }
  bool is_acceptable(double residual) override { return attempt_.is_acceptable(residual); }
  bool fits_data() override { return judge_by_matrix_ && attempt_.is_acceptable(find_matrix_error(*problem_)); }
  void get_best(double* r) const override { reduction_.scale_start(form_, attempt_.best(), r); }
  bool end_wedged(const double* r, const double* d, std::string_view solver) override;
  void run(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);
  double find_matrix_error(const FrictionProblem&);
  void solve_asymmetric(const FrictionProblem&, SolverOptions);
  void solve_reduced(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);
  void solve_late(const FrictionProblem&, const SolverOptions&, VectorView<const double> z);

  Attempt<FrictionProblem> attempt_;
  ConeForm form_;
  ConeReduction reduction_;
  ConeRun run_;
  const FrictionProblem* problem_ = nullptr;
  std::vector<double> z_, centre_, contradiction_;
  std::vector<double> skew_, start_b_, start_;  // of matrices that are not symmetric
  bool reduced_ = false;                        // form_ is that of the problem
  bool shifted_ = false;                        // with a shift on its free rows
  bool judge_by_matrix_ = false;                // the caller takes answers that are as good as W allows
  double matrix_error_ = 0;                     // of the last problem, 0: W allows every tolerance, or it was not asked
};

}  // namespace sinew::lcp
