// src/lcp/attempt.hpp - the best answer so far, judged on the original problem only
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "lcp/cascade.hpp"
#include "lcp/units.hpp"
#include "sinew/lcp/certificate.hpp"

namespace sinew::lcp {

// Both residuals must be within the tolerance; the absolute one relative to the larger of 1 and |q|, with some slack.
inline bool passes(const Residual& r, double tolerance, double q_largest) {
  return r.finite && r.relative <= tolerance &&
         r.absolute <= cascade::kAbsoluteSlack * tolerance * std::max(1.0, q_largest);
}

template <class AnyProblem>
class Attempt {
 public:
  void reserve(std::size_t n) { best_.reserve(n), units_.reserve(n); }
  void start(const AnyProblem& problem, double tolerance) {
    problem_ = &problem;
    best_.assign(problem.q.size(), 0.0);
    certificate = {};
    certificate.size = problem.size(), certificate.tolerance = tolerance;
    q_largest_ = 0;
    for (const double q : problem.q) q_largest_ = std::max(q_largest_, std::abs(q));
    measure_ = INFINITY;
    const auto units = units_of(problem);
    units_.resize(problem.q.size());
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = units(i);
  }
  // Keeps z if it is the best so far; true where the problem is solved.
  bool offer(VectorView<const double> z, std::string_view solver) {
    const Residual r = calc_residual(*problem_, z, units_);
    const double measure = std::max(r.relative, r.absolute / (cascade::kAbsoluteSlack * std::max(1.0, q_largest_)));
    if (r.finite && measure < measure_) {
      measure_ = measure;
      std::copy(z.begin(), z.end(), best_.begin());
      certificate.solver = solver, certificate.residual = r.relative, certificate.absolute = r.absolute;
      if (passes(r, certificate.tolerance, q_largest_)) certificate.status = Status::solved;
    }
    return certificate.status == Status::solved;
  }
  // z is the answer, whatever was better before: no solution exists near it.
  void end_on_ray(VectorView<const double> z, std::string_view solver) {
    measure_ = INFINITY;
    if (!offer(z, solver)) certificate.status = Status::ray;
  }
  // True where the best answer is within `acceptable`; then the status is close, unless solved.
  bool is_acceptable(double acceptable) {
    const bool close = acceptable > 0 && measure_ <= acceptable;
    if (close && !solved()) certificate.status = Status::close;
    return close;
  }
  VectorView<const double> best() const { return best_; }
  bool has_answer() const { return measure_ < INFINITY; }
  bool solved() const { return certificate.status == Status::solved; }
  // Tolerance for the scaled problem: stricter than the caller's.
  double goal() const { return std::min(cascade::kGoalShare * certificate.tolerance, cascade::kLargestGoal); }
  void finish(VectorView<double> z) {
    if (std::isinf(measure_)) offer(best_, certificate.solver);  // nothing finite was found: zeros
    std::copy_n(best_.begin(), z.size(), z.begin());
  }
  Certificate certificate;

 private:
  const AnyProblem* problem_ = nullptr;
  std::vector<double> best_;
  std::vector<Units> units_;
  double q_largest_ = 0, measure_ = 0;
};

}  // namespace sinew::lcp
