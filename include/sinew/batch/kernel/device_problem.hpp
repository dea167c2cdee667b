// sinew/batch/kernel/device_problem.hpp - the friction problem of one world, built by a team
// A working set of contacts and stops: what approaches, and what pushed in the last step. W = J M^-1 J^T = Y Y^T with
// Y = J L^-1 D^-1/2.
#pragma once
#include "sinew/batch/kernel/device_contacts.hpp"
#include "sinew/batch/kernel/device_large.hpp"
#include "sinew/batch/kernel/device_report.hpp"

namespace sinew::device {

// Row r of D^-1/2 L^-T J^T. Only freedoms that move one of its bodies take part, from the tips on.
template <class R, class Row>
SINEW_HD void write_row(const Scene<R>& s, const Workspace<R>& w, int r, const Row& y) {
  for (int k = 0; k < s.dofs; ++k) y[k] = 0;
  const int i = w.of_row[r];
  // The next freedoms on the ways from both bodies to the base; -1: no more.
  int next_a = -1, next_b = -1;
  Vec3<R> along, arm_a, arm_b;
  if (i < s.stops) {
    const SceneStop<R>& stop = s.stop[i];
    y[stop.dof] = w.stop[i].along.x, next_a = stop.dof;
    if (stop.of_turn) y[stop.dof + 1] = w.stop[i].along.y, y[stop.dof + 2] = w.stop[i].along.z, next_a = stop.dof + 2;
  } else {
    const Touch<R>& c = w.touch[i - s.stops];
    Vec3<R> t1, t2;
    contact::calc_tangents(c.normal, t1, t2);
    const int which = r - w.row_of[i];
    along = which == 0 ? c.normal : which == 1 ? t1 : t2;
    const SceneNode<R>&a = s.node[c.node_a], &b = s.node[c.node_b];
    next_a = a.last, next_b = b.last;
    if (next_a >= 0) arm_a = cross(c.point - w.origin[a.tree], along);
    if (next_b >= 0) arm_b = cross(c.point - w.origin[b.tree], along);
  }
  while (next_a >= 0 || next_b >= 0) {
    const int k = next_a > next_b ? next_a : next_b;
    const bool by_a = k == next_a, by_b = k == next_b;
    const SceneDof<R>& d = s.dof[k];
    const int* above = s.entry_above + d.row;
    const R* L = w.M + d.row;
    const int depth = d.depth, parent = depth > 0 ? above[depth - 1] : -1;
    R x = y[k];
    if (i >= s.stops && by_a != by_b) {  // both alike: no force along it
      const Motion<R> S = w.S[k];
      const R J = dot(S.ang, by_a ? arm_a : arm_b) + dot(S.lin, along);  // [J14 23]
      x += by_a ? J : -J;
    }
    if (by_a) next_a = parent;
    if (by_b) next_b = parent;
    y[k] = x * w.root[k];
    // Four at a time: their places differ, which the compiler cannot know.
    int t = 0;
    for (; t + 4 <= depth; t += 4) {
      const R y0 = y[above[t]] - L[t] * x, y1 = y[above[t + 1]] - L[t + 1] * x;
      const R y2 = y[above[t + 2]] - L[t + 2] * x, y3 = y[above[t + 3]] - L[t + 3] * x;
      y[above[t]] = y0, y[above[t + 1]] = y1, y[above[t + 2]] = y2, y[above[t + 3]] = y3;
    }
    for (; t < depth; ++t) y[above[t]] -= L[t] * x;
  }
}

// W = Y Y^T by columns, so that lanes write numbers that lie side by side.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void multiply_rows_nearby(const Team& team, const Scene<R>& s, const Workspace<R>& w, const LawData<R>& p) {
  const int stride = s.dofs | 1;
  team.each(p.rows, [&](int r) {
    const R* y = w.Y + r * stride;
    R* W = p.W + r;
    int c = 0;
    for (; c + 4 <= p.rows; c += 4) {  // four at a time, for each number that is loaded
      const R* x = w.Y + c * stride;
      R s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int k = 0; k < s.dofs; ++k) {
        const R a = y[k];
        s0 += a * x[k], s1 += a * x[k + stride], s2 += a * x[k + 2 * stride], s3 += a * x[k + 3 * stride];
      }
      W[c * p.rows] = s0, W[(c + 1) * p.rows] = s1, W[(c + 2) * p.rows] = s2, W[(c + 3) * p.rows] = s3;
    }
    for (; c < p.rows; ++c) {
      const R* x = w.Y + c * stride;
      R sum = 0;
      for (int k = 0; k < s.dofs; ++k) sum += y[k] * x[k];
      W[c * p.rows] = sum;
    }
  });
}

