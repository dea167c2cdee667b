// src/lcp/cone_path.cpp
#include "lcp/cone_path.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linear/rows.hpp"

namespace sinew::lcp {
namespace {

using namespace cascade;
constexpr std::string_view kConvex = "convex rounds", kInterior = "interior point";

// To rounding. Where W is, so is what is left of it once free rows are eliminated.
bool is_symmetric(const FrictionProblem& p) {
  for (std::size_t i = 0; i < p.W.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(p.W(i, j) - p.W(j, i)) > kRoundedAsymmetry * std::sqrt(std::abs(p.W(i, i) * p.W(j, j))))
        return false;
  return true;
}

}  // namespace

bool ConePath::offer(const FrictionProblem& p, std::string_view solver) {
  reduction_.recover(p, form_, r_.data(), z_);
  return attempt_.offer(z_, solver);
}

// Offers r, then r after Newton steps on its contact states. Restores r.
bool ConePath::offer_polished(const FrictionProblem& p, std::string_view solver) {
  if (offer(p, solver)) return true;
  double natural = 0;
  std::copy(r_.begin(), r_.end(), trial_.begin());
  attempt_.certificate.iterations += newton_.polish(form_, r_.data(), kPolishTries, natural);
  if (offer(p, solver)) return true;
  std::copy(trial_.begin(), trial_.end(), r_.begin());
  return false;
}

// The interior-point path, then Newton from its best point.
bool ConePath::run_interior(const FrictionProblem& p) {
  int& iterations = attempt_.certificate.iterations;
  if (!interior_.start(form_)) return false;
  double nearest = INFINITY, tried = kNear, natural = 0;
  trial_ = last_ = r_;
  for (int k = 0; k < kInteriorSteps && interior_.step(form_, r_.data()); ++k, ++iterations) {
    form_.calc_velocity(r_.data(), u_.data());
    const double now = calc_natural(form_, r_.data(), u_.data());
    if (now < nearest) nearest = now, last_ = r_;
    if (!(now < kInteriorGain * tried)) continue;
    tried = now;
    if (offer_polished(p, kInterior)) return true;
  }
  r_ = last_;
  iterations += newton_.solve(form_, r_.data(), kInteriorNewton, attempt_.goal(), natural);
  return offer(p, kInterior);
}

// Convex rounds from r, with Newton tried in between. The mean of old and new slip speeds is taken: new ones alone may
// oscillate. Where many impulses are solutions, rounds move slowly, so the next centre is extrapolated (Nesterov's
// momentum, restarted when the direction turns); with `haste` the slip speeds too. Once the answer is acceptable, the
// number of steps is doubled, plus kExtraSteps, to find a better one.
bool ConePath::run_sequence(const FrictionProblem& p, const SolverOptions& options, bool haste, double least_shift) {
  int& iterations = attempt_.certificate.iterations;
  const int begun = iterations;
  int limit = kSteps, last_tried = 0;
  double tried = 1, shift = kFirstShift, momentum = 1;
  const auto slip_of = [&](std::size_t c) {
    const double* u = u_.data() + form_.layout().row_of_contact(c);
    return std::sqrt(u[1] * u[1] + u[2] * u[2]);
  };
  form_.calc_velocity(r_.data(), u_.data());
  slip_.resize(form_.mu.size()), ahead_ = r_;
  for (std::size_t c = 0; c < slip_.size(); ++c) slip_[c] = slip_of(c);
  last_slip_ = slip_;
  double now = calc_natural(form_, r_.data(), u_.data());
  for (int round = 0; round < kRounds && iterations - begun < limit; ++round) {
    last_ = r_;
    const double goal = std::max(kLeastRoundGoal, kRoundGoal * std::min(now, 1.0));
    iterations += sequence_.round(form_, ahead_.data(), slip_.data(), r_.data(), u_.data(), shift, goal, kRoundSteps);
    now = calc_natural(form_, r_.data(), u_.data());
    if (now < kNear && (now < kRoundGain * tried || round >= last_tried + kRoundsToTry)) {
      tried = now, last_tried = round;
      if (offer_polished(p, kConvex)) return true;
      if (limit == kSteps && attempt_.is_acceptable(options.acceptable)) limit = 2 * (iterations - begun) + kExtraSteps;
    }
    double turn = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) turn += (ahead_[i] - r_[i]) * (r_[i] - last_[i]);
    if (turn > 0) momentum = 1;
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2, share = (momentum - 1) / next;
    momentum = next;
    for (std::size_t i = 0; i < r_.size(); ++i) ahead_[i] = r_[i] + share * (r_[i] - last_[i]);
    for (std::size_t c = 0; c < slip_.size(); ++c) {
      const double half = kSlipShare * (slip_[c] + slip_of(c));
      slip_[c] = haste ? std::max(0.0, half + share * (half - last_slip_[c])) : half;
      last_slip_[c] = half;
    }
    shift = std::max(kShrink * shift, least_shift);
  }
  return false;
}

