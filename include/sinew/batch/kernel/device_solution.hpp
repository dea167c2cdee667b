// sinew/batch/kernel/device_solution.hpp - the friction problem of one world, built and solved by a team
// A working set of contacts and stops: what approaches, and what pushed in the last step. W = J M^-1 J^T = Y Y^T with
// Y = J L^-1 D^-1/2. The answer is checked on all rows with u = J v+, without W, and what it passes joins the set.
#pragma once
#include "sinew/batch/kernel/device_contacts.hpp"
#include "sinew/batch/kernel/device_law.hpp"
#include "sinew/batch/kernel/device_report.hpp"

namespace sinew::device {

inline constexpr int kSetRounds = 12;   // times that the problem may grow
inline constexpr int kCorrections = 4;  // solutions of a problem, each with the rounding of W in the last one taken out

// Row r of D^-1/2 L^-T J^T.
template <class R>
SINEW_HD void write_row(const Scene<R>& s, const Workspace<R>& w, int r, R* y) {
  for (int k = 0; k < s.dofs; ++k) y[k] = 0;
  const int i = w.of_row[r];
  if (i < s.stops) {
    const SceneStop<R>& stop = s.stop[i];
    y[stop.dof] = w.stop[i].along.x;
    if (stop.of_turn) y[stop.dof + 1] = w.stop[i].along.y, y[stop.dof + 2] = w.stop[i].along.z;
  } else {
    const Touch<R>& c = w.touch[i - s.stops];
    Vec3<R> t1, t2;
    contact::calc_tangents(c.normal, t1, t2);
    const int which = r - w.row_of[i];
    const Vec3<R> along = which == 0 ? c.normal : which == 1 ? t1 : t2;
    for (int side = 0; side < 2; ++side) {
      const bool a = side == 0;
      const int node = a ? c.node_a : c.node_b, last = s.node[node].last;
      if (last < 0) continue;
      const Vec3<R> arm = cross(c.point - w.origin[s.node[node].tree], along);
      const SceneDof<R>& d = s.dof[last];
      for (int t = 0; t <= d.depth; ++t) {
        const int k = s.entry_above[d.row + t];
        const R J = dot(w.S[k].ang, arm) + dot(w.S[k].lin, along);  // [J14 23]
        y[k] += a ? J : -J;
      }
    }
  }
  for (int k = s.dofs - 1; k >= 0; --k) {
    const R x = y[k];
    if (x == 0) continue;
    const SceneDof<R>& d = s.dof[k];
    const int* above = s.entry_above + d.row;
    const R* L = w.M + d.row;
    y[k] = x * w.root[k];
    // Four at a time: their places differ, which the compiler cannot know.
    int t = 0;
    for (; t + 4 <= d.depth; t += 4) {
      const R y0 = y[above[t]] - L[t] * x, y1 = y[above[t + 1]] - L[t + 1] * x;
      const R y2 = y[above[t + 2]] - L[t + 2] * x, y3 = y[above[t + 3]] - L[t + 3] * x;
      y[above[t]] = y0, y[above[t + 1]] = y1, y[above[t + 2]] = y2, y[above[t + 3]] = y3;
    }
    for (; t < d.depth; ++t) y[above[t]] -= L[t] * x;
  }
}

// The problem of the working set, with room for it: W, laws and the start.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void write_problem(const Team& team, const Scene<R>& s, const Workspace<R>& w, LawData<R>& law, int contacts) {
  const int stride = s.dofs | 1;
  team.each(s.stops + contacts, [&](int i) {
    const int r = w.row_of[i];
    if (i < s.stops) {
      if (!w.stop[i].in_set) return;
      const R friction = s.stop[i].friction;
      w.of_row[r] = i, law.q[r] = w.stop[i].free, law.z[r] = w.stop[i].z;
      law.lower[r] = -friction, law.upper[r] = friction > 0 ? friction : Numbers<R>::kLargest;
      return;
    }
    const Touch<R>& c = w.touch[i - s.stops];
    if (!c.in_set) return;
    for (int x = 0; x < 3; ++x) w.of_row[r + x] = i, law.q[r + x] = c.free[x], law.z[r + x] = c.z[x];
    law.block[law.singles + (r - law.singles) / 3].mu = c.friction;
  });
  team.each(law.rows, [&](int r) { write_row(s, w, r, w.Y + r * stride); });
  team.each(law.rows, [&](int r) {
    const R* y = w.Y + r * stride;
    R* W = law.W + r * law.stride;
    int c = 0;
    for (; c + 4 <= law.rows; c += 4) {  // four at a time, for each number that is loaded
      const R* x = w.Y + c * stride;
      R s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int k = 0; k < s.dofs; ++k) {
        const R a = y[k];
        s0 += a * x[k], s1 += a * x[k + stride], s2 += a * x[k + 2 * stride], s3 += a * x[k + 3 * stride];
      }
      W[c] = s0, W[c + 1] = s1, W[c + 2] = s2, W[c + 3] = s3;
    }
    for (; c < law.rows; ++c) {
      const R* x = w.Y + c * stride;
      R sum = 0;
      for (int k = 0; k < s.dofs; ++k) sum += y[k] * x[k];
      W[c] = sum;
    }
  });
}

