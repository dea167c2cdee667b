// sinew/batch/kernel/device_step.hpp - one step of one world by a team, in phases
//   1. motion, M and its factor, the velocity without contact forces     device_tree.hpp, device_flight.hpp
//   2. contacts and stops within reach                                   device_contacts.hpp
//   3. the friction problem of a working set                             device_solution.hpp
//   4. its answer                                                        device_law.hpp
//   5. the answer checked on all rows; then on, or back to 3.            device_solution.hpp
//   6. positions                                                         device_flight.hpp
// Each is a kernel of its own on a device: all of them together do not fit the cache of instructions.
// Nothing is written to the state of the world before the step is complete. Results depend on the world alone.
#pragma once
#include "sinew/batch/kernel/device_solution.hpp"
#include "sinew/batch/kernel/device_world.hpp"

namespace sinew::device {

// A world that was set aside stays as it is; one that cannot step is set aside, with its state before it, and the
// phases after that do nothing. Between phases the near memory up to `kept` and the far one stay.

// Phase 1: the tree. Needs nothing of the step before.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void prepare_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::none) return;
  team.each(s.dofs, [&](int k) { w.v[k] = state.v[s.dof[k].v]; });
  find_motion(team, s, w);
  place_shapes(team, s, w);
  find_mass_and_bias(team, s, w);
  find_impulse(team, s, w, state.control, state.applied, report.limit_rounds > 0);
  const bool regular = factor_and_solve_mass(team, s, w);
  team.each(s.dofs, [&](int k) { w.free[k] = w.v[k] + w.x[k]; });
  report.cause = regular ? Cause::waiting : Cause::mass_matrix;
  report.needed = 0;
  team.one([&] { *state.report = report, *w.progress = {}; });
}

// Phase 2: contacts and stops. Needs no near memory of phase 1.
SINEW_HD_CALLER
template <Colliders colliders, class R, class Team>
SINEW_HD void collide_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::waiting) return;
  team.each(s.contacts, [&](int k) { w.keys[k] = state.keys[k]; });
  report.contacts = find_contacts<colliders>(team, s, w, state.touch_z);
  if (report.contacts > s.contacts)
    report.cause = Cause::contacts, report.needed = report.contacts;
  else
    find_stops(team, s, w, state.stop_z);
  team.one([&] { *state.report = report; });
}

// Phases 3 to 5: the friction problem, its answer, and whether that is one. Memory of a problem grows with the square
// of its rows, and limits how many worlds a device holds at once. Most problems are small, and most answers are
// accepted at once. So the three phases come several times, with room for more rows each time. What fits none, and what
// needs another answer, is solved in one phase that has all of them; if its problems are large, by a block of warps.
// room_of: the rows that a pass has room for.
inline constexpr int kPasses = 3;
template <class R>
SINEW_HD int room_of(const Scene<R>& s, int pass) {
  constexpr int kRows[kPasses] = {24, 32, kMostSmall};
  return pass < kPasses && kRows[pass] < s.rows ? kRows[pass] : s.rows;
}
// The first pass whose room is enough for so many rows; kPasses: none is.
template <class R>
SINEW_HD int find_pass(const Scene<R>& s, int rows) {
  int pass = 0;
  while (pass < kPasses && rows > room_of(s, pass)) ++pass;
  return pass;
}
template <class R>
SINEW_HD Scene<R> with_room(const Scene<R>& s, int pass) {
  Scene<R> out = s;
  out.room = room_of(s, pass);
  out.large = s.large && pass == kPasses;
  return out;
}
// Returns how many rows the problem has; it is there if these fit. Of a world that waits, as are those below.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD int pose_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  pose_problem(team, s, w, report);
  team.one([&] { *state.report = report; });
  return report.rows;
}
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void solve_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  solve_problem<Effort::quick>(team, s, w, report);
  team.one([&] { *state.report = report; });
}
// The world has an answer, is delayed for one that takes long, or waits for another try.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void check_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  report.cause = check_answer(team, s, w, report) ? Cause::answered
                 : w.progress->hard != 0          ? Cause::delayed
                                                  : Cause::waiting;
  team.one([&] { *state.report = report; });
}
// All of it, until there is an answer, or until it takes long and the effort is quick. A problem that does not fit is
// delayed; where this is the last room, the world is set aside.
SINEW_HD_CALLER
template <Effort effort, class R, class Team>
SINEW_HD void solve_rest(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  constexpr Cause kTaken = effort == Effort::quick ? Cause::waiting : Cause::delayed;
  WorldReport<R> report = *state.report;
  while (report.cause == kTaken) {
    pose_problem(team, s, w, report);
    if (report.rows > s.room) {
      report.cause = Cause::delayed;
      if (s.room == s.rows) report.cause = Cause::rows, report.needed = report.rows;
      break;
    }
    solve_problem<effort>(team, s, w, report);
    if (check_answer(team, s, w, report))
      report.cause = Cause::answered;
    else if (effort == Effort::quick && w.progress->hard != 0)
      report.cause = Cause::delayed;
  }
  team.one([&] { *state.report = report; });
}

