// src/lcp/sparse_path.cpp
#include "lcp/sparse_path.hpp"

#include <algorithm>

namespace sinew::lcp {

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

Certificate SparsePath::solve(const SparseProblem& p, const SolverOptions& options, VectorView<double> z) {
  attempt_.start(p, options.tolerance);
  form_.interrupt = options.interrupt;
  cone_.scale(p, form_);
  iterations = 0, goal = cascade::kSparseGoal * options.tolerance, stop = options.tolerance;
  z_.assign(z.size(), 0.0), run_.r.assign(z.size(), 0.0);
  if (options.warm)
    for (std::size_t i = 0; i < z.size(); ++i) run_.r[i] = z[i] / form_.scale[i];
  run_.run(form_, options, *this);
  attempt_.certificate.iterations = iterations;
  if (options.acceptable > 0) attempt_.is_acceptable(std::max(options.acceptable, cascade::kClose * options.tolerance));
  attempt_.finish(z);
  return attempt_.certificate;
}

}  // namespace sinew::lcp