// next = free + M^-1 J^T z, and the velocities of all rows there.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void apply_impulses(const Team& team, const Scene<R>& s, const Workspace<R>& w, const LawData<R>& law,
                             int contacts) {
  // J^T z: forces of contacts about the origins of their trees, then along the freedoms that move a node.
  team.each(law.contacts, [&](int i) {
    const int r = law.singles + 3 * i;
    const Touch<R>& c = w.touch[w.of_row[r] - s.stops];
    Vec3<R> t1, t2;
    contact::calc_tangents(c.normal, t1, t2);
    w.push[i] = law.z[r] * c.normal + law.z[r + 1] * t1 + law.z[r + 2] * t2;
  });
  team.each(s.dofs, [&](int k) {
    const int end = s.dof[k].end;
    const Motion<R> S = w.S[k];
    const Vec3<R> origin = w.origin[s.node[s.dof[k].node].tree];
    R sum = 0;
    for (int i = 0; i < law.contacts; ++i) {
      const Touch<R>& c = w.touch[w.of_row[law.singles + 3 * i] - s.stops];
      const int a = s.node[c.node_a].last, b = s.node[c.node_b].last;
      const bool by_a = k <= a && a < end, by_b = k <= b && b < end;
      if (by_a == by_b) continue;  // not at all, or both alike
      const Vec3<R> f = w.push[i];
      const R along = dot(S.ang, cross(c.point - origin, f)) + dot(S.lin, f);
      sum += by_a ? along : -along;
    }
    for (int r = 0; r < law.singles; ++r) {
      const int i = w.of_row[r], at = k - s.stop[i].dof;
      if (at < 0 || at > (s.stop[i].of_turn ? 2 : 0)) continue;
      const Vec3<R>& along = w.stop[i].along;
      sum += law.z[r] * (at == 0 ? along.x : at == 1 ? along.y : along.z);
    }
    w.x[k] = sum;
  });
  solve_mass(team, s, w);
  team.each(s.dofs, [&](int k) { w.next[k] = w.free[k] + w.x[k]; });
  find_velocities(team, s, w, contacts);
}

// Solves the problem of the contacts and stops; next is then the velocity at the end of the step. False if it has more
// rows than there is room for.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool solve_contacts(const Team& team, const Scene<R>& s, Workspace<R>& w, int contacts,
                             WorldReport<R>& report) {
  using std::abs;
  const int candidates = s.stops + contacts;
  const R tolerance = s.options.tolerance;
  LawData<R>& law = w.law;
  team.each(s.dofs, [&](int k) { w.next[k] = w.free[k]; });
  find_velocities(team, s, w, contacts);
  team.each(candidates, [&](int i) {
    if (i < s.stops) {
      StopRow<R>& row = w.stop[i];
      row.free = row.u, row.in_set = s.stop[i].friction > 0 || row.z != 0 || !(row.u >= 0);
      return;
    }
    Touch<R>& c = w.touch[i - s.stops];
    for (int x = 0; x < 3; ++x) c.free[x] = c.u[x];
    c.in_set = c.z[0] != 0 || !(c.u[0] >= 0);
  });
  const auto is_in = [&](int i) { return i < s.stops ? w.stop[i].in_set : w.touch[i - s.stops].in_set; };
  // Of what the problem begins with, friction and all.
  law.scale = team.template max<R>(candidates, [&](int i) {
    if (!is_in(i)) return R(0);
    if (i < s.stops) return abs(w.stop[i].free);
    const R* u = w.touch[i - s.stops].free;
    return max(abs(u[0]), max(abs(u[1]), abs(u[2])));
  });
  if (!(law.scale > 0)) law.scale = 1;
  LawOutcome cost;
  for (int round = 0; round < kSetRounds; ++round) {
    law.singles = team.place(
        s.stops, [&](int i) { return w.stop[i].in_set ? 1 : 0; }, [&](int i, int first) { w.row_of[i] = first; });
    law.contacts = team.place(
        contacts, [&](int i) { return w.touch[i].in_set ? 1 : 0; },
        [&](int i, int first) { w.row_of[s.stops + i] = law.singles + 3 * first; });
    law.rows = report.rows = law.singles + 3 * law.contacts;
    report.rounds = round + 1;
    if (law.rows == 0) {
      report.residual = 0;
    } else {
      if (law.rows > s.rows) return false;
      write_problem(team, s, w, law, contacts);
      const Law<R, Team> solver{team, law};
      // From the second time on with what rounding of W was wrong by.
      for (int again = 0; again < kCorrections; ++again) {
        solver.solve(tolerance * (again == 0 ? R(0.9) : R(0.5)), cost);
        apply_impulses(team, s, w, law, contacts);
        team.each(law.rows, [&](int r) {
          const int i = w.of_row[r];
          const R u = i < s.stops ? w.stop[i].u : w.touch[i - s.stops].u[r - w.row_of[i]];
          law.q[r] += u - law.u[r], law.u[r] = u;
        });
        report.residual = solver.measure(law.z);
        if (report.residual <= tolerance) break;
      }
      team.each(candidates, [&](int i) {
        if (i < s.stops)
          w.stop[i].z = w.stop[i].in_set ? law.z[w.row_of[i]] : R(0);
        else
          for (int x = 0; x < 3; ++x) w.touch[i - s.stops].z[x] = is_in(i) ? law.z[w.row_of[i] + x] : R(0);
      });
    }
    // What was left out and is passed.
    const auto passed = [&](int i) {
      const R u = i < s.stops ? w.stop[i].u : w.touch[i - s.stops].u[0];
      return is_in(i) || u >= 0 ? R(0) : -u / law.scale;
    };
    const R outside = team.template max<R>(candidates, passed);
    if (!(outside > tolerance)) break;
    report.residual = max(report.residual, outside);
    team.each(candidates, [&](int i) {
      if (passed(i) > 0) (i < s.stops ? w.stop[i].in_set : w.touch[i - s.stops].in_set) = true;
    });
  }
  report.newtons = cost.newtons, report.sweeps = cost.sweeps;
  return true;
}

}  // namespace sinew::device