// The problem of the working set, which has room: W, laws and the start.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void write_problem(const Team& team, const Scene<R>& s, const Workspace<R>& w, const LawData<R>& p,
                            int contacts) {
  team.each(s.stops, [&](int i) {
    if (!w.stop[i].in_set) return;
    const int r = w.row_of[i];
    const R friction = s.stop[i].friction;
    w.of_row[r] = i, p.q[r] = w.stop[i].free, p.z[r] = w.stop[i].z;
    p.lower[r] = -friction, p.upper[r] = friction > 0 ? friction : Numbers<R>::kLargest;
  });
  team.each(contacts, [&](int i) {
    const Touch<R>& c = w.touch[i];
    if (!c.in_set) return;
    const int r = w.row_of[s.stops + i];
    for (int x = 0; x < 3; ++x) w.of_row[r + x] = s.stops + i, p.q[r + x] = c.free[x], p.z[r + x] = c.z[x];
    p.mu[(r - p.singles) / 3] = c.friction;
  });
  if constexpr (Team::kBlock) {
    team.each(p.rows, [&](int r) { write_row(s, w, r, Strided<R>{w.Y + r, s.room}); });
    multiply_rows(team, p, w.Y, s.dofs, s.room);
  } else {
    team.each(p.rows, [&](int r) { write_row(s, w, r, w.Y + r * (s.dofs | 1)); });
    multiply_rows_nearby(team, s, w, p);
  }
}

// The problem as it lies in the far memory.
template <class R>
SINEW_HD LawData<R> get_problem(const Workspace<R>& w, const Progress<R>& p) {
  LawData<R> out = w.problem;
  out.singles = p.singles, out.contacts = p.contacts, out.rows = out.stride = p.singles + 3 * p.contacts;
  out.scale = p.scale;
  return out;
}

// The velocities without contact forces, and the working set to begin with.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD R choose_set(const Team& team, const Scene<R>& s, const Workspace<R>& w, int contacts) {
  using std::abs;
  find_velocities(team, s, w, w.free, contacts);
  const R of_stops = team.template max<R>(s.stops, [&](int i) {
    StopRow<R>& row = w.stop[i];
    row.free = row.u, row.in_set = s.stop[i].friction > 0 || row.z != 0 || !(row.u >= 0);
    return row.in_set ? abs(row.u) : R(0);
  });
  const R of_contacts = team.template max<R>(contacts, [&](int i) {
    Touch<R>& c = w.touch[i];
    for (int x = 0; x < 3; ++x) c.free[x] = c.u[x];
    c.in_set = c.z[0] != 0 || !(c.u[0] >= 0);
    return c.in_set ? max(abs(c.u[0]), max(abs(c.u[1]), abs(c.u[2]))) : R(0);
  });
  const R scale = max(of_stops, of_contacts);
  return scale > 0 ? scale : R(1);
}

// First of three parts: the problem of the working set, if it fits.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void pose_problem(const Team& team, const Scene<R>& s, const Workspace<R>& w, WorldReport<R>& report) {
  Progress<R> p = *w.progress;
  const int contacts = report.contacts;
  if (p.begun == 0) {
    p.scale = choose_set(team, s, w, contacts), p.begun = 1;
    report.newtons = report.sweeps = report.rounds = 0;
  }
  p.singles = team.place(
      s.stops, [&](int i) { return w.stop[i].in_set ? 1 : 0; }, [&](int i, int first) { w.row_of[i] = first; });
  p.contacts = team.place(
      contacts, [&](int i) { return w.touch[i].in_set ? 1 : 0; },
      [&](int i, int first) { w.row_of[s.stops + i] = p.singles + 3 * first; });
  const LawData<R> problem = get_problem(w, p);
  report.rows = problem.rows;
  if (problem.rows <= s.room && problem.rows > 0) write_problem(team, s, w, problem, contacts);
  team.one([&] { *w.progress = p; });
}

}  // namespace sinew::device
