// src/lcp/cone_path.cpp
#include "lcp/cone_path.hpp"

#include <algorithm>
#include <cmath>

#include "linear/rows.hpp"

namespace sinew::lcp {
namespace {

using namespace cascade;

// To rounding. Where W is, so is what is left of it once free rows are eliminated.
bool is_symmetric(const FrictionProblem& p) {
  for (std::size_t i = 0; i < p.W.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(p.W(i, j) - p.W(j, i)) > kRoundedAsymmetry * std::sqrt(std::abs(p.W(i, i) * p.W(j, j))))
        return false;
  return true;
}

}  // namespace

bool ConePath::offer(const double* r, std::string_view solver) {
  reduction_.recover(*problem_, form_, r, z_);
  return attempt_.offer(z_, solver) && attempt_.certificate.residual <= stop;
}

// Only where the form is the problem itself, to rounding.
bool ConePath::end_wedged(const double* r, const double* d, std::string_view solver) {
  if (shifted_ || reduction_.calc_skew(*problem_, form_, skew_).largest > kRoundedAsymmetry) return false;
  reduction_.recover(*problem_, form_, r, z_);
  attempt_.end_on_ray(z_, solver);
  // Free rows answer to d and to what they ask for themselves; the difference to no impulses at all is due to d.
  contradiction_.assign(z_.size(), 0.0);
  run_.r.assign(at(form_.size), 0.0);
  reduction_.recover(*problem_, form_, run_.r.data(), contradiction_);
  reduction_.recover(*problem_, form_, d, z_);
  double largest = 0;
  for (std::size_t i = 0; i < z_.size(); ++i)
    contradiction_[i] = z_[i] - contradiction_[i], largest = std::max(largest, std::abs(contradiction_[i]));
  for (double& x : contradiction_) x /= largest;
  return true;
}

void ConePath::run(const FrictionProblem& p, const SolverOptions& options, VectorView<const double> z) {
  problem_ = &p, goal = attempt_.goal(), enough = kGoalShare * options.tolerance, stop = INFINITY, set_budget(options);
  run_.r.assign(static_cast<std::size_t>(form_.size), 0.0);
  if (options.warm) reduction_.scale_start(form_, z, run_.r.data());
  run_.run(form_, options, *this);
  attempt_.certificate.iterations = iterations;
}

// The answer of the last step may still be right, for bodies at rest. Its residual must be below `repeat` times the
// tolerance: errors as large as the tolerance would add up from step to step.
std::optional<Certificate> ConePath::repeat(const FrictionProblem& p, const SolverOptions& options,
                                            VectorView<const double> z) {
  if (!options.warm || options.method != Method::automatic) return std::nullopt;
  attempt_.start(p, options.tolerance);
  if (!attempt_.offer(z, kLastAnswer)) return std::nullopt;
  if (attempt_.certificate.residual > find_kept_residual(options)) return std::nullopt;
  return attempt_.certificate;
}

void ConePath::reserve(const RowLayout& most, const SolverOptions& options) {
  const std::size_t n = at(most.rows());
  for (auto* x : {&z_, &centre_, &contradiction_}) x->reserve(n);
  attempt_.reserve(n), reduction_.reserve(most, form_), run_.reserve(most, options);
  if (options.method == Method::automatic && options.acceptable > 0) skew_.reserve(n * n);
}

// Relative residual that the entries of W allow: where free rows are eliminated from among far larger numbers, what is
// left of a symmetric W is symmetric to a few digits less.
double ConePath::find_matrix_error(const FrictionProblem& p) {
  const double asymmetry = reduction_.calc_skew(p, form_, skew_).largest;
  return matrix_error_ = asymmetry > kRoundedAsymmetry ? kAsymmetryShare * asymmetry : 0;
}

// The solvers see a symmetric matrix S. A file with few digits holds S + K, K skew and small: what K does to the last
// answer is added to b, and the problem solved again, which converges as long as K is small beside S. Answers are
// judged by the matrix as it stands.
void ConePath::solve_asymmetric(const FrictionProblem& p, SolverOptions options) {
  if (is_symmetric(p) || !(reduction_.calc_skew(p, form_, skew_).largest > kRoundedAsymmetry)) return;
  options.warm = true, options.acceptable = kAsymmetryStart;
  const auto m = static_cast<std::size_t>(form_.size);
  start_b_ = form_.b;
  start_.resize(m);
  for (int round = 0; round < kAsymmetryRounds && !attempt_.solved(); ++round) {
    reduction_.scale_start(form_, attempt_.best(), start_.data());
    for (std::size_t i = 0; i < m; ++i)
      form_.b[i] = start_b_[i] + linear::dot(skew_.data() + i * m, start_.data(), form_.size);
    run(p, options, attempt_.best());
  }
}

void ConePath::solve_reduced(const FrictionProblem& p, const SolverOptions& options, VectorView<const double> z) {
  bool contradiction = false;
  matrix_error_ = 0, judge_by_matrix_ = options.acceptable > 0;
  reduced_ = reduction_.reduce(p, form_, contradiction);
  if (reduced_) {
    SolverOptions first = options;
    // With free rows the matrix need not be symmetric before they are eliminated.
    if (options.acceptable == 0 && p.free == 0 && !is_symmetric(p)) first.acceptable = kAsymmetryStart;
    run(p, first, z);
    Status& status = attempt_.certificate.status;
    if (status == Status::limit || (status == Status::close && options.acceptable == 0)) solve_asymmetric(p, options);
    if (status == Status::close && !attempt_.is_acceptable(std::max(options.acceptable, matrix_error_)))
      status = Status::limit;
  } else if (contradiction) {
    attempt_.certificate.status = Status::infeasible;
  } else {
    // free rows cannot be eliminated exactly: repeat with a shift on their diagonal, centred on the last answer
    centre_.assign(z.size(), 0.0), shifted_ = true;
    double largest = 0;
    for (std::size_t i = 0; i < p.W.rows(); ++i)
      for (std::size_t j = 0; j < p.W.cols(); ++j) largest = std::max(largest, std::abs(p.W(i, j)));
    for (int round = 0; round < kShiftRounds && !attempt_.solved(); ++round) {
      reduced_ = reduction_.reduce(p, form_, contradiction, kFreeShift * largest, centre_.data());
      if (!reduced_) break;
      run(p, options, z);
      std::copy(z_.begin(), z_.end(), centre_.begin());
    }
  }
}

// The deadline has passed: a few sweeps, from the start, are an answer where there is none.
void ConePath::solve_late(const FrictionProblem& p, const SolverOptions& options, VectorView<const double> z) {
  form_.interrupt = options.interrupt.without_deadline();
  if (reduced_ && !attempt_.has_answer()) {
    problem_ = &p;
    run_.r.assign(static_cast<std::size_t>(form_.size), 0.0);
    if (options.warm) reduction_.scale_start(form_, z, run_.r.data());
    run_.sweep(form_, *this);
  }
  if (!attempt_.solved()) attempt_.certificate.status = Status::out_of_time;
  attempt_.is_acceptable(options.acceptable);
  attempt_.certificate.iterations = iterations;
}

Certificate ConePath::solve(const FrictionProblem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  iterations = 0, reduced_ = shifted_ = false, contradiction_.clear();
  reserve(p.layout(), options);
  form_.interrupt = options.interrupt;
  z_.assign(z.size(), 0.0);
  try {
    solve_reduced(p, options, z);
  } catch (const TimeUp&) {
    solve_late(p, options, z);
  }
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
