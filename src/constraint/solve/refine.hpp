// src/constraint/solve/refine.hpp - the steps of sinew/constraint/solve/refine.hpp
#pragma once
#include <algorithm>
#include <cmath>

#include "sinew/constraint/solve/forward_dynamics.hpp"

namespace sinew {

// A value below this part of its tolerance is accepted without further tests.
inline constexpr double kClear = 0.1;

// The velocity coordinate that moves no inertia, found by the factors of H, -1: none.
int find_coordinate_without_inertia(const DofTree&, const std::vector<double>& H, const LtlFactor<double>& L);
// The same for methods that do not factor H, O(n). `sparse`: H is factored only if the quick test finds a suspect.
int find_coordinate_without_inertia(const Model&, ConstrainedWorkspace&, In<double> q, double time);

// (a) After certify. Writes acceleration_error and the culprit, a coordinate or a row.
void guess_error(const Model&, ConstrainedWorkspace&, In<double> q, double time, SolveCertificate&);
// Adds the error due to rows that are neither clearly implied nor clearly new.
void add_error_of_unclear_rows(const Model&, const ConstraintSet&, ConstrainedWorkspace&, In<double> q, double time,
                               SolveCertificate&);

// (b) solve() puts the answer of (1) into w.correction and w.multipliers, measure() certifies (x, lambda) again.
template <class Solve, class Measure>
void correct(RefineWorkspace& w, Out<double> x, Out<double> lambda, SolveCertificate& c, Solve solve, Measure measure) {
  constexpr int kRounds = 8;
  constexpr double kRounding = 0.01;  // part of the tolerance: corrections below it need not shrink
  constexpr double kSlow = 0.7;       // corrections that shrink less than this give no bound on the remaining error
  double before = 0;
  while (c.corrections < kRounds && c.status == SolveStatus::solved) {
    ++c.corrections;
    solve();
    double size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += w.correction[i];
      size = std::max(size, std::abs(w.correction[i]) / c.acceleration_scale);
    }
    for (std::size_t r = 0; r < lambda.size(); ++r) lambda[r] += w.multipliers[r];
    measure();
    const double ratio = c.corrections == 1 ? 1 : size / before;
    before = size;
    c.acceleration_error = ratio < kSlow ? size * ratio / (1 - ratio) : size / (1 - kSlow);
    if (size <= kRounding * c.acceleration_tolerance) break;
    if (ratio < kSlow && c.acceleration_error <= kClear * c.acceleration_tolerance) break;
    if (c.corrections > 1 && ratio >= 1) break;
  }
}

}  // namespace sinew
