// src/lcp/cone_run.hpp - the solvers of the exact cone, one after the other, on a scaled problem
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "lcp/expected_motion.hpp"
#include "lcp/wedge.hpp"
#include "sinew/lcp/alart_curnier.hpp"
#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/cone_interior.hpp"
#include "sinew/lcp/cone_sequence.hpp"
#include "sinew/lcp/gauss_seidel.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew::lcp {

// Decides on the original problem whether impulses of the scaled one are good enough.
class ConeJudge {
 public:
  virtual ~ConeJudge() = default;
  virtual bool offer(const double* r, std::string_view solver) = 0;  // true: solved, within `stop`
  virtual bool is_solved() const = 0;
  virtual bool is_acceptable(double residual) = 0;  // of the best so far
  virtual bool fits_data() { return false; }        // the best so far is as good as the entries of W allow
  virtual void get_best(double* r) const = 0;       // the best so far, scaled
  // No answer is expected: r is the one of least violation, d the impulses that contradict, both scaled. False: the
  // form is not the problem, and proves nothing.
  virtual bool end_wedged(const double* /*r*/, const double* /*d*/, std::string_view /*solver*/) { return false; }
  double goal = 0;         // for the scaled problem, where a step more is cheap
  double enough = 0;       // for it, where steps converge slowly
  double stop = INFINITY;  // residual above which a solved problem is solved on
  int iterations = 0;      // of all solvers
  int budget = 0;          // of those, of all solvers together; 0: no limit

  void set_budget(const SolverOptions& o) { budget = o.method == Method::automatic ? o.iterations : 0; }
  int left(int limit) const { return budget > 0 ? std::clamp(budget - iterations, 0, limit) : limit; }
  bool is_spent() const { return left(1) == 0; }
};

class ConeRun {
 public:
  void reserve(const RowLayout& most, const SolverOptions&);
  void reserve(const SparseRoom&, const SolverOptions&);
  // From r, the scaled impulses (form.size), by the solver that the options name.
  void run(const ConeForm&, const SolverOptions&, ConeJudge&);
  // A few sweeps from r, where there is no time for more.
  void sweep(const ConeForm&, ConeJudge&);
  std::vector<double> r;

 private:
  void run_automatic(const ConeForm&, const SolverOptions&, ConeJudge&);
  void run_sparse(const ConeForm&, const SolverOptions&, ConeJudge&);
  bool run_expected(const ConeForm&, ConeJudge&);
  struct Walk {
    int steps;    // at most
    double gain;  // of the natural map, after which contact states are tried
    int slow;     // steps in a row that end it
  };
  bool walk_inside(const ConeForm&, ConeJudge&, const InteriorOptions&, const Walk&);
  bool run_newton(const ConeForm&, ConeJudge&, std::span<const double> weights);
  bool walk_quickly(const ConeForm&, ConeJudge&);
  bool run_interior(const ConeForm&, ConeJudge&);
  bool run_fine(const ConeForm&, ConeJudge&);
  void soften(const ConeForm&, double softness, bool only_wedge);
  bool solve_soft(ConeJudge&);
  bool run_soft(const ConeForm&, ConeJudge&);
  bool end_wedged(const ConeForm&, ConeJudge&, double softness);
  bool run_wedge(const ConeForm&, ConeJudge&);
  bool run_sequence(const ConeForm&, double acceptable, ConeJudge&, bool haste, double least_shift);
  bool run_rounds(const ConeForm&, ConeJudge&, double acceptable);
  double calc_map(const ConeForm&);
  void set_slip(const ConeForm&, const double* u);
  bool offer_polished(const ConeForm&, ConeJudge&, std::string_view solver);

  GaussSeidel gauss_seidel_;
  AlartCurnier newton_;
  ConeInterior interior_;
  ConeSequence sequence_;
  ExpectedMotion expected_;
  ConeForm soft_;  // with compliance added
  Wedge wedge_;
  std::vector<double> trial_, last_, ahead_, u_, slip_, last_slip_, soft_last_, soft_u_;
};

}  // namespace sinew::lcp
