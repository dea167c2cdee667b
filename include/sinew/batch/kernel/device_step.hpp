// sinew/batch/kernel/device_step.hpp - one step of one world by a team, in three phases
//   1. motion, inertial forces, M and its factor        device_tree.hpp
//   2. contacts and stops within reach                  device_contacts.hpp
//   3. the velocity without contact forces              device_flight.hpp
//   4. the friction problem, with its certificate       device_solution.hpp, device_law.hpp
//   5. positions                                        device_flight.hpp
// Nothing is written to the state of the world before the step is complete. Results depend on the world alone.
#pragma once
#include "sinew/batch/device_backend.hpp"
#include "sinew/batch/kernel/device_flight.hpp"
#include "sinew/batch/kernel/device_solution.hpp"

namespace sinew::device {

// One world of the arrays.
template <class R>
struct WorldState {
  R *q, *v, *control, *applied, *start_q, *start_v;
  // What the last step ended with, to start from.
  R* stop_z;
  int* keys;  // of contacts that pushed; -1 after the last
  R* touch_z;
  WorldReport<R>* report;
  SINEW_HD WorldState(const Scene<R>& s, const WorldArrays<R>& all, std::size_t i)
      : q(all.q + i * count(s.nq)),
        v(all.v + i * count(s.nv)),
        control(all.control + i * count(s.controls)),
        applied(all.applied + i * count(s.nv)),
        start_q(all.start_q + i * count(s.nq)),
        start_v(all.start_v + i * count(s.nv)),
        stop_z(all.stop_z + i * count(s.stops)),
        keys(all.keys + i * count(s.contacts)),
        touch_z(all.touch_z + i * count(3 * s.contacts)),
        report(all.report + i) {}
  static SINEW_HD std::size_t count(int n) { return static_cast<std::size_t>(n); }
};

// Impulses of the last step, for the contacts and stops that are there again.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void start_warm(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state,
                         int contacts) {
  team.each(s.stops + contacts, [&](int i) {
    if (i < s.stops) {
      w.stop[i].z = state.stop_z[i];
      return;
    }
    Touch<R>& c = w.touch[i - s.stops];
    for (int k = 0; k < s.contacts && state.keys[k] >= 0; ++k) {
      if (state.keys[k] != c.key) continue;
      for (int x = 0; x < 3; ++x) c.z[x] = state.touch_z[3 * k + x];
      return;
    }
  });
}

// Contacts that the step may close: what they touch does not fly (Simulation's set_far_aside).
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_near(const Team& team, const Scene<R>& s, const Workspace<R>& w, int contacts) {
  constexpr R kReach = 2, kFalls = 2;  // src/contact/constants.hpp, src/sim/constants.hpp
  const SceneOptions<R>& o = s.options;
  team.each(contacts, [&](int i) {
    Touch<R>& c = w.touch[i];
    R u[3];
    calc_velocity(s, w, c, w.v, u);
    const R approach = max(R(0), c.bias - u[0]);
    c.near = c.gap <= o.dt * (kReach * approach + kFalls * o.gravity_norm * o.dt) + o.overlap;
  });
}

// The three phases of a step. A world that was set aside stays as it is; one that cannot step is set aside, with its
// state before it, and the phases after that do nothing. Between phases the near memory up to `kept` and the far one
// stay.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD Cause try_to_prepare(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state,
                              int& contacts) {
  team.each(s.nq, [&](int i) { w.q[i] = state.q[i]; });
  team.each(s.dofs, [&](int k) { w.v[k] = state.v[s.dof[k].v]; });
  find_motion(team, s, w);
  find_mass_and_bias(team, s, w);
  contacts = find_contacts(team, s, w);
  if (contacts > s.contacts) return Cause::contacts;
  find_stops(team, s, w);
  find_near(team, s, w, contacts);
  find_impulse(team, s, w, state.control, state.applied);
  if (!factor_mass(team, s, w)) return Cause::mass_matrix;
  solve_mass(team, s, w);
  team.each(s.dofs, [&](int k) { w.free[k] = w.v[k] + w.x[k]; });
  start_warm(team, s, w, state, contacts);
  return Cause::none;
}
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void prepare_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::none) return;
  report.cause = try_to_prepare(team, s, w, state, report.contacts);
  report.needed = report.cause == Cause::contacts ? report.contacts : 0;
  if (report.cause == Cause::none) report.cause = Cause::waiting;
  team.one([&] { *state.report = report; });
}

// Memory of a friction problem grows with the square of its rows, and limits how many worlds a device holds at once.
// Most problems are small. So the second phase comes several times, with room for more rows each time: see with_room. A
// world that has been solved is left alone; one that does not fit waits for the next time, and is set aside after the
// last.
inline constexpr int kRooms = 3;
template <class R>
SINEW_HD Scene<R> with_room(const Scene<R>& s, int which) {
  Scene<R> out = s;
  const int rows = which == 0 ? 24 : which == 1 ? 40 : s.rows;
  out.rows = rows < s.rows ? rows : s.rows;
  return out;
}
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void solve_step(const Team& team, const Scene<R>& s, Workspace<R>& w, const WorldState<R>& state, bool last) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::waiting) return;
  if (solve_contacts(team, s, w, report.contacts, report))
    report.cause = Cause::none;
  else if (last)
    report.cause = Cause::rows, report.needed = report.rows;
  team.one([&] { *state.report = report; });
}

SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void finish_step(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  WorldReport<R> report = *state.report;
  if (report.cause != Cause::none) return;
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
    ++report.steps;
    report.unsolved += report.residual <= s.options.tolerance ? 0 : 1;
    report.worst = max(report.worst, report.residual);
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
  team.one([&] { *state.report = report; });
}

// Begins again at the start.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void reset_world(const Team& team, const Scene<R>& s, const WorldState<R>& state) {
  team.each(s.nq, [&](int i) { state.q[i] = state.start_q[i]; });
  team.each(s.nv, [&](int i) { state.v[i] = state.start_v[i]; });
  team.each(s.stops, [&](int i) { state.stop_z[i] = 0; });
  team.each(s.contacts, [&](int i) { state.keys[i] = -1; });
  team.one([&] { *state.report = {}; });
}

}  // namespace sinew::device
