// sinew/batch/kernel/device_contacts.hpp - contacts and stops of one world, found by a team
// As ContactShapes::find_within and JointLimits find them, from the same text. Every pair is looked at in every step: a
// ball about each shape tells most of them apart. Contacts are counted, whether there is room for them or not.
#pragma once
#include "sinew/batch/kernel/device_convex.hpp"
#include "sinew/batch/kernel/device_tree.hpp"
#include "sinew/contact/kernel/plane_contacts.hpp"
#include "sinew/contact/kernel/round_contacts.hpp"
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

// The points of one pair: up to the corners of a box on a plane, or those of convex solids. Points beyond the room are
// counted only.
template <class R, int most>
struct PairPoints {
  static constexpr int kMost = most;
  Vec3<R> point[most], normal[most];
  R gap[most];
  int key[most];
  int pair = 0, bits = 0, count = 0;  // its number, and the bits of a feature in a key
  template <class T>
  SINEW_HD void add(const Vec3<T>& p, const Vec3<T>& n, const T& g, std::uint32_t fa, std::uint32_t fb) {
    const int i = count++;
    if (i >= most) return;
    point[i] = cast<R>(p), normal[i] = cast<R>(n), gap[i] = static_cast<R>(g);
    key[i] = pair << 2 * bits | static_cast<int>(fa << bits | fb);
  }
  SINEW_HD int size() const { return count; }
  SINEW_HD void resize(int n) { count = n; }
};
// Which colliders the pairs of a scene need: a kernel that has all of them is slower.
enum class Colliders { round, all };

// How far apart the surfaces of a pair may be.
template <class R>
SINEW_HD R calc_reach(const Scene<R>& s, const Workspace<R>& w, const ScenePair<R>& pair) {
  const R slack = R(Numbers<R>::kSingle ? 1e-6 : 1e-9) * (s.shape[pair.a].bound + s.shape[pair.b].bound);
  return w.reach[pair.a] + w.reach[pair.b] + pair.margin + slack;
}

// Whether the balls about them are that near.
template <class R>
SINEW_HD bool may_touch(const Scene<R>& s, const Workspace<R>& w, const ScenePair<R>& pair) {
  const SceneShape<R>&a = s.shape[pair.a], &b = s.shape[pair.b];
  const R reach = calc_reach(s, w, pair);
  const Vec3<R> d = w.placed[pair.a].r - w.placed[pair.b].r;
  if (b.kind == ShapeKind::plane) return !(dot(contact::axis_of(w.placed[pair.b], 2), d) - a.bound > reach);
  const R far = a.bound + b.bound + reach;
  return !(dot(d, d) > far * far);
}

// Closed forms. a and b in the order of their collider: the plane last, the sphere first.
template <class R, class Points>
SINEW_HD void collide_round(ShapeKind a, ShapeKind b, const contact::PlacedSize<R>& A, const contact::PlacedSize<R>& B,
                            const R& reach, Points& out) {
  using enum ShapeKind;
  const auto add = [&](const Vec3<R>& point, const Vec3<R>& normal, const R& gap, std::uint32_t fa, std::uint32_t fb) {
    out.add(point, normal, gap, fa, fb);
  };
  if (b == plane) {
    if (a == sphere) contact::sphere_on_plane(A, B.X, reach, add);
    if (a == capsule) contact::capsule_on_plane(A, B.X, reach, add);
    if (a == box) contact::box_on_plane(A, B.X, reach, add);
  } else if (a == sphere) {
    if (b == sphere) contact::sphere_on_sphere(A, B, reach, add);
    if (b == capsule) contact::sphere_on_capsule(A, B, reach, add);
    if (b == box) contact::sphere_on_box(A, B, reach, add);
  } else {
    contact::capsule_on_capsule(A, B, reach, add);
  }
}

template <Colliders colliders, class R, class Points>
SINEW_HD void collide_pair(const Scene<R>& s, const Workspace<R>& w, int index, Points& out) {
  const ScenePair<R>& pair = s.pair[index];
  const SceneShape<R>&a = s.shape[pair.a], &b = s.shape[pair.b];
  const Transform<R>&Xa = w.placed[pair.a], &Xb = w.placed[pair.b];
  const R reach = calc_reach(s, w, pair);
  if constexpr (colliders == Colliders::all)
    if (is_wide_pair(a.kind, b.kind))
      return collide_wide(WideShape(a, Xa, hull_of(s, a)), WideShape(b, Xb, hull_of(s, b)), reach, out);
  collide_round<R>(a.kind, b.kind, {Xa, a.size}, {Xb, b.size}, reach, out);
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
  using Points = PairPoints<R, colliders == Colliders::all ? kMostConvexPoints : 8>;
  constexpr R kRounding = 32 * Numbers<R>::kEpsilon;
  // Few pairs are near: the lanes take those together.
  const auto is_near = [&](int i) { return may_touch(s, w, s.pair[i]); };
  const int close = team.choose(s.pairs, is_near, [&](int i, int place) { w.close[place] = i; });
  const auto make = [&](int i, Points& points) {
    points.pair = w.close[i], points.bits = s.feature_bits;
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
