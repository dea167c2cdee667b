// sinew/batch/kernel/device_contacts.hpp - contacts and stops of one world, found by a team
// As ContactShapes::find_within and JointLimits find them, from the same text. Every pair is looked at in every step: a
// ball about each shape tells most of them apart. Contacts are counted, whether there is room for them or not.
#pragma once
#include "sinew/batch/kernel/device_pairs.hpp"
#include "sinew/batch/kernel/device_tree.hpp"
#include "sinew/contact/kernel/tangents.hpp"

namespace sinew::device {

// Nodes and shapes where they are at the start, and how far a step may take them.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void place_shapes(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  const SceneOptions<R>& o = s.options;
  const auto move = [&](int i) {
    const Motion<R>& V = w.V[i];
    return i == 0 ? Motion<R>{} : Motion<R>{V.ang, V.lin - cross(w.X[i].r - w.origin[s.node[i].tree], V.ang)};
  };
  team.each(s.nodes, [&](int i) { w.place[i] = w.X[i].r, w.motion[i] = move(i); });
  team.each(s.shapes, [&](int i) {
    const SceneShape<R>& shape = s.shape[i];
    w.placed[i] = shape.in_node * w.X[shape.node];
    const Motion<R> V = move(shape.node);
    w.reach[i] = shape.node == 0 ? R(0) : 2 * o.dt * (norm(V.lin) + norm(V.ang) * shape.extent + o.dt * o.gravity_norm);
  });
}

// [m/s] what a contact's velocity is compared with: the gap may close within the step, an overlap comes back slowly. A
// gap within the rounding error of the lengths that it comes from is none.
template <class R>
SINEW_HD R calc_bias(const SceneOptions<R>& o, R gap, const R& lengths, const R& rounding) {
  using std::abs;
  if (abs(gap) <= rounding * lengths) gap = 0;
  return gap > 0 ? gap / o.dt : max(o.recovery * gap / o.dt, -o.recovery_speed);
}

// Whether the step may close a gap: what touches there does not fly (Simulation's set_far_aside).
template <class R>
SINEW_HD bool is_closing(const Scene<R>& s, const Workspace<R>& w, const Touch<R>& c) {
  constexpr R kReach = 2, kFalls = 2;  // src/contact/constants.hpp, src/sim/constants.hpp
  const SceneOptions<R>& o = s.options;
  const auto at_point = [&](int node) {
    return w.motion[node].lin - cross(c.point - w.place[node], w.motion[node].ang);
  };
  const R approach = max(R(0), -dot(c.normal, at_point(c.node_a) - at_point(c.node_b)));
  return c.gap <= o.dt * (kReach * approach + kFalls * o.gravity_norm * o.dt) + o.overlap;
}

// How many contacts there are; those that have room are stored, in the order of pairs. Those that pushed in the last
// step, with the keys w.keys, begin with the impulses they had.
SINEW_HD_CALLER
template <Colliders colliders, class R, class Team>
SINEW_HD int find_contacts(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* last_z) {
  using Points = PairPoints<R, kMostPairPoints<colliders>>;
  constexpr R kRounding = 32 * Numbers<R>::kEpsilon;
  // Few pairs are near: the lanes take those together.
  const auto is_near = [&](int i) { return may_touch(s, w, s.pair[i]); };
  const int close = team.choose(s.pairs, is_near, [&](int i, int place) { w.close[place] = i; });
  const auto make = [&](int i, Points& points) {
    points.pair = w.close[i], points.feature_bits = s.feature_bits, points.other_bits = s.other_bits;
    collide_pair<colliders>(s, w, points.pair, points);
    return points.count <= Points::kMost ? points.count : s.contacts + points.count;  // sets the world aside
  };
  const auto put = [&](const Points& p, int k, int place) {
    if (place >= s.contacts || k >= Points::kMost) return;
    const ScenePair<R>& pair = s.pair[p.pair];
    Touch<R> c;
    c.point = p.point[k], c.normal = p.normal[k], c.gap = p.gap[k], c.friction = pair.friction, c.key = p.key[k];
    c.node_a = s.shape[pair.a].node, c.node_b = s.shape[pair.b].node;
    const R lengths = norm(c.point) + norm(c.point - w.place[c.node_a]) + norm(c.point - w.place[c.node_b]);
    c.bias = calc_bias(s.options, c.gap, lengths, kRounding);
    c.near = is_closing(s, w, c);
    for (int last = 0; last < s.contacts && w.keys[last] >= 0; ++last) {
      if (w.keys[last] != c.key) continue;
      for (int x = 0; x < 3; ++x) c.z[x] = last_z[3 * last + x];
      break;
    }
    w.touch[place] = c;
  };
  return team.template collect<Points>(close, make, put);
}

// Angle 0 .. pi and axis of a unit quaternion.
template <class R>
SINEW_HD R calc_turn(const R* q, Vec3<R>& axis) {
  const R sign = q[0] < 0 ? R(-1) : R(1);
  const Vec3<R> x{sign * q[1], sign * q[2], sign * q[3]};
  const R sine = norm(x);
  axis = sine > 0 ? (1 / sine) * x : Vec3<R>{R(1), R(0), R(0)};
  return 2 * std::atan2(sine, sign * q[0]);
}

// Rows of all stops and of dry friction, with the impulses of the last step. All stops take part: one that is far has
// a large bias.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_stops(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* last_z) {
  using std::abs;
  constexpr R kRounding = 64 * Numbers<R>::kEpsilon;
  team.each(s.stops, [&](int i) {
    const SceneStop<R>& stop = s.stop[i];
    StopRow<R> row;
    row.z = last_z[i];
    if (stop.friction > 0) {
      row.along.x = 1;
    } else if (stop.of_turn) {
      const R gap = stop.place - calc_turn(w.q + stop.q, row.along);
      row.along = -row.along;
      row.bias = calc_bias(s.options, gap, abs(stop.place), kRounding);
    } else {
      row.along.x = stop.sign;
      row.bias = calc_bias(s.options, stop.sign * (w.q[stop.q] - stop.place), abs(stop.place), kRounding);
    }
    w.stop[i] = row;
  });
}

// Velocities n t t of a contact, with its bias.
template <class R>
SINEW_HD void calc_velocity(const Scene<R>& s, const Workspace<R>& w, const Touch<R>& c, R* u) {
  const auto at_point = [&](int node) {
    const Motion<R>& V = w.now[node];
    return node == 0 ? Vec3<R>{} : V.lin - cross(c.point - w.origin[s.node[node].tree], V.ang);
  };
  const Vec3<R> V = at_point(c.node_a) - at_point(c.node_b);
  Vec3<R> t1, t2;
  contact::calc_tangents(c.normal, t1, t2);
  u[0] = dot(c.normal, V) + c.bias, u[1] = dot(t1, V), u[2] = dot(t2, V);  // [J14 22]
}
template <class R>
SINEW_HD R calc_velocity(const SceneStop<R>& stop, const StopRow<R>& row, const R* v) {
  const R u = row.along.x * v[stop.dof];
  return row.bias + (stop.of_turn ? u + row.along.y * v[stop.dof + 1] + row.along.z * v[stop.dof + 2] : u);
}

// Of all of them at the velocities v of the freedoms, into u.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_velocities(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* v, int contacts) {
  find_node_velocities(team, s, w, v);
  team.each(s.stops, [&](int i) { w.stop[i].u = calc_velocity(s.stop[i], w.stop[i], v); });
  team.each(contacts, [&](int i) { calc_velocity(s, w, w.touch[i], w.touch[i].u); });
}

}  // namespace sinew::device