void ConePath::run_automatic(const FrictionProblem& p, const SolverOptions& options) {
  int& iterations = attempt_.certificate.iterations;
  const std::string_view sweeps = to_string(Method::gauss_seidel), steps = to_string(Method::alart_curnier);
  double natural = 0, change = 0;
  if (options.warm) {
    iterations += newton_.polish(form_, r_.data(), kWarmPolish, natural, attempt_.goal());
    if (offer(p, steps)) return;
  }
  gauss_seidel_.prepare(form_);
  iterations += gauss_seidel_.sweep(form_, r_.data(), kFirstSweeps, attempt_.goal(), change);
  if (change <= kSweepsDone * attempt_.goal() && offer(p, sweeps)) return;
  iterations += newton_.polish(form_, r_.data(), kPolishAfterSweeps, natural);
  if (offer(p, steps)) return;
  if (form_.size > kLarge) {
    iterations += newton_.solve(form_, r_.data(), kLargeNewton, attempt_.goal(), natural);
    if (offer(p, steps)) return;
  }
  if (judge_by_matrix_ && attempt_.is_acceptable(find_matrix_error(p))) return;
  u_.resize(r_.size()), trial_.resize(r_.size());
  if (run_interior(p) || attempt_.is_acceptable(options.acceptable)) return;
  sequence_.prepare(form_);
  for (int round = 0; round < kAttempts; ++round) {
    if (run_sequence(p, options, round > 0, kLeastShifts[round]) || attempt_.is_acceptable(options.acceptable)) return;
    iterations += newton_.solve(form_, r_.data(), kNewtonAfterRounds, attempt_.goal(), natural, kWeights[round % 2]);
    iterations += newton_.polish(form_, r_.data(), kPolishAfterNewton, natural);
    if (offer(p, kConvex) || attempt_.is_acceptable(options.acceptable)) return;
    iterations += gauss_seidel_.sweep(form_, r_.data(), kSweepsAfterNewton << round, attempt_.goal(), change);
    if (offer(p, sweeps)) return;
  }
}

void ConePath::run(const FrictionProblem& p, const SolverOptions& options, VectorView<const double> z) {
  r_.assign(static_cast<std::size_t>(form_.size), 0.0);
  if (options.warm) reduction_.scale_start(form_, z, r_.data());
  if (options.method == Method::gauss_seidel) gauss_seidel_.prepare(form_);
  const auto limit = [&](int own) { return options.iterations > 0 ? options.iterations : own; };
  int& iterations = attempt_.certificate.iterations;
  double last = 0;
  switch (options.method) {
    case Method::automatic: return run_automatic(p, options);
    case Method::gauss_seidel:
      iterations += gauss_seidel_.sweep(form_, r_.data(), limit(kSweepsLimit), attempt_.goal(), last);
      break;
    case Method::alart_curnier:
      iterations += newton_.solve(form_, r_.data(), limit(kConeNewtonLimit), attempt_.goal(), last);
      break;
    default:
      throw std::invalid_argument(
          "lcp: " + std::string(to_string(options.method)) +
          " solves linear problems; a contact problem with the exact cone is for gauss_seidel or "
          "alart_curnier, or set directions");
  }
  offer(p, to_string(options.method));
}

// The answer of the last step may still be right, for bodies at rest. Its residual must be below `repeat` times the
// tolerance: errors as large as the tolerance would add up from step to step.
std::optional<Certificate> ConePath::repeat(const FrictionProblem& p, const SolverOptions& options,
                                            VectorView<const double> z) {
  if (!options.warm || options.method != Method::automatic) return std::nullopt;
  attempt_.start(p, options.tolerance);
  if (!attempt_.offer(z, kLastAnswer)) return std::nullopt;
  if (attempt_.certificate.residual > options.repeat * options.tolerance) return std::nullopt;
  return attempt_.certificate;
}

void ConePath::reserve(const RowLayout& most, const SolverOptions& options) {
  const std::size_t n = at(most.rows());
  const bool automatic = options.method == Method::automatic;
  for (auto* x : {&r_, &trial_, &last_, &ahead_, &u_, &slip_, &last_slip_, &z_, &centre_}) x->reserve(n);
  attempt_.reserve(n), reduction_.reserve(most, form_);
  if (automatic || options.method == Method::gauss_seidel) gauss_seidel_.reserve(most);
  if (options.method != Method::gauss_seidel) newton_.reserve(n);
  if (automatic) interior_.reserve(n), sequence_.reserve(n);
  if (automatic && options.acceptable > 0) skew_.reserve(n * n);
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
  r_.resize(m);
  for (int round = 0; round < kAsymmetryRounds && !attempt_.solved(); ++round) {
    reduction_.scale_start(form_, attempt_.best(), r_.data());
    for (std::size_t i = 0; i < m; ++i)
      form_.b[i] = start_b_[i] + linear::dot(skew_.data() + i * m, r_.data(), form_.size);
    run(p, options, attempt_.best());
  }
}

Certificate ConePath::solve(const FrictionProblem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  reserve(p.layout(), options);
  form_.interrupt = options.interrupt;
  z_.assign(z.size(), 0.0);
  bool contradiction = false;
  matrix_error_ = 0, judge_by_matrix_ = options.acceptable > 0;
  if (reduction_.reduce(p, form_, contradiction)) {
    SolverOptions first = options;
    // With free rows the matrix need not be symmetric before they are eliminated.
    if (options.acceptable == 0 && p.free == 0 && !is_symmetric(p)) first.acceptable = kAsymmetryStart;
    run(p, first, z);
    Status& status = attempt_.certificate.status;
    if (status != Status::solved && (status != Status::close || options.acceptable == 0)) solve_asymmetric(p, options);
    if (status == Status::close && !attempt_.is_acceptable(std::max(options.acceptable, matrix_error_)))
      status = Status::limit;
  } else if (contradiction) {
    attempt_.certificate.status = Status::infeasible;
  } else {
    // free rows cannot be eliminated exactly: repeat with a shift on their diagonal, centred on the last answer
    centre_.assign(z.size(), 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < p.W.rows(); ++i)
      for (std::size_t j = 0; j < p.W.cols(); ++j) largest = std::max(largest, std::abs(p.W(i, j)));
    for (int round = 0; round < kShiftRounds && !attempt_.solved(); ++round) {
      if (!reduction_.reduce(p, form_, contradiction, kFreeShift * largest, centre_.data())) break;
      run(p, options, z);
      std::copy(z_.begin(), z_.end(), centre_.begin());
    }
  }
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
