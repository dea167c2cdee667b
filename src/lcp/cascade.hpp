// src/lcp/cascade.hpp - the constants of the default paths and of the solvers they try, with the reason for each
// They act on scaled problems: unit diagonals, largest velocity 1 (lcp/cone_form.hpp, lcp/box_form.hpp). Only
// kAbsoluteSlack is part of what counts as solved, which is decided by the residual on the original data. A worse value
// of the others costs time, or ends a problem as `limit` or `close`; it never makes a wrong answer count as solved.
// Reasons marked (*) were measured, see docs/lcp.md; the others say what the number is for. Judge a change by
// tests/lcp/thousand_test.cpp (all solved, and the time) and tests/apps/test_lcp.py (problems on which methods converge
// slowly).
#pragma once
#include <algorithm>

namespace sinew::lcp::cascade {

// ---- What counts as solved, and what solvers of the scaled problem aim at (attempt.hpp)
inline constexpr double kAbsoluteSlack = 10;   // absolute residual over tolerance: looser, because it is not scaled
inline constexpr double kGoalShare = 0.05;     // of the tolerance: scaling back may cost a digit
inline constexpr double kLargestGoal = 5e-12;  // for loose tolerances: one more Newton step is cheap, and helps the
                                               // warm start of the next problem

// ---- Free rows that cannot be eliminated as they stand (both paths)
inline constexpr double kFreeShift = 1e-4;  // of the largest entry: makes the rows regular and keeps many digits
inline constexpr int kShiftRounds = 40;     // each reduces the error of the shift; an upper bound

// ---- Cone path, in the order of its attempts (cone_path.cpp)
inline constexpr int kWarmPolish = 6;      // Newton is quadratic on right contact states: it ends soon, or not at all
inline constexpr int kWarmNewton = 12;     // in its proximal loop, where that did not end: cheaper than sweeps (*)
inline constexpr int kFirstSweeps = 30;    // cheap: 445 of 1000 problems end here (*)
inline constexpr int kWarmSweeps = 10;     // after a warm start: more cost as much as the Newton steps they save (*)
inline constexpr double kSweepsDone = 10;  // change over goal: above it sweeps are not offered as an answer
inline constexpr int kPolishAfterSweeps = 8;   // states after sweeps are nearly right: some still change
inline constexpr double kStill = 1e-10;        // residual of what may rest: less than a looser tolerance asks for
inline constexpr int kSmallNewton = 25;        // in its proximal loop: ends six of seven problems that come here (*)
inline constexpr int kLarge = 150;             // unknowns: above, W is mostly sparse, which Newton's envelope uses,
inline constexpr int kLargeNewton = 40;        // and the interior point's matrices are dense
inline constexpr double kLongSteps = 0.9;      // of the quick path: share of the way to the boundary (*)
inline constexpr double kWarmInside = 0.1;     // distance from the boundary at which a warm start begins (*)
inline constexpr double kQuickGain = 0.1;      // polish again when the map fell to this part: a try costs little
inline constexpr double kSlowRate = 0.7;       // of the natural map: a step that leaves more is slow,
inline constexpr int kSlowSteps = 3;           // and after so many in a row the path folds: Newton goes on (*)
inline constexpr double kPathNear = 3e-4;      // natural map there: above it Newton mostly fails (*)
inline constexpr int kInteriorSteps = 60;      // a bound: six or seven are usual (*)
inline constexpr double kNear = 1e-2;          // natural map: above it contact states are not yet right;
inline constexpr double kInteriorGain = 0.01;  // polish again when the map fell to this part since the last try
inline constexpr int kPolishTries = 6;         // steps of such a try, as kWarmPolish
inline constexpr int kInteriorNewton = 60;     // steps from where the interior point came nearest

// ---- Problems of many trees, whose W is not built (cone_run.cpp, sparse_path.cpp)
inline constexpr int kSparseSweeps = 10;      // they lead near where contacts are few between bodies
inline constexpr double kSparseGoal = 0.9;    // of the tolerance: looser answers cost less
inline constexpr double kStateWeight = 100;   // of u in Newton's map: tells contacts that slip slowly, under large
                                              // forces, from those that stick (*); forces are about 1 to 10 here,
inline constexpr double kPolishWeight = 10;   // and slow slips about 1e-3
inline constexpr int kSparseNewton = 25;      // in its proximal loop, from where the sweeps ended,
inline constexpr double kSparseShift = 1e-4;  // and from this shift on: ends six of seven problems that come here,
                                              // in nine steps instead of twenty of the interior point (*)
inline constexpr double kWarmMap = 0.02;      // natural map of a warm start: below, the loop begins there, before
inline constexpr int kNearNewton = 10;        // the sweeps, which may lead away from it, with so many steps (*)
// A start from the expected motion (expected_motion.hpp), by convex rounds:
inline constexpr double kExpectedGain = 0.3;  // its error over that of warm impulses: with more they are kept (*)
inline constexpr double kFewSlide = 0.05;     // most contacts that may slide, of those that press (*)
inline constexpr double kEdge = 0.999;        // of the friction that a contact may have: with more it slides
inline constexpr double kExpectedShift = 3;   // first shift over the error,
inline constexpr double kLeastExpectedShift = 1e-3, kExpectedShrink = 0.1;  // at least this, and less in each round (*)
inline constexpr int kExpectedRounds = 8, kExpectedSteps = 15;              // most rounds, and steps of each
inline constexpr double kExpectedSlow = 0.7;  // map over the last one: a round that leaves more, and 1e-4, ends it (*)
inline constexpr double kExpectedGoal = 0.1;  // of the map now, and a third of what is asked for: enough for a round;
inline constexpr double kExpectedFirst = 1e-5;  // for the first, whose map is not known yet
// After it:
inline constexpr double kStateMap = 1e-4;          // map at its end: below, it goes on with kStateWeight
inline constexpr int kStateNewton = 20;            // and so many steps (*)
inline constexpr int kSparseSlow = 6;              // slow steps in a row that end the quick path: three end some that
                                                   // go on, and what comes then costs ten times as much (*)
inline constexpr double kKeepShift = 0.3;          // map over the last one: with less the shift stays as it is (*)
inline constexpr double kSparseAcceptable = 1e-6;  // where the caller takes less than the tolerance: W is not built for
                                                   // more, which takes up to a hundred times as long
inline constexpr double kClose = 100;              // times the tolerance: the least that counts as close in the end.
                                                   // After the interior point it means slips of next to nothing that
                                                   // are not settled, and only run_fine may help
inline constexpr int kLastSweeps = 3000;           // where all else failed: slow, but they seldom stall
inline constexpr int kDenseRows = 600;             // up to this many rows an unsolved problem is tried again with its W
inline constexpr int kCutRows = 300;        // of a larger one: part around the worst row that is solved with its own W,
inline constexpr int kCuts = 3;             // so many times, each time with all of it from there
inline constexpr double kRestGoal = 1e-12;  // of a warm start that Newton can finish: what rests is then left alone
inline constexpr double kRestNear = 1e-4;   // natural map of a warm start: above it nothing rests
inline constexpr double kQuickRate = 0.2;   // of the natural map: steps that leave less go on beyond the tolerance

// ---- When everything was tried, and the caller takes less than the tolerance (solve.cpp)
inline constexpr double kCloseInTheEnd = 1e-6;  // relative residual that counts as close: nobody sees such errors

// ---- The last of Newton (cone_run.cpp)
inline constexpr double kFineWeights[] = {1e2, 1e4, 1e5};  // of u, from the best answer: they tell slips of 1e-7, under
                                                           // forces of 1, from sticking (*)
inline constexpr double kFreshWeights[] = {1e2, 1e1, 1e3};  // from nothing, where the best answer leads nowhere (*)
inline constexpr int kFineNewton = 150, kSparseFine = 40;   // steps with each; fewer where one takes long

// ---- Compliance that vanishes, and wedges (cone_run.cpp, wedge.cpp)
inline constexpr double kFirstSoftness = 0.1;   // added to the diagonal: easy from nothing,
inline constexpr double kLastSoftness = 1e-11;  // and so little that Newton ends from there, where there is an answer
inline constexpr double kSofter = 0.1;          // from one to the next
inline constexpr double kSoftGoal = 1e-12;      // natural map of such a problem, times the largest impulse above 1
inline constexpr int kSoftPolish = 10;          // Newton steps from the last one's answer,
inline constexpr int kSoftNewton = 60;          // and in the proximal loop, where those did not end
inline constexpr double kGrows = 3;             // largest impulse over the last one: it goes as 1 / softness,
inline constexpr double kSoftWedge = 1e-5;      // from this softness on (*)
inline constexpr double kSoftest = 1e-7;        // least shift of convex rounds without slip, when all else failed,
inline constexpr int kConvexRounds = 30;        // and how many: what does not grow settles in a few
inline constexpr double kWedgePart = 1e-4;      // of the largest impulse of a wedge: less takes no part
inline constexpr double kWedgeShift = 1e-10;    // of inverse iteration; least eigenvalues but zero are 1e-5 (*)
inline constexpr int kWedgeRounds = 3;          // each gains five digits
inline constexpr int kWedgeTurns = 100;         // of projections,
inline constexpr double kWedgeShare = 0.999;    // onto cones that are so much narrower
inline constexpr double kWedgeImpulse = 1e6;    // an answer without slip would need so large impulses; 1 is usual

// ---- Matrices that are symmetric to the digits of a file only (cone_path.cpp)
inline constexpr double kRoundedAsymmetry = 1e-9;  // of the diagonal: less comes from the elimination of free rows
inline constexpr double kAsymmetryShare = 10;      // answers within this times the asymmetry: W is not known better
inline constexpr double kAsymmetryStart = 1e-3;    // relative residual after which K's part is taken into account
inline constexpr int kAsymmetryRounds = 40;        // each gains the digits of K / S: two or three rounds for six digits

// ---- Convex rounds, the last of both paths (cone_run.cpp)
inline constexpr int kAttempts = 3;          // with W the first takes slip speeds without momentum
inline constexpr double kFirstShift = 1e-2;  // proximal: large, so that the first rounds are easy,
inline constexpr double kShrink = 0.9;       // less from round to round, slowly enough for the momentum,
inline constexpr double kLeastShifts[kAttempts] = {1e-5, 1e-5, 1e-4};  // down to where 1 / shift meets rounding
inline constexpr int kRounds = 600, kSteps = 4000;  // rounds, and Newton steps in them, of one attempt: bounds on time
inline constexpr int kSparseSteps = 1500;           // where W is not built: they end at 600 in the mean, or not (*)
inline constexpr int kExtraSteps = 20;              // once acceptable: twice the steps so far, plus these
inline constexpr int kRoundSteps = 50;              // Newton steps of one round: a bound
inline constexpr double kRoundGoal = 1e-4;          // of the natural map now: the next round needs no more,
inline constexpr double kLeastRoundGoal = 1e-13;    // and rounding allows no less
inline constexpr double kRoundGain = 0.1;      // Newton is tried when the map fell to this part since the last try,
inline constexpr int kRoundsToTry = 25;        // or after this many rounds, where convergence is slow
inline constexpr double kSlipShare = 0.5;      // mean of old and new slip speeds: new ones alone may oscillate (*)
inline constexpr int kNewtonAfterRounds = 60;  // steps from where the rounds ended,
inline constexpr double kWeights[] = {1, 10};  // with these weights of u in turn: other paths to the same answers
inline constexpr int kPolishAfterNewton = 3;   // steps that only refine
inline constexpr int kSweepsAfterNewton = 50;  // doubled after each attempt: to leave points where Newton stalls

// ---- Linear path, in the order of its attempts (linear_path.cpp)
inline constexpr int kWarmBasis = 6;            // Newton steps from the warm active set, as kWarmPolish
inline constexpr int kPolishAfterLemke = 5;     // steps for the digits that pivots lost
inline constexpr int kNewtonAfterLemke = 60;    // steps from where Lemke ended without an answer
inline constexpr int kProximalRounds = 20;      // the last attempt: a bound on time
inline constexpr int kPolishAfterProximal = 3;  // steps that only refine
inline constexpr double kQpGoal = 1e-2;         // part of the goal: products y w are second order in the distance
inline constexpr int kPolishAfterQp = 4;        // the last digits: the interior method ends near its active set

// ---- Limits of a method that was asked for by name: generous, since the caller wants this one
inline constexpr int kSweepsLimit = 20000;  // gauss_seidel, pgs
inline constexpr int kConeNewtonLimit = 300, kBoxNewtonLimit = 200, kQpLimit = 100, kProximalLimit = 40;

// ---- Newton in a proximal loop (alart_curnier.cpp for cones, newton.cpp for boxes)
struct ProximalNewton {
  double first_shift, least_shift, largest_shift;  // regular matrix at first; nearly exact last steps
  int inner_steps;                                 // for one shift: if they run out, the shift was too small
};
inline constexpr ProximalNewton kConeNewton{1e-3, 1e-9, 1, 15};  // cones are curved: more shift, fewer inner steps
inline constexpr ProximalNewton kBoxNewton{1e-4, 1e-10, 1, 20};
inline constexpr double kAgain = 0.01;       // of the map: steps that leave less take the last factors once more,
inline constexpr double kAgainGoal = 1e-15;  // down to here, where such a step is nearly free,
inline constexpr int kMoreAgain = 3;         // at most so many of them
inline constexpr int kHalvings = 8;          // of a step: shorter ones hardly move
inline constexpr double kDecrease = 0.1;  // share of the decrease that a whole step would bring, for a step to be taken
inline constexpr double kInnerGoal = 0.01;         // of the last natural map: the next shift needs no more,
inline constexpr double kLargestInnerGoal = 1e-3;  // at most this,
inline constexpr double kLeastInnerGoal = 0.1;     // and no less than this share of the tolerance
inline constexpr double kHalved = 0.5;             // natural map over the last one: less counts as progress
inline constexpr double kShiftEasy = 0.1, kShiftSlow = 0.5, kShiftHard = 4;  // factors of the next shift
inline double find_inner_goal(double tolerance, double last) {
  return std::max(kLeastInnerGoal * tolerance, std::min(kLargestInnerGoal, kInnerGoal * last));
}
// Easy where the map was halved, slow where it was not, hard where the steps ran out.
inline double find_next_shift(const ProximalNewton& n, double shift, int inner, double now, double last) {
  const bool ended = inner < n.inner_steps, easy = ended && now < kHalved * last;
  return std::clamp(shift * (easy ? kShiftEasy : ended ? kShiftSlow : kShiftHard), n.least_shift, n.largest_shift);
}

// ---- The proximal loop over linear problems (proximal.cpp)
inline constexpr double kLoopShift = 1e-4, kLeastLoopShift = 1e-10, kLargestLoopShift = 1;  // as kBoxNewton
inline constexpr double kLoopEasy = 0.1, kLoopHard = 3;  // factors of the next shift: the map was halved, or not
inline constexpr int kLoopNewton = 30;                   // steps for one shift, then Lemke

}  // namespace sinew::lcp::cascade
