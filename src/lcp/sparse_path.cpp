// src/lcp/sparse_path.cpp
#include "lcp/sparse_path.hpp"

#include <algorithm>

namespace sinew::lcp {

void SparsePath::reserve(const SparseRoom& room, const SolverOptions& options) {
  const std::size_t n = at(room.rows.rows());
  z_.reserve(n), attempt_.reserve(n);
  cone_.reserve(room, form_), run_.reserve(room, options);
}

bool SparsePath::offer(const double* r, std::string_view solver) {
  for (int i = 0; i < form_.size; ++i) z_[at(i)] = form_.scale[at(i)] * r[i];
  return attempt_.offer(z_, solver) && attempt_.certificate.residual <= stop;
}

// As ConePath::repeat.
std::optional<Certificate> SparsePath::repeat(const SparseProblem& p, const SolverOptions& options,
                                              VectorView<const double> z) {
  if (!options.warm || options.method != Method::automatic) return std::nullopt;
  attempt_.start(p, options.tolerance);
  attempt_.offer(z, kLastAnswer);
  const double kept = find_kept_residual(options);
  if (attempt_.certificate.residual > kept || (!attempt_.solved() && !attempt_.is_acceptable(kept)))
    return std::nullopt;
  return attempt_.certificate;
}

void SparsePath::set_start(const SolverOptions& options, VectorView<const double> z) {
  run_.r.assign(z.size(), 0.0);
  if (options.warm)
    for (std::size_t i = 0; i < z.size(); ++i) run_.r[i] = z[i] / form_.scale[i];
}

// As ConePath::solve_late.
void SparsePath::solve_late(const SolverOptions& options, VectorView<const double> z) {
  form_.interrupt = options.interrupt.without_deadline();
  if (!attempt_.has_answer()) set_start(options, z), run_.sweep(form_, *this);
  if (!attempt_.solved()) attempt_.certificate.status = Status::out_of_time;
}

Certificate SparsePath::solve(const SparseProblem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  form_.interrupt = options.interrupt;
  cone_.scale(p, form_);
  iterations = 0, goal = enough = cascade::kSparseGoal * options.tolerance, stop = options.tolerance;
  set_budget(options);
  z_.assign(z.size(), 0.0);
  set_start(options, z);
  try {
    run_.run(form_, options, *this);
  } catch (const TimeUp&) {
    solve_late(options, z);
  }
  attempt_.certificate.iterations = iterations;
  if (options.acceptable > 0) attempt_.is_acceptable(std::max(options.acceptable, cascade::kClose * options.tolerance));
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
