// src/lcp/sparse_path.hpp - a contact problem with the exact cone whose matrix W is not built
#pragma once
#include <optional>
#include <vector>

#include "lcp/attempt.hpp"
#include "lcp/cone_run.hpp"
#include "lcp/sparse_cone.hpp"

namespace sinew::lcp {

class SparsePath : private ConeJudge {
 public:
  void reserve(const SparseRoom&, const SolverOptions&);
  // A certificate where z, the answer of the last step, is still right.
  std::optional<Certificate> repeat(const SparseProblem&, const SolverOptions&, VectorView<const double> z);
  // The problem has been checked. z: in, the start where options.warm; out, the answer.
  Certificate solve(const SparseProblem&, const SolverOptions&, VectorView<double> z);

 private:
  bool offer(const double* r, std::string_view solver) override;
  void get_best(double* r) const override {
    for (std::size_t i = 0; i < form_.scale.size(); ++i) r[i] = attempt_.best()[i] / form_.scale[i];
  }
  void set_start(const SolverOptions&, VectorView<const double> z);
  void solve_late(const SolverOptions&, VectorView<const double> z);
  bool is_solved() const override { return attempt_.solved() && attempt_.certificate.residual <= stop; }
  bool is_acceptable(double residual) override { return attempt_.is_acceptable(residual); }

  Attempt<SparseProblem> attempt_;
  ConeForm form_;
  SparseCone cone_;
  ConeRun run_;
  std::vector<double> z_;
};

}  // namespace sinew::lcp
