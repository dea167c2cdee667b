// src/lcp/alart_curnier.cpp
#include "sinew/lcp/alart_curnier.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/cascade.hpp"
#include "lcp/room.hpp"

namespace sinew::lcp {

using namespace cascade;

template <class Do>
void AlartCurnier::for_each_array(std::size_t n, Do apply, bool dense) {
  if (dense)
    apply(maps_, n), apply(columns_, n), apply(A_, n * n), apply(B_, n * n), apply(mapped_, n), apply(first_, n),
        apply(states_, n);
  else
    apply(D_, 9 * n);
  for (auto* x : {&rhs_, &work_, &u_, &next_, &u_next_, &trial_, &u_trial_, &centre_, &best_}) apply(*x, n);
}
void AlartCurnier::reserve(std::size_t n) { for_each_array(n, make_room); }
void AlartCurnier::reserve_sparse(std::size_t n) { for_each_array(n, make_room, false); }

// Half the square of the map, with the proximal term.
double AlartCurnier::calc_merit(const ConeForm& f, const double* r, const double* u, double shift,
                                const double* centre) const {
  double sum = 0;
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    const auto gap = [&](int i) { return r[i] - weight_ * (u[i] + shift * (r[i] - centre[i])); };
    const double normal = f.width(k) == 1 ? f.clamp(k, gap(n)) : std::max(0.0, gap(n));
    sum += (r[n] - normal) * (r[n] - normal);
    if (f.width(k) == 1) continue;
    const std::size_t c = at(k - f.unilateral);
    const double radius = f.mu[c] * (normal + f.preload[c]);
    double x = gap(n + 1), y = gap(n + 2);
    const double length = std::sqrt(x * x + y * y);
    if (length > radius) x *= radius / length, y *= radius / length;
    sum += (r[n + 1] - x) * (r[n + 1] - x) + (r[n + 2] - y) * (r[n + 2] - y);
  }
  return 0.5 * sum;
}

// Newton with halved steps on one proximal problem; changes r and u.
int AlartCurnier::solve_shifted(const ConeForm& f, double* r, double* u, double shift, double goal, int limit) {
  int steps = 0;
  const double* centre = centre_.data();
  double merit = calc_merit(f, r, u, shift, centre);
  while (steps < limit && std::sqrt(2 * merit) > goal) {
    ++steps;
    for (int i = 0; i < f.size; ++i) u_trial_[i] = u[i] + shift * (r[i] - centre[i]);
    if (!step(f, r, u_trial_.data(), shift, centre, next_.data())) break;
    f.calc_velocity(next_.data(), u_next_.data());
    double t = 1, best = INFINITY, best_t = 1;
    for (int half = 0; half < kHalvings; ++half, t *= 0.5) {
      for (int i = 0; i < f.size; ++i) {
        trial_[i] = r[i] + t * (next_[i] - r[i]);
        u_trial_[i] = u[i] + t * (u_next_[i] - u[i]);
      }
      const double m = calc_merit(f, trial_.data(), u_trial_.data(), shift, centre);
      if (m < best) best = m, best_t = t;
      if (m < (1 - kDecrease * t) * merit) break;
    }
    if (!std::isfinite(best)) break;
    // take the best step even if it is worse than the start: it may lead out of a local minimum
    for (int i = 0; i < f.size; ++i) {
      u[i] += best_t * (u_next_[i] - u[i]);
      r[i] += best_t * (next_[i] - r[i]);
    }
    merit = best;
  }
  return steps;
}

int AlartCurnier::solve(const ConeForm& f, double* r, int limit, double tolerance, double& natural, double weight) {
  for_each_array(at(f.size), grow, !f.sparse);
  weight_ = weight;
  f.calc_velocity(r, u_.data());
  std::copy_n(r, f.size, best_.data());
  natural = calc_natural(f, r, u_.data());
  double shift = f.sparse ? kSparseShift : kConeNewton.first_shift, last = natural;
  int steps = 0;
  while (steps < limit && natural > tolerance) {
    std::copy_n(r, f.size, centre_.data());
    const double goal = find_inner_goal(tolerance, last);
    const int inner = solve_shifted(f, r, u_.data(), shift, goal, std::min(kConeNewton.inner_steps, limit - steps));
    steps += std::max(inner, 1);
    f.calc_velocity(r, u_.data());
    const double now = calc_natural(f, r, u_.data());
    if (now < natural) natural = now, std::copy_n(r, f.size, best_.data());
    if (!std::isfinite(now)) std::copy_n(best_.data(), f.size, r), f.calc_velocity(r, u_.data());
    const bool quick = f.sparse && inner < kConeNewton.inner_steps && now < kKeepShift * last;
    if (!quick) shift = find_next_shift(kConeNewton, shift, inner, now, last);
    last = std::isfinite(now) ? now : natural;
  }
  std::copy_n(best_.data(), f.size, r);
  return steps;
}

int AlartCurnier::polish(const ConeForm& f, double* r, int limit, double& natural, double goal, double weight) {
  for_each_array(at(f.size), grow, !f.sparse);
  weight_ = weight, factor_ = Factor::none;
  f.calc_velocity(r, u_.data());
  natural = calc_natural(f, r, u_.data());
  double now = INFINITY;
  const auto try_step = [&](bool again) {
    std::copy_n(r, f.size, centre_.data());
    if (!step(f, r, u_.data(), kConeNewton.least_shift, centre_.data(), next_.data(), again)) return false;
    f.calc_velocity(next_.data(), u_next_.data());
    now = calc_natural(f, next_.data(), u_next_.data());
    return true;
  };
  const auto take = [&] { std::copy_n(next_.data(), f.size, r), std::swap(u_, u_next_), natural = now; };
  int steps = 0;
  bool quick = false;
  while (steps < limit && (steps == 0 || natural > goal)) {
    ++steps;
    if (!try_step(quick)) break;
    if (again_ && !(now < kAgain * natural) && !try_step(false)) break;
    if (!(now < natural)) break;
    const bool slow = now > kHalved * natural;
    quick = now < kAgain * natural;
    take();
    if (slow) break;
  }
  // The next problem, and what may rest, gain by digits that cost next to nothing.
  const bool ended = goal > 0 && natural <= goal && !f.sparse;
  for (int more = 0; ended && more < kMoreAgain && natural > kAgainGoal; ++more) {
    if (!try_step(true) || !(now < natural)) break;
    const bool slow = now > kHalved * natural;
    take();
    if (slow) break;
  }
  return steps;
}

}  // namespace sinew::lcp
