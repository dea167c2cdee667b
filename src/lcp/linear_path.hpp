// src/lcp/linear_path.hpp - a linear complementarity problem, by one solver or by several
#pragma once
#include <vector>

#include "lcp/attempt.hpp"
#include "sinew/lcp/box_form.hpp"
#include "sinew/lcp/lemke.hpp"
#include "sinew/lcp/newton.hpp"
#include "sinew/lcp/pivoting.hpp"
#include "sinew/lcp/proximal.hpp"
#include "sinew/lcp/qp.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew::lcp {

class LinearPath {
 public:
  // The problem has been checked. z: in, the start where options.warm; out, the answer.
  Certificate solve(const Problem&, const SolverOptions&, VectorView<double> z);

 private:
  Status solve_reduced(const Problem&, const SolverOptions&, VectorView<const double> z);
  Status run(const Problem&, const SolverOptions&, VectorView<const double> z);
  Status run_automatic(const Problem&, const SolverOptions&);
  void reserve(std::size_t n, const SolverOptions&);
  bool offer(const Problem&, std::string_view solver);

  Attempt<Problem> attempt_;
  BoxForm form_;
  BoxReduction reduction_;
  Lemke lemke_;
  Newton newton_;
  Proximal proximal_;
  Pivoting pivoting_;
  InteriorPoint interior_;
  std::vector<double> y_, z_, centre_;
};

}  // namespace sinew::lcp
