// sinew/batch/kernel/device_solution.hpp - the friction problem of one world, solved by a team
// The answer is checked on all rows with u = J v+, without W, and what it passes joins the set.
#pragma once
#include "sinew/batch/kernel/device_answer.hpp"
#include "sinew/batch/kernel/device_problem.hpp"

namespace sinew::device {

inline constexpr int kTimes = 16;       // that a problem is solved, as the working set grows and rounding is taken out
inline constexpr int kCorrections = 3;  // in a row

// Which methods may be tried: a kernel that has them all is slower.
enum class Effort { quick, all };

// Second part: its answer.
SINEW_HD_CALLER
template <Effort effort, class R, class Team>
SINEW_HD void solve_problem(const Team& team, const Scene<R>& s, const Workspace<R>& w, WorldReport<R>& report) {
  Progress<R> p = *w.progress;
  const LawData<R> far = get_problem(w, p);
  if (far.rows == 0) return;
  LawData<R> law = w.law;
  law.singles = far.singles, law.contacts = far.contacts, law.rows = far.rows, law.scale = far.scale;
  const R* from = far.W;
  if constexpr (Team::kBlock) law.W = far.W, law.stride = far.stride;
  team.each(far.rows, [&](int r) {
    law.q[r] = far.q[r], law.z[r] = far.z[r], law.lower[r] = far.lower[r], law.upper[r] = far.upper[r];
    for (int c = 0; c < far.rows && !Team::kBlock; ++c) law.W[c * law.stride + r] = from[c * far.rows + r];
  });
  team.each(far.contacts, [&](int i) { law.mu[i] = far.mu[i]; });
  LawOutcome cost;
  const Law<R, Team> of{team, law};
  const R goal = s.options.tolerance * (p.corrected == 0 ? R(0.9) : R(0.5));
  // Where quick methods failed before, they are not tried again.
  if (effort == Effort::quick || p.hard == 0) p.hard = find_quick_answer(of, goal, cost) <= goal ? 0 : 1;
  if constexpr (effort == Effort::all) {
    // Not again where that fails too: rounding is not what is wrong.
    if (p.hard != 0 && !(find_hard_answer(of, goal, cost) <= s.options.tolerance)) p.corrected = kCorrections;
    p.hard = 0;
  }
  team.each(far.rows, [&](int r) { far.z[r] = law.z[r], far.u[r] = law.u[r]; });
  team.one([&] { *w.progress = p; });
  report.newtons += cost.newtons, report.sweeps += cost.sweeps;
}

// next = free + M^-1 J^T z, and the velocities of all rows there.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void apply_impulses(const Team& team, const Scene<R>& s, const Workspace<R>& w, const LawData<R>& p,
                             int contacts) {
  // J^T z: forces of contacts about the origins of their trees, then along the freedoms that move a node.
  team.each(p.contacts, [&](int i) {
    const int r = p.singles + 3 * i;
    const Touch<R>& c = w.touch[w.of_row[r] - s.stops];
    Vec3<R> t1, t2;
    contact::calc_tangents(c.normal, t1, t2);
    const Vec3<R> f = p.z[r] * c.normal + p.z[r + 1] * t1 + p.z[r + 2] * t2;
    const auto about = [&](int node) { return Force<R>{cross(c.point - w.origin[s.node[node].tree], f), f}; };
    if (c.node_a != 0) w.push[2 * i] = about(c.node_a);
    if (c.node_b != 0) w.push[2 * i + 1] = about(c.node_b);
  });
  team.each(s.dofs, [&](int k) {
    const int end = s.dof[k].end;
    const Motion<R> S = w.S[k];
    R sum = 0;
    for (int i = 0; i < p.contacts; ++i) {
      const Touch<R>& c = w.touch[w.of_row[p.singles + 3 * i] - s.stops];
      const int a = s.node[c.node_a].last, b = s.node[c.node_b].last;
      const bool by_a = k <= a && a < end, by_b = k <= b && b < end;
      if (by_a == by_b) continue;  // not at all, or both alike
      const R along = dot(S, w.push[by_a ? 2 * i : 2 * i + 1]);
      sum += by_a ? along : -along;
    }
    for (int r = 0; r < p.singles; ++r) {
      const int i = w.of_row[r], at = k - s.stop[i].dof;
      if (at < 0 || at > (s.stop[i].of_turn ? 2 : 0)) continue;
      const Vec3<R>& along = w.stop[i].along;
      sum += p.z[r] * (at == 0 ? along.x : at == 1 ? along.y : along.z);
    }
    w.x[k] = sum;
  });
  solve_mass(team, s, w);
  team.each(s.dofs, [&](int k) { w.next[k] = w.free[k] + w.x[k]; });
  find_velocities(team, s, w, w.next, contacts);
}

// Third part: next is the velocity with the answer, checked on all rows with u = J v+, without W. What the answer
// passes joins the set; what rounding of W was wrong by goes into the velocities without contact forces. True if the
// answer is accepted.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool check_answer(const Team& team, const Scene<R>& s, const Workspace<R>& w, WorldReport<R>& report) {
  Progress<R> p = *w.progress;
  const LawData<R> problem = get_problem(w, p);
  const R tolerance = s.options.tolerance;
  report.rounds = ++p.solved;
  report.residual = 0;
  if (problem.rows == 0) {
    team.each(s.dofs, [&](int k) { w.next[k] = w.free[k]; });
    return true;
  }
  apply_impulses(team, s, w, problem, report.contacts);
  const auto keep = [&](int r, const R& u, R& free, R& z) {
    free = problem.q[r] + (u - problem.u[r]), z = problem.z[r], problem.u[r] = u;
  };
  team.each(s.stops, [&](int i) {
    StopRow<R>& row = w.stop[i];
    if (row.in_set) keep(w.row_of[i], row.u, row.free, row.z);
  });
  team.each(report.contacts, [&](int i) {
    Touch<R>& c = w.touch[i];
    for (int x = 0; x < 3 && c.in_set; ++x) keep(w.row_of[s.stops + i] + x, c.u[x], c.free[x], c.z[x]);
  });
  report.residual = Law<R, Team>{team, problem}.measure(problem.z);
  // What was left out and is passed.
  const auto passed = [&](bool in_set, const R& u) { return in_set || u >= 0 ? R(0) : -u / p.scale; };
  const R by_stops = team.template max<R>(s.stops, [&](int i) { return passed(w.stop[i].in_set, w.stop[i].u); });
  const R by_contacts =
      team.template max<R>(report.contacts, [&](int i) { return passed(w.touch[i].in_set, w.touch[i].u[0]); });
  const R outside = max(by_stops, by_contacts);
  const bool grows = outside > tolerance;
  const bool hard = p.hard != 0 && !(report.residual <= tolerance);
  p.corrected = grows || hard || report.residual <= tolerance ? 0 : p.corrected + 1;
  report.residual = max(report.residual, outside > tolerance ? outside : R(0));
  if ((!grows && !hard && (p.corrected == 0 || p.corrected > kCorrections)) || p.solved >= kTimes) return true;
  if (grows) {
    team.each(s.stops, [&](int i) { w.stop[i].in_set = w.stop[i].in_set || w.stop[i].u < 0; });
    team.each(report.contacts, [&](int i) { w.touch[i].in_set = w.touch[i].in_set || w.touch[i].u[0] < 0; });
  }
  team.one([&] { *w.progress = p; });
  return false;
}

}  // namespace sinew::device
