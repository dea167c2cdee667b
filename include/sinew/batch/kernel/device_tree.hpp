// sinew/batch/kernel/device_tree.hpp - kinematics, inertial forces and the mass matrix of one world by a team
// World axes, about the origin of the node's tree. There, composite inertias and forces are plain sums over subtrees,
// and an entry of M needs no others:  M_ki = S_i . Ic_k S_k  for the ancestors i of k [F08 6.15]. M = L^T D L with L's
// pattern that of the tree [F08 section 6.5].
#pragma once
#include "sinew/batch/kernel/device_workspace.hpp"

namespace sinew::device {

// The same motion in world axes about the tree's origin; o: from there to the node's origin.
template <class R>
SINEW_HD Motion<R> to_tree(const Rotation<R>& E, const Vec3<R>& o, const Motion<R>& m) {
  return apply_inverse(Transform<R>{E, o}, m);
}

// Poses, velocities, accelerations at dv/dt = 0, axes, and the forces that inertia and gravity ask of each node. The
// rate of the velocities of roots is such that they go on straight (sim/free_flight.hpp); of single bodies the spin is
// among the applied forces.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_motion(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  team.one([&] {
    w.X[0] = {}, w.V[0] = {};
    w.A[0] = {{}, -s.options.gravity};  // the world accelerates upwards in place of gravity
  });
  for (int level = 0; level < s.levels; ++level) {
    const int* nodes = s.level_node + s.level[level];
    team.each(s.level[level + 1] - s.level[level], [&](int item) {
      const int i = nodes[item];
      const SceneNode<R>& n = s.node[i];
      JointMotion<R> joint;
      visit_primitive(n.kind, [&](auto j) { j.calc(n.parameter, w.q + n.q, w.v + n.dof, joint); });
      const Transform<R> X = joint.X * n.placement * w.X[n.parent];
      if (n.parent == 0) w.origin[n.tree] = X.r;
      const Vec3<R> o = X.r - w.origin[n.tree];
      const Motion<R> own = to_tree(X.E, o, joint.v), V = w.V[n.parent] + own;
      Motion<R> A = w.A[n.parent] + to_tree(X.E, o, joint.c) + cross(V, own);
      for (int k = 0; k < n.nv; ++k) w.S[n.dof + k] = to_tree(X.E, o, joint.S[k]);
      const R* v = w.v + n.dof;
      if (n.flight == Flight::root_free) {
        const Vec3<R> turning = cross(Vec3<R>{v[0], v[1], v[2]}, Vec3<R>{v[3], v[4], v[5]});
        A -= turning.x * w.S[n.dof + 3] + turning.y * w.S[n.dof + 4] + turning.z * w.S[n.dof + 5];
      } else if (n.flight == Flight::root_planar) {
        A -= (v[0] * v[1]) * w.S[n.dof + 2] - (v[0] * v[2]) * w.S[n.dof + 1];
      }
      const RigidInertia<R> I = apply_inverse(Transform<R>{X.E, o}, n.inertia);
      const bool single = n.flight >= Flight::single_free;
      w.X[i] = X, w.V[i] = V, w.A[i] = A;
      w.load[i] = {I, single ? I * w.A[0] : I * A + cross(V, I * V)};  // [F08 5.9]
    });
  }
}

// Sums loads over subtrees, from the tips on; each lane takes one of their 16 numbers.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void sum_loads(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  constexpr int kNumbers = 16;
  static_assert(sizeof(Load<R>) == kNumbers * sizeof(R));
  R* x = reinterpret_cast<R*>(w.load);
  team.each(kNumbers, [&](int c) {
    for (int i = s.nodes - 1; i > 0; --i)
      if (const int p = s.node[i].parent; p > 0) x[kNumbers * p + c] += x[kNumbers * i + c];
  });
}

// M, and w.x = C - M turning: what joints must give for dv/dt = 0.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_mass_and_bias(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  sum_loads(team, s, w);
  team.each(s.dofs, [&](int k) {
    const Load<R>& load = w.load[s.dof[k].node];
    w.F[k] = load.I * w.S[k];
    w.x[k] = dot(w.S[k], load.f);
  });
  team.each(s.entries, [&](int e) {
    const int k = s.entry_dof[e], i = s.entry_above[e];
    w.M[e] = dot(w.S[i], w.F[k]) + (i == k ? s.dof[k].armature : R(0));
  });
}

// M = L^T D L in its place, and root = D^-1/2. False if M is not positive definite.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool factor_mass(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  using std::sqrt;
  for (int k = s.dofs - 1; k >= 0; --k) {
    const SceneDof<R>& d = s.dof[k];
    const R inverse = 1 / w.M[d.row + d.depth];
    team.each(d.depth * (d.depth + 1) / 2, [&](int t) {
      const int a = s.triangle_a[t], b = s.triangle_b[t], i = s.entry_above[d.row + a];
      w.M[s.dof[i].row + b] -= (w.M[d.row + a] * inverse) * w.M[d.row + b];
    });
    team.each(d.depth, [&](int t) { w.M[d.row + t] *= inverse; });
  }
  team.each(s.dofs, [&](int k) { w.root[k] = 1 / sqrt(w.M[s.dof[k].row + s.dof[k].depth]); });
  // A pivot that is not positive leaves a root that is infinite or not a number.
  return team.template max<R>(s.dofs, [&](int k) { return w.root[k]; }) < Numbers<R>::kLargest;
}

// w.x becomes M^-1 w.x = L^-1 D^-1 L^-T w.x.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void solve_mass(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  R* x = w.x;
  for (int k = s.dofs - 1; k >= 0; --k) {
    const SceneDof<R>& d = s.dof[k];
    team.each(d.depth, [&](int t) { x[s.entry_above[d.row + t]] -= w.M[d.row + t] * x[k]; });
  }
  team.each(s.dofs, [&](int k) { x[k] *= w.root[k] * w.root[k]; });
  for (int i = 0; i < s.dofs; ++i) {
    const int depth = s.dof[i].depth;
    team.each(s.dof[i].end - i - 1, [&](int t) { x[i + 1 + t] -= w.M[s.dof[i + 1 + t].row + depth] * x[i]; });
  }
}

// Velocity of a node about its tree's origin, at the velocities v of the freedoms.
template <class R>
SINEW_HD Motion<R> velocity_of(const Scene<R>& s, const Workspace<R>& w, int node, const R* v) {
  Motion<R> out;
  const int last = s.node[node].last;
  if (last < 0) return out;
  const SceneDof<R>& d = s.dof[last];
  for (int t = 0; t <= d.depth; ++t) {
    const int k = s.entry_above[d.row + t];
    out += v[k] * w.S[k];
  }
  return out;
}

}  // namespace sinew::device
