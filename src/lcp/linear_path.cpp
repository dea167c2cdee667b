// src/lcp/linear_path.cpp
#include "lcp/linear_path.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/lcp/pgs.hpp"

namespace sinew::lcp {

using namespace cascade;

// Room for problems of n unknowns, for every method.
void LinearPath::reserve(std::size_t n, const SolverOptions& options) {
  y_.reserve(n), z_.reserve(n), centre_.reserve(n);
  const Method m = options.method;
  const bool all = m == Method::automatic || m == Method::proximal;
  if (all || m == Method::lemke) lemke_.reserve(n);
  if (all || m == Method::newton || m == Method::qp) newton_.reserve(n);
  if (all) proximal_.reserve(n);
  if (m == Method::pivoting) pivoting_.reserve(n);
  if (m == Method::qp) interior_.reserve(n);
}

bool LinearPath::offer(const Problem& p, std::string_view solver) {
  reduction_.recover(p, form_, y_.data(), z_);
  return attempt_.offer(z_, solver);
}

// Tries the warm basis, Lemke, Newton from where Lemke ended, then the proximal loop.
Status LinearPath::run_automatic(const Problem& p, const SolverOptions& options) {
  int& iterations = attempt_.certificate.iterations;
  double natural = 0;
  if (options.warm) {
    if (offer(p, to_string(Method::newton))) return Status::solved;
    iterations += newton_.polish(form_, y_.data(), kWarmBasis, natural);
    if (offer(p, to_string(Method::newton))) return Status::solved;
  }
  int pivots = 0;
  const Status own = lemke_.solve(form_, y_.data(), options.iterations, pivots);
  iterations += pivots;
  if (offer(p, to_string(Method::lemke))) return Status::solved;
  iterations += newton_.polish(form_, y_.data(), kPolishAfterLemke, natural);
  if (offer(p, to_string(Method::newton))) return Status::solved;
  iterations += newton_.solve(form_, y_.data(), kNewtonAfterLemke, attempt_.goal(), natural);
  if (offer(p, to_string(Method::newton))) return Status::solved;
  iterations += proximal_.solve(form_, newton_, lemke_, y_.data(), kProximalRounds, attempt_.goal(), natural);
  iterations += newton_.polish(form_, y_.data(), kPolishAfterProximal, natural);
  offer(p, to_string(Method::proximal));
  return own == Status::ray ? own : Status::limit;
}

Status LinearPath::run(const Problem& p, const SolverOptions& options, VectorView<const double> z) {
  int& iterations = attempt_.certificate.iterations;
  y_.assign(static_cast<std::size_t>(form_.size), 0.0);
  if (options.warm) reduction_.scale_start(form_, z, y_.data());
  const auto limit = [&](int own) { return options.iterations > 0 ? options.iterations : own; };
  const std::string_view name = to_string(options.method);
  double natural = 0;
  int pivots = 0;
  Status status = Status::limit;
  switch (options.method) {
    case Method::automatic: return run_automatic(p, options);
    case Method::lemke: status = lemke_.solve(form_, y_.data(), options.iterations, pivots); break;
    case Method::pivoting: status = pivoting_.solve(form_, y_.data(), options.iterations, pivots); break;
    case Method::qp:
      if (!is_symmetric(form_))
        throw std::invalid_argument("lcp: qp needs a symmetric matrix; lemke, newton and proximal take any");
      pivots = interior_.solve(form_, y_.data(), limit(kQpLimit), kQpGoal * attempt_.goal());
      pivots += newton_.polish(form_, y_.data(), kPolishAfterQp, natural);
      break;
    case Method::pgs: pivots = solve_pgs(form_, y_.data(), limit(kSweepsLimit), attempt_.goal()); break;
    case Method::newton:
      pivots = newton_.solve(form_, y_.data(), limit(kBoxNewtonLimit), attempt_.goal(), natural);
      break;
    case Method::proximal:
      pivots = proximal_.solve(form_, newton_, lemke_, y_.data(), limit(kProximalLimit), attempt_.goal(), natural);
      break;
    default:
      throw std::invalid_argument("lcp: " + std::string(name) +
                                  " solves contact problems with the exact cone; a linear problem is for lemke, "
                                  "pivoting, pgs, newton, proximal or qp");
  }
  iterations += pivots;
  offer(p, name);
  return status == Status::ray ? status : Status::limit;
}

Status LinearPath::solve_reduced(const Problem& p, const SolverOptions& options, VectorView<const double> z) {
  bool contradiction = false;
  Status status = Status::limit;
  if (reduction_.reduce(p, form_, contradiction)) {
    status = run(p, options, z);
  } else if (contradiction) {
    status = Status::infeasible;
  } else {
    // free rows cannot be eliminated exactly: repeat with a shift on their diagonal, centred on the last answer
    centre_.assign(z.size(), 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < p.M.rows(); ++i)
      for (std::size_t j = 0; j < p.M.cols(); ++j) largest = std::max(largest, std::abs(p.M(i, j)));
    for (int round = 0; round < kShiftRounds && !attempt_.solved(); ++round) {
      if (!reduction_.reduce(p, form_, contradiction, kFreeShift * largest, centre_.data())) break;
      run(p, options, z);
      std::copy(z_.begin(), z_.end(), centre_.begin());
    }
  }
  return status;
}

Certificate LinearPath::solve(const Problem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  reserve(z.size(), options);
  form_.interrupt = options.interrupt;
  z_.assign(z.size(), 0.0);
  Status status = Status::out_of_time;
  try {
    status = solve_reduced(p, options, z);
  } catch (const TimeUp&) {
    if (options.warm) attempt_.offer(z, kLastAnswer);
  }
  if (!attempt_.solved()) attempt_.certificate.status = status;
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
