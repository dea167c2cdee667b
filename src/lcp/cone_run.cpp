// src/lcp/cone_run.cpp
#include "lcp/cone_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "lcp/cascade.hpp"

namespace sinew::lcp {

using namespace cascade;

namespace {

constexpr std::string_view kConvex = "convex rounds", kInterior = "interior point",
                           kCompliance = "vanishing compliance";
constexpr double kPlainWeight[] = {1}, kFirstWeights[] = {kStateWeight},
                 kLastWeights[] = {1, kPolishWeight, kStateWeight};

// Of a form that is solved for its own sake: its natural map decides.
class FormJudge : public ConeJudge {
 public:
  FormJudge(const ConeForm& f, double most, std::vector<double>& u) : form_(f), u_(u) { goal = enough = most; }
  bool offer(const double* r, std::string_view) override {
    form_.calc_velocity(r, u_.data());
    return solved_ = solved_ || calc_natural(form_, r, u_.data()) <= goal;
  }
  bool is_solved() const override { return solved_; }
  bool is_acceptable(double) override { return false; }
  void get_best(double*) const override {}

 private:
  const ConeForm& form_;
  std::vector<double>& u_;  // scratch
  bool solved_ = false;
};

}  // namespace

void ConeRun::reserve(const RowLayout& most, const SolverOptions& options) {
  const std::size_t n = at(most.rows());
  const bool automatic = options.method == Method::automatic;
  for (auto* x : {&r, &trial_, &last_, &ahead_, &u_, &slip_, &last_slip_}) x->reserve(n);
  if (automatic || options.method == Method::gauss_seidel) gauss_seidel_.reserve(most);
  if (options.method != Method::gauss_seidel) newton_.reserve(n);
  if (!automatic) return;
  interior_.reserve(n), sequence_.reserve(n), wedge_.reserve(n), soft_last_.reserve(n), soft_u_.reserve(n);
  soft_.G.reserve(n * n);
  for (auto* x : {&soft_.b, &soft_.lower, &soft_.upper, &soft_.mu, &soft_.preload, &soft_.scale}) x->reserve(n);
}
void ConeRun::reserve(const SparseRoom& room, const SolverOptions&) {
  const std::size_t n = at(room.rows.rows());
  for (auto* x : {&r, &trial_, &last_, &ahead_, &u_, &slip_, &last_slip_}) x->reserve(n);
  gauss_seidel_.reserve_sparse(room.rows), newton_.reserve_sparse(n), interior_.reserve_sparse(n);
  sequence_.reserve_sparse(n, at(room.velocities)), expected_.reserve(n, at(room.velocities));
}

// The natural map at r.
double ConeRun::calc_map(const ConeForm& f) {
  f.calc_velocity(r.data(), u_.data());
  return calc_natural(f, r.data(), u_.data());
}

// Offers r, then r after Newton steps on its contact states. Restores r.
bool ConeRun::offer_polished(const ConeForm& f, ConeJudge& judge, std::string_view solver) {
  if (judge.offer(r.data(), solver)) return true;
  double natural = 0;
  std::copy(r.begin(), r.end(), trial_.begin());
  judge.iterations += newton_.polish(f, r.data(), judge.left(kPolishTries), natural, 0, f.sparse ? kPolishWeight : 1);
  if (judge.offer(r.data(), solver)) return true;
  std::copy(trial_.begin(), trial_.end(), r.begin());
  return false;
}

// The interior-point path. Contact states are tried with Newton steps whenever the map fell to `gain` of its value at
// the last try. Ends after so many slow steps in a row. r: the best point.
bool ConeRun::walk_inside(const ConeForm& f, ConeJudge& judge, const InteriorOptions& options, const Walk& walk) {
  if (options.warm > 0) f.calc_velocity(r.data(), u_.data());
  if (!interior_.start(f, options, r.data(), u_.data())) return false;
  double nearest = INFINITY, tried = kNear;
  trial_ = last_ = r;
  for (int k = 0, slow = 0; k < walk.steps && slow < walk.slow && !judge.is_spent() && interior_.step(f, r.data());
       ++k, ++judge.iterations) {
    const double now = calc_map(f);
    slow = now < kSlowRate * nearest ? 0 : slow + 1;
    const bool quick = now < kQuickRate * nearest;
    if (now < nearest) nearest = now, last_ = r;
    if (now <= judge.enough && judge.offer(r.data(), kInterior)) {
      // Good enough; but while it converges quickly it goes on, so that what rests is left alone in steps to come.
      if (!quick || now <= kRestGoal) return true;
      continue;
    }
    if (!(now < walk.gain * tried)) continue;
    tried = now;
    if (offer_polished(f, judge, kInterior)) return true;
  }
  r = last_;
  return judge.is_solved();
}

// Newton in its proximal loop, from where the interior point came nearest. Where G is not built: with several weights
// of u, since contacts on the edge of their cones that hardly slip need a large one, and others a small one.
bool ConeRun::run_newton(const ConeForm& f, ConeJudge& judge, std::span<const double> weights) {
  double natural = 0;
  for (const double weight : weights) {
    judge.iterations += newton_.solve(f, r.data(), judge.left(kInteriorNewton), judge.enough, natural, weight);
    if (judge.offer(r.data(), kInterior)) return true;
  }
  return false;
}

// The path in long steps, from near r if many contacts have an impulse there; then Newton, where that ended near.
bool ConeRun::walk_quickly(const ConeForm& f, ConeJudge& judge) {
  int met = 0;
  for (int c = 0; c < f.contacts; ++c) met += r[at(f.layout().row_of_contact(c))] > 0;
  const InteriorOptions quick{kLongSteps, true, 4 * met > f.contacts ? kWarmInside : 0};
  const Walk walk{kInteriorSteps, kQuickGain, f.sparse ? kSparseSlow : kSlowSteps};
  if (walk_inside(f, judge, quick, walk)) return true;
  return calc_map(f) < kPathNear && run_newton(f, judge, kFirstWeights);
}

// The path in shorter steps from the middle, then Newton from its best point.
bool ConeRun::run_interior(const ConeForm& f, ConeJudge& judge) {
  return walk_inside(f, judge, {}, {kInteriorSteps, kInteriorGain, kInteriorSteps}) ||
         run_newton(f, judge, f.sparse ? std::span<const double>(kLastWeights) : kPlainWeight);
}

// Contacts on the edge of their cones that slip by next to nothing: only a large weight of u tells what they do. Far
// from the answer it leads astray.
bool ConeRun::run_fine(const ConeForm& f, ConeJudge& judge) {
  double natural = 0;
  const auto run = [&](double weight) {
    judge.iterations +=
        newton_.solve(f, r.data(), judge.left(f.sparse ? kSparseFine : kFineNewton), judge.enough, natural, weight);
    return judge.offer(r.data(), to_string(Method::alart_curnier));
  };
  for (const double weight : kFineWeights) {
    judge.get_best(r.data());
    if (run(weight)) return true;
  }
  for (const double weight : kFreshWeights) {
    std::fill(r.begin(), r.end(), 0.0);
    if (run(weight)) return true;
  }
  return false;
}

// The problem with compliance: of all rows, or of those of the wedge.
void ConeRun::soften(const ConeForm& f, double softness, bool only_wedge) {
  for (int i = 0; i < f.size; ++i) {
    double& own = soft_.G[at(i) * at(f.size) + at(i)];
    own = f.row(i)[i] + (!only_wedge || wedge_.impulses()[at(i)] != 0 ? softness : 0.0);
  }
}

// From r, by Newton; from the middle by the interior point, where Newton does not end. True where one did.
bool ConeRun::solve_soft(ConeJudge& judge) {
  double largest = 1, natural = 0;
  for (const double x : r) largest = std::max(largest, std::abs(x));
  FormJudge own(soft_, kSoftGoal * largest, soft_u_);
  own.budget = judge.budget, own.iterations = judge.iterations;
  const auto ends = [&](int steps) {
    own.iterations += steps;
    return natural <= own.goal;
  };
  const bool ended = ends(newton_.polish(soft_, r.data(), own.left(kSoftPolish), natural, own.goal)) ||
                     ends(newton_.solve(soft_, r.data(), own.left(kSoftNewton), own.goal, natural, kPolishWeight)) ||
                     walk_inside(soft_, own, {}, {kInteriorSteps, kInteriorGain, kInteriorSteps}) ||
                     run_newton(soft_, own, kFineWeights);
  judge.iterations = own.iterations;
  return ended;
}

// With compliance every problem has an answer, and Newton finds it from the answer for ten times the compliance. As it
// vanishes, the answers end in one without; or they grow without end, along impulses that contradict. The violation
// tends to the least then, and the answer is that with compliance in the wedge alone.
bool ConeRun::run_soft(const ConeForm& f, ConeJudge& judge) {
  soft_ = f;
  ahead_.resize(r.size()), soft_u_.resize(r.size());
  std::fill(r.begin(), r.end(), 0.0);
  double last = 0;
  bool ended = false;
  for (double softness = kFirstSoftness; softness > kLastSoftness && !judge.is_spent(); softness *= kSofter) {
    soft_last_ = r;
    soften(f, softness, false);
    const bool before = std::exchange(ended, solve_soft(judge));
    if (offer_polished(f, judge, kCompliance)) return true;
    double now = 0;
    for (const double x : r) now = std::max(now, std::abs(x));
    const bool grows = now > kGrows * std::exchange(last, now);
    if (!before || !ended || !grows || softness > kSoftWedge) continue;
    for (std::size_t i = 0; i < r.size(); ++i) ahead_[i] = r[i] - soft_last_[i];
    if (wedge_.find(f, ahead_.data()) && end_wedged(f, judge, softness)) return true;
  }
  return false;
}

// The answer of least violation: with compliance in the rows of the wedge.
bool ConeRun::end_wedged(const ConeForm& f, ConeJudge& judge, double softness) {
  soft_last_ = r;
  soften(f, softness, true);
  if (!solve_soft(judge)) r = soft_last_;
  if (judge.end_wedged(r.data(), wedge_.impulses().data(), kCompliance)) return true;
  r = soft_last_;
  return false;
}

// Whether rows contradict, when all else failed. Without slip in it the problem is convex. Proximal steps on it end,
// or go on for ever by one and the same change: what they ask for beyond all answers, divided by the shift.
bool ConeRun::run_wedge(const ConeForm& f, ConeJudge& judge) {
  judge.get_best(r.data());
  sequence_.prepare(f);
  slip_.assign(f.mu.size(), 0.0), last_.assign(r.size(), 0.0), soft_u_.resize(r.size());
  double shift = kFirstShift;
  for (int round = 0; round < kConvexRounds && !judge.is_spent();
       ++round, shift = std::max(kSofter * shift, kSoftest)) {
    judge.iterations += sequence_.round(f, last_.data(), slip_.data(), trial_.data(), u_.data(), shift, kSoftGoal,
                                        judge.left(kRoundSteps));
    for (std::size_t i = 0; i < r.size(); ++i) last_[i] = trial_[i] - last_[i];
    if (wedge_.find(f, last_.data())) return soft_ = f, end_wedged(f, judge, kSoftest);
    last_ = trial_;
  }
  return false;
}

// Slip speeds of the contacts.
void ConeRun::set_slip(const ConeForm& f, const double* u) {
  slip_.resize(f.mu.size());
  for (std::size_t c = 0; c < slip_.size(); ++c) {
    const double* own = u + f.layout().row_of_contact(c);
    slip_[c] = std::sqrt(own[1] * own[1] + own[2] * own[2]);
  }
}

// Where the expected motion tells contact states better than r: convex rounds with impulses near r, from that motion.
// The first shift lets impulses change by about as much as errors of the motion ask for. Slip speeds of the last round
// settle quickly where contacts stick. r stays where it does not end.
bool ConeRun::run_expected(const ConeForm& f, ConeJudge& judge) {
  if (!expected_.is_better(f, r.data(), u_.data())) return false;
  sequence_.prepare(f);
  set_slip(f, expected_.velocity());
  const double* start = expected_.motion();
  double shift = std::max(kExpectedShift * expected_.error(), kLeastExpectedShift), goal = kExpectedFirst,
         now = INFINITY;
  trial_ = r;
  for (int round = 0; round < kExpectedRounds && !judge.is_spent(); ++round) {
    last_ = r;
    judge.iterations += sequence_.round(f, last_.data(), slip_.data(), r.data(), u_.data(), shift, goal,
                                        judge.left(kExpectedSteps), start);
    const double before = std::exchange(now, calc_natural(f, r.data(), u_.data()));
    if (now <= judge.enough && judge.offer(r.data(), kConvex)) return true;
    if (now > kStateMap && now > kExpectedSlow * before) break;
    set_slip(f, u_.data());
    start = sequence_.motion(), shift *= kExpectedShrink;
    goal = std::max(kExpectedGoal * now, judge.enough / 3);
  }
  r = trial_;
  return false;
}

// Convex rounds from r, with Newton tried in between. The mean of old and new slip speeds is taken: new ones alone may
// oscillate. Where many impulses are solutions, rounds move slowly, so the next centre is extrapolated (Nesterov's
// momentum, restarted when the direction turns); with `haste` the slip speeds too. Once the answer is acceptable, the
// number of steps is doubled, plus kExtraSteps, to find a better one.
bool ConeRun::run_sequence(const ConeForm& f, double acceptable, ConeJudge& judge, bool haste, double least_shift) {
  int& iterations = judge.iterations;
  const int begun = iterations;
  const int most = f.sparse ? kSparseSteps : kSteps;
  int limit = most, last_tried = 0;
  double tried = 1, shift = kFirstShift, momentum = 1;
  const auto slip_of = [&](std::size_t c) {
    const double* u = u_.data() + f.layout().row_of_contact(c);
    return std::sqrt(u[1] * u[1] + u[2] * u[2]);
  };
  f.calc_velocity(r.data(), u_.data());
  set_slip(f, u_.data()), ahead_ = r;
  last_slip_ = slip_;
  double now = calc_natural(f, r.data(), u_.data());
  for (int round = 0; round < kRounds && iterations - begun < limit && !judge.is_spent(); ++round) {
    last_ = r;
    const double goal = std::max(kLeastRoundGoal, kRoundGoal * std::min(now, 1.0));
    iterations +=
        sequence_.round(f, ahead_.data(), slip_.data(), r.data(), u_.data(), shift, goal, judge.left(kRoundSteps));
    now = calc_natural(f, r.data(), u_.data());
    if (now < kNear && (now < kRoundGain * tried || round >= last_tried + kRoundsToTry)) {
      tried = now, last_tried = round;
      if (offer_polished(f, judge, kConvex)) return true;
      if (limit == most && judge.is_acceptable(acceptable)) limit = 2 * (iterations - begun) + kExtraSteps;
    }
    double turn = 0;
    for (std::size_t i = 0; i < r.size(); ++i) turn += (ahead_[i] - r[i]) * (r[i] - last_[i]);
    if (turn > 0) momentum = 1;
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2, share = (momentum - 1) / next;
    momentum = next;
    for (std::size_t i = 0; i < r.size(); ++i) ahead_[i] = r[i] + share * (r[i] - last_[i]);
    for (std::size_t c = 0; c < slip_.size(); ++c) {
      const double half = kSlipShare * (slip_[c] + slip_of(c));
      slip_[c] = haste ? std::max(0.0, half + share * (half - last_slip_[c])) : half;
      last_slip_[c] = half;
    }
    shift = std::max(kShrink * shift, least_shift);
  }
  return false;
}

// Convex rounds, Newton and sweeps in turn, from r; until the answer is acceptable.
bool ConeRun::run_rounds(const ConeForm& f, ConeJudge& judge, double acceptable) {
  int& iterations = judge.iterations;
  double natural = 0, change = 0;
  sequence_.prepare(f);
  for (int round = 0; round < kAttempts && !judge.is_spent(); ++round) {
    const bool haste = f.sparse || round > 0;
    if (run_sequence(f, acceptable, judge, haste, kLeastShifts[round]) || judge.is_acceptable(acceptable)) return true;
    iterations +=
        newton_.solve(f, r.data(), judge.left(kNewtonAfterRounds), judge.enough, natural, kWeights[round % 2]);
    iterations += newton_.polish(f, r.data(), judge.left(kPolishAfterNewton), natural);
    if (judge.offer(r.data(), kConvex) || judge.is_acceptable(acceptable)) return true;
    iterations += gauss_seidel_.sweep(f, r.data(), judge.left(kSweepsAfterNewton << round), judge.goal, change);
    if (judge.offer(r.data(), to_string(Method::gauss_seidel))) return true;
  }
  return false;
}

void ConeRun::run_automatic(const ConeForm& f, const SolverOptions& options, ConeJudge& judge) {
  int& iterations = judge.iterations;
  const std::string_view sweeps = to_string(Method::gauss_seidel), steps = to_string(Method::alart_curnier);
  double natural = 0, change = 0;
  u_.resize(r.size()), trial_.resize(r.size());
  // What may be at rest is solved beyond the tolerance where that is cheap: else errors of that size push it about.
  const double enough = judge.enough;
  if (options.warm && options.settle && calc_map(f) < kRestNear) judge.stop = kStill, judge.enough = judge.goal;
  if (options.warm) {
    iterations += newton_.polish(f, r.data(), judge.left(kWarmPolish), natural, judge.goal);
    if (judge.offer(r.data(), steps)) return;
    iterations += newton_.solve(f, r.data(), judge.left(kWarmNewton), judge.goal, natural, kPolishWeight);
    iterations += newton_.polish(f, r.data(), judge.left(kWarmPolish), natural);
    if (judge.offer(r.data(), steps)) return;
  }
  gauss_seidel_.prepare(f);
  iterations +=
      gauss_seidel_.sweep(f, r.data(), judge.left(options.warm ? kWarmSweeps : kFirstSweeps), judge.goal, change);
  if (change <= kSweepsDone * judge.goal && judge.offer(r.data(), sweeps)) return;
  iterations += newton_.polish(f, r.data(), judge.left(kPolishAfterSweeps), natural);
  if (judge.offer(r.data(), steps)) return;
  const bool large = f.size > kLarge;
  iterations += newton_.solve(f, r.data(), judge.left(large ? kLargeNewton : kSmallNewton), judge.enough, natural,
                              large ? 1 : kPolishWeight);
  if (judge.offer(r.data(), steps) || judge.fits_data()) return;
  if (walk_quickly(f, judge)) return;
  judge.stop = INFINITY, judge.enough = enough;
  if (judge.is_solved()) return;
  if (run_interior(f, judge) || judge.is_acceptable(options.acceptable)) return;
  if (run_soft(f, judge)) return;
  if (run_fine(f, judge) || judge.is_acceptable(options.acceptable)) return;
  if (run_rounds(f, judge, options.acceptable) || run_fine(f, judge)) return;
  if (!judge.is_acceptable(options.acceptable)) run_wedge(f, judge);
}

// Many bodies: sweeps cost little and lead near, Newton and the interior point cost a sparse factorization per step.
void ConeRun::run_sparse(const ConeForm& f, const SolverOptions& options, ConeJudge& judge) {
  int& iterations = judge.iterations;
  const std::string_view sweeps = to_string(Method::gauss_seidel), steps = to_string(Method::alart_curnier);
  double natural = 0, change = 0;
  u_.resize(r.size()), trial_.resize(r.size());
  const auto polish = [&](int limit) {
    iterations += newton_.polish(f, r.data(), judge.left(limit), natural, kRestGoal, kPolishWeight);
    return judge.offer(r.data(), steps);
  };
  // What may be at rest is solved far beyond the tolerance, once: then it is left alone in the steps to come.
  const double start = options.warm ? calc_map(f) : INFINITY;
  if (options.settle && start < kRestNear)
    judge.stop = find_kept_residual(options), judge.goal = judge.enough = kRestGoal;
  const auto run_loop = [&](int limit, double weight) {
    iterations += newton_.solve(f, r.data(), judge.left(limit), judge.enough, natural, weight);
    return judge.offer(r.data(), steps);
  };
  if (start < kNear && polish(kWarmPolish)) return;
  if (options.warm && start > kWarmMap && run_expected(f, judge)) return;
  if (start < kWarmMap) {
    trial_ = r;
    if (run_loop(kNearNewton, kPolishWeight)) return;
    r = trial_;
  }
  gauss_seidel_.prepare(f);
  iterations += gauss_seidel_.sweep(f, r.data(), judge.left(kSparseSweeps), judge.goal, change);
  const bool swept = judge.offer(r.data(), sweeps);
  if ((calc_map(f) < kNear && polish(kPolishAfterSweeps)) || swept) return;
  if (run_loop(kSparseNewton, kPolishWeight)) return;
  if (natural < kStateMap && run_loop(kStateNewton, kStateWeight)) return;
  if (walk_quickly(f, judge)) return;
  if (judge.is_acceptable(options.acceptable)) return;
  if (run_interior(f, judge)) return;
  const bool near = options.acceptable > 0 && judge.is_acceptable(kClose * options.tolerance);
  if (!near) {
    judge.get_best(r.data());
    if (run_rounds(f, judge, std::max(options.acceptable, kClose * options.tolerance))) return;
  }
  if (run_fine(f, judge) || near) return;
  judge.get_best(r.data());
  iterations += gauss_seidel_.sweep(f, r.data(), judge.left(kLastSweeps), judge.enough, change);
  judge.offer(r.data(), sweeps);
}

void ConeRun::sweep(const ConeForm& f, ConeJudge& judge) {
  double change = 0;
  gauss_seidel_.prepare(f);
  judge.iterations += gauss_seidel_.sweep(f, r.data(), kFirstSweeps, 0, change);
  judge.offer(r.data(), to_string(Method::gauss_seidel));
}

void ConeRun::run(const ConeForm& f, const SolverOptions& options, ConeJudge& judge) {
  if (options.method == Method::gauss_seidel) gauss_seidel_.prepare(f);
  const auto limit = [&](int own) { return options.iterations > 0 ? options.iterations : own; };
  int& iterations = judge.iterations;
  double last = 0;
  switch (options.method) {
    case Method::automatic:
      f.sparse ? run_sparse(f, options, judge) : run_automatic(f, options, judge);
      if (judge.is_spent() && !judge.is_solved()) judge.offer(r.data(), to_string(options.method));
      return;
    case Method::gauss_seidel:
      iterations += gauss_seidel_.sweep(f, r.data(), limit(kSweepsLimit), judge.goal, last);
      break;
    case Method::alart_curnier:
      iterations += newton_.solve(f, r.data(), limit(kConeNewtonLimit), judge.goal, last);
      break;
    default:
      throw std::invalid_argument(
          "lcp: " + std::string(to_string(options.method)) +
          " solves linear problems; a contact problem with the exact cone is for gauss_seidel or "
          "alart_curnier, or set directions");
  }
  judge.offer(r.data(), to_string(options.method));
}

}  // namespace sinew::lcp