// Of a world with an answer: whether servos at the end of the step are at the limits that it was taken with. Else the
// step is to be taken again from phase 1, with those that they meet.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool keeps_limits(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  constexpr int kMostLimitRounds = 20;  // src/sim/constants.hpp
  if (!s.limits) return true;
  const int rounds = state.report->limit_rounds;
  const auto meets_others = [&](int k) { return find_limits(s, w, k, state.control, w.next[k]) ? R(1) : R(0); };
  const bool keeps = rounds == kMostLimitRounds || !(team.template max<R>(s.dofs, meets_others) > 0);
  team.one([&] { state.report->limit_rounds = keeps ? 0 : rounds + 1; });
  return keeps;
}

// Phase 6, after that: positions. The cause is `after` if all is well.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void finish_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state,
                          Cause after = Cause::none) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::answered) return;
  if (report.limit_rounds > 0) return team.publish([&] { state.report->cause = after; });
  team.each(s.nodes - 1, [&](int item) {
    const SceneNode<R>& n = s.node[item + 1];
    bool touches = false;
    if (n.flight >= Flight::single_free)
      for (int i = 0; i < report.contacts; ++i) {
        const Touch<R>& c = w.touch[i];
        touches = touches || ((c.near || c.in_set) && (c.node_a == item + 1 || c.node_b == item + 1));
      }
    move_joint(n, s.options, w.q + n.q, w.v + n.dof, touches, w.next + n.dof, w.q_after + n.q);
  });
  const R most = team.template max<R>(s.nq + s.dofs, [&](int i) {
    const R x = i < s.nq ? w.q_after[i] : w.next[i - s.nq];
    return x < 0 ? -x : x;
  });
  if (most <= Numbers<R>::kLargest) {
    report.cause = after;
    ++report.steps;
    report.unsolved += report.residual <= s.options.tolerance ? 0 : 1;
    report.worst = max(report.worst, report.residual);
    if (state.record.is_asked()) keep_record(team, s, w, state.control, report.contacts, state.record);
    team.each(s.nq, [&](int i) { state.q[i] = w.q_after[i]; });
    team.each(s.dofs, [&](int k) { state.v[s.dof[k].v] = w.next[k]; });
    team.each(s.stops, [&](int i) { state.stop_z[i] = w.stop[i].z; });
    const int pushing = team.place(
        report.contacts, [&](int i) { return w.touch[i].z[0] > 0 ? 1 : 0; },
        [&](int i, int place) {
          if (!(w.touch[i].z[0] > 0)) return;
          state.keys[place] = w.touch[i].key;
          for (int x = 0; x < 3; ++x) state.touch_z[3 * place + x] = w.touch[i].z[x];
        });
    team.one([&] {
      if (pushing < s.contacts) state.keys[pushing] = -1;
    });
  } else {
    report.cause = Cause::not_finite;
  }
  const Cause cause = report.cause;
  report.cause = Cause::answered;
  team.one([&] { *state.report = report; });
  team.publish([&] { state.report->cause = cause; });
}

}  // namespace sinew::device
