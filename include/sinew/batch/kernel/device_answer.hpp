// sinew/batch/kernel/device_answer.hpp - a friction problem of one world, solved by a team
// Newton's method from the last step's impulses, then after a sweep or two, is enough for 98 of 100 problems. The
// others go on where there is more code: an interior point, and Newton with shorter steps from several starts. The best
// iterate is the answer.
#pragma once
#include "sinew/batch/kernel/device_interior.hpp"
#include "sinew/batch/kernel/device_newton.hpp"

namespace sinew::device {

struct LawOutcome {
  int newtons = 0, sweeps = 0;  // interior steps count as Newton's
};

// From z; the answer is there, with u of it. Returns the residual. Rounds of sweeps (none at first) and then Newton
// steps; each begins with the best answer so far.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD R find_quick_answer(const Law<R, Team>& law, const R& tolerance, LawOutcome& cost) {
  constexpr int kNewtonSteps = 8;  // in a round
  constexpr int kRounds = 3;       // with 0, 1, 2 sweeps before them
  const LawData<R>& d = law.d;
  const LawNewton<R, Team> method{law};
  R best = Numbers<R>::kInfinity, shift = LawNumbers<R>::kShift;
  int round = 0, sweeps = 0, steps = 0;
  bool newton = false;
  law.begin();
  for (;;) {
    R* z = newton ? d.other : d.z;
    law.renew(z);
    if (round == kRounds) return best;
    const R now = law.measure(z);
    if (now < best || !newton) {
      best = now;
      R* to = newton ? d.z : d.other;
      law.team.each(d.rows, [&](int r) { to[r] = z[r]; });
      if (best <= tolerance) return best;
    } else if (!(now < 10)) {
      steps = kNewtonSteps;  // it runs away
    }
    if (!newton && sweeps > 0) {
      --sweeps, ++cost.sweeps;
      law.sweep();
      continue;
    }
    newton = true;
    if (steps < kNewtonSteps) {
      ++steps, ++cost.newtons;
      if (method.step(d.other, shift, R(1))) continue;
    }
    newton = false, steps = 0, shift *= 10;
    sweeps = 1 << round++;
  }
}

// The interior point once more, step by step along a path that keeps farther from the boundary, with Newton from where
// it is after every `every` steps, however far that is from an answer. For problems where all else fails.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void follow_path(const Law<R, Team>& law, const R& toward, int every, const R& weight, const R& tolerance,
                          R& best, LawOutcome& cost) {
  constexpr int kSteps = 60, kNewtonSteps = 8;
  const LawNewton<R, Team> newton{law};
  const LawInterior<R, Team> interior{law, R(0.9), toward};
  R size = 1, gap = interior.start(size);
  for (int k = 1; best > tolerance && k <= kSteps && interior.step(size, gap); ++k) {
    ++cost.newtons;
    if (k % every == 0) cost.newtons += newton.descend(kNewtonSteps, weight, LawNumbers<R>::kShift, tolerance, best);
  }
}

// The same from z, whose residual is too large for a quick answer.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD R find_hard_answer(const Law<R, Team>& law, const R& tolerance, LawOutcome& cost) {
  constexpr bool kSingle = Numbers<R>::kSingle;
  constexpr int kSteps = kSingle ? 30 : 60, kSlowSteps = kSingle ? 6 : 12;  // of the interior point; slow ones end it
  constexpr R kSlow = R(0.7), kNear = R(1e-2), kGain = R(0.1);  // rates of the map; where Newton is tried, and again
  constexpr int kTry = 6, kNewtonSteps = 20;
  constexpr R kShift = kSingle ? R(1e-3) : R(1e-6);  // of Newton's first step
  constexpr int kAttempts = 6;
  constexpr R kFar = R(1e-4);  // above this, paths are followed step by step
  const LawData<R>& d = law.d;
  const LawNewton<R, Team> newton{law};
  const LawInterior<R, Team> interior{law};
  law.begin(), law.renew(d.z);
  R best = law.measure(d.z), size = 1, gap = interior.start(size), nearest = Numbers<R>::kInfinity,
    tried = kNear / kGain;
  for (int k = 0, slow = 0; best > tolerance && k < kSteps && slow < kSlowSteps && interior.step(size, gap); ++k) {
    ++cost.newtons;
    law.renew(d.other);
    const R now = law.measure(d.other);
    slow = now < kSlow * nearest ? 0 : slow + 1, nearest = min(now, nearest);
    if (now < kGain * tried || now <= tolerance)
      tried = now, cost.newtons += newton.descend(kTry, R(1), LawNumbers<R>::kShift, tolerance, best);
  }
  // Newton from the best answer, then after sweeps that begin there or with nothing, with two weights.
  LawData<R> swapped = d;
  swapped.z = d.other, swapped.other = d.z;
  const Law<R, Team> on_other{law.team, swapped};
  for (int attempt = 0; best > tolerance && attempt < kAttempts; ++attempt) {
    const bool afresh = attempt >= 2 && attempt % 3 != 1;
    const int sweeps = attempt < 2 ? 0 : (1 << (attempt - 1)) - 1;
    const R weight = attempt % 4 == 0 || attempt % 4 == 3 ? R(10) : R(1);
    law.team.each(d.rows, [&](int r) { d.other[r] = afresh ? R(0) : d.z[r]; });
    law.renew(d.other);
    for (int i = 0; i < sweeps; ++i) on_other.sweep();
    cost.sweeps += sweeps;
    cost.newtons += newton.descend(kNewtonSteps, weight, kShift, tolerance, best);
  }
  for (int path = 0; best > kFar && path < 2; ++path) {  // a loop: the text is there once
    const bool again = path > 0;
    follow_path(law, again ? R(0.7) : R(0.4), again ? 1 : 2, again ? R(10) : R(1), tolerance, best, cost);
  }
  law.renew(d.z);
  return best;
}

}  // namespace sinew::device
