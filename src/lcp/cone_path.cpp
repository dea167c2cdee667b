// src/lcp/cone_path.cpp
#include "lcp/cone_path.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sinew::lcp {
namespace {

constexpr double kWeights[] = {1, 10, 0.1, 100};
constexpr double kShifts[] = {1e-4, 1e-3, 1e-5, 1e-2, 1e-3};
constexpr double kShrink[] = {0.2, 0.2, 0.3}, kLeastShift = 1e-6;
constexpr int kRounds = 12, kAttempts = 10, kAttemptsForClose = 6;
constexpr int kShiftRounds = 40;
constexpr std::string_view kConvex = "convex rounds", kLastAnswer = "last answer";
constexpr double kLastAnswerShare = 1e-3;  // of the tolerance

}  // namespace

bool ConePath::offer(const FrictionProblem& p, std::string_view solver) {
  reduction_.recover(p, form_, r_.data(), z_);
  return attempt_.offer(z_, solver);
}

// Convex rounds, each tried by a few Newton steps; then Newton at length from the best of them.
bool ConePath::run_sequence(const FrictionProblem& p, int attempt) {
  int& iterations = attempt_.certificate.iterations;
  double natural = 0, last = 1, shift = kShifts[attempt % 5];
  form_.calc_velocity(r_.data(), u_.data());
  for (int round = 0; round < kRounds; ++round) {
    const double goal = std::max(1e-11, 1e-3 * std::min(last, 1.0));
    iterations += sequence_.round(form_, r_.data(), u_.data(), shift, goal, 50);
    last = calc_natural(form_, r_.data(), u_.data());
    if (last < 1e-2) {
      std::copy(r_.begin(), r_.end(), trial_.begin());
      iterations += newton_.polish(form_, r_.data(), 6, natural);
      if (offer(p, kConvex)) return true;
      std::copy(trial_.begin(), trial_.end(), r_.begin());
    }
    shift = std::max(kShrink[attempt % 3] * shift, kLeastShift);
  }
  return false;
}

void ConePath::run_automatic(const FrictionProblem& p, const SolverOptions& options) {
  int& iterations = attempt_.certificate.iterations;
  const std::string_view sweeps = to_string(Method::gauss_seidel), steps = to_string(Method::alart_curnier);
  double natural = 0, change = 0;
  if (options.warm) {
    iterations += newton_.polish(form_, r_.data(), 6, natural, attempt_.goal());
    if (offer(p, steps)) return;
  }
  gauss_seidel_.prepare(form_);
  iterations += gauss_seidel_.sweep(form_, r_.data(), 30, attempt_.goal(), change);
  if (change <= 10 * attempt_.goal() && offer(p, sweeps)) return;
  iterations += newton_.polish(form_, r_.data(), 8, natural);
  if (offer(p, steps)) return;
  iterations += newton_.solve(form_, r_.data(), 40, attempt_.goal(), natural);
  if (offer(p, steps)) return;
  u_.resize(r_.size()), trial_.resize(r_.size());
  sequence_.prepare(form_);
  const int attempts = options.acceptable > 0 ? kAttemptsForClose : kAttempts;
  for (int round = 0; round < attempts; ++round) {
    if (run_sequence(p, round) || attempt_.is_acceptable(options.acceptable)) return;
    iterations += newton_.solve(form_, r_.data(), 60, attempt_.goal(), natural, kWeights[round % 2]);
    iterations += newton_.polish(form_, r_.data(), 3, natural);
    if (offer(p, kConvex) || attempt_.is_acceptable(options.acceptable)) return;
    iterations += gauss_seidel_.sweep(form_, r_.data(), 50 << (round % 5), attempt_.goal(), change);
    if (offer(p, sweeps)) return;
  }
}

void ConePath::run(const FrictionProblem& p, const SolverOptions& options, VectorView<double> z) {
  r_.assign(static_cast<std::size_t>(form_.size), 0.0);
  if (options.warm) reduction_.scale_start(form_, z, r_.data());
  if (options.method == Method::gauss_seidel) gauss_seidel_.prepare(form_);
  const auto limit = [&](int own) { return options.iterations > 0 ? options.iterations : own; };
  int& iterations = attempt_.certificate.iterations;
  double last = 0;
  switch (options.method) {
    case Method::automatic: return run_automatic(p, options);
    case Method::gauss_seidel:
      iterations += gauss_seidel_.sweep(form_, r_.data(), limit(20000), attempt_.goal(), last);
      break;
    case Method::alart_curnier: iterations += newton_.solve(form_, r_.data(), limit(300), attempt_.goal(), last); break;
    default:
      throw std::invalid_argument(
          "lcp: " + std::string(to_string(options.method)) +
          " solves linear problems; a contact problem with the exact cone is for gauss_seidel or "
          "alart_curnier, or set directions");
  }
  offer(p, to_string(options.method));
}

Certificate ConePath::solve(const FrictionProblem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  // The answer of the last step may still be one: bodies at rest. What it is wrong by the next step must mend, so it is
  // held to more than others; else errors of the size of the tolerance would feed each other.
  if (options.warm && options.method == Method::automatic && attempt_.offer(z, kLastAnswer)) {
    if (attempt_.certificate.residual <= kLastAnswerShare * options.tolerance) return attempt_.certificate;
    attempt_.start(p, options.tolerance);
  }
  for (auto* x : {&r_, &trial_, &u_, &z_, &centre_}) x->reserve(z.size());
  if (options.method != Method::gauss_seidel) newton_.reserve(z.size());
  if (options.method == Method::automatic) sequence_.reserve(z.size());
  z_.assign(z.size(), 0.0);
  bool contradiction = false;
  if (reduction_.reduce(p, form_, contradiction)) {
    run(p, options, z);
  } else if (contradiction) {
    attempt_.certificate.status = Status::infeasible;
  } else {
    // free rows that cannot be eliminated as they stand: with a shift on their diagonal, again and again
    centre_.assign(z.size(), 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < p.W.rows(); ++i)
      for (std::size_t j = 0; j < p.W.cols(); ++j) largest = std::max(largest, std::abs(p.W(i, j)));
    for (int round = 0; round < kShiftRounds && !attempt_.solved(); ++round) {
      if (!reduction_.reduce(p, form_, contradiction, 1e-4 * largest, centre_.data())) break;
      run(p, options, z);
      std::copy(z_.begin(), z_.end(), centre_.begin());
    }
  }
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
