// sinew/batch/kernel/device_tree.hpp - kinematics, inertial forces and the mass matrix of one world by a team
// World axes, about the origin of the node's tree. There, composite inertias and forces are plain sums over subtrees,
// and an entry of M needs no others:  M_ki = S_i . Ic_k S_k  for the ancestors i of k [F08 6.15]. M = L^T D L with L's
// pattern that of the tree [F08 section 6.5].
#pragma once
#include <type_traits>

#include "sinew/batch/kernel/device_workspace.hpp"
#include "sinew/batch/kernel/team.hpp"

namespace sinew::device {

// The same motion in world axes about the tree's origin; o: from there to the node's origin.
template <class R>
SINEW_HD Motion<R> to_tree(const Rotation<R>& E, const Vec3<R>& o, const Motion<R>& m) {
  return apply_inverse(Transform<R>{E, o}, m);
}

// Poses, velocities, accelerations at dv/dt = 0, axes, and the forces that inertia and gravity ask of each node. The
// rate of the velocities of roots is such that they go on straight (sim/free_flight.hpp); of single bodies the spin is
// among the applied forces. Only what depends on the parent goes from level to level.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_motion(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  // Of the joints, in the axes of their nodes: X from the parent, V and A across the joint.
  team.each(s.nodes, [&](int i) {
    if (i == 0) {
      w.X[0] = {}, w.V[0] = {};
      w.A[0] = {{}, -s.options.gravity};  // the world accelerates upwards in place of gravity
      return;
    }
    const SceneNode<R>& n = s.node[i];
    JointMotion<R> joint;
    const R* v = w.v + n.dof;
    // With the numbers of freedoms known, axes stay in registers.
    visit_primitive(n.kind, [&](auto j) {
      using Joint = decltype(j);
      j.calc(n.parameter, w.q + n.q, v, joint);
      for (int k = 0; k < Joint::kNv; ++k) w.S[n.dof + k] = joint.S[k];
      if constexpr (std::is_same_v<Joint, FreeJoint>) {
        if (n.flight == Flight::root_free) {
          const Vec3<R> turning = cross(Vec3<R>{v[0], v[1], v[2]}, Vec3<R>{v[3], v[4], v[5]});
          joint.c -= turning.x * joint.S[3] + turning.y * joint.S[4] + turning.z * joint.S[5];
        }
      } else if constexpr (std::is_same_v<Joint, PlanarJoint>) {
        if (n.flight == Flight::root_planar) joint.c -= (v[0] * v[1]) * joint.S[2] - (v[0] * v[2]) * joint.S[1];
      }
    });
    w.X[i] = joint.X * n.placement;
    w.V[i] = joint.v, w.A[i] = joint.c;
  });
  for (int level = 0; level < s.levels; ++level) {
    const int* nodes = s.level_node + s.level[level];
    team.each(s.level[level + 1] - s.level[level], [&](int item) {
      const int i = nodes[item], parent = s.node[i].parent, tree = s.node[i].tree;
      const Transform<R> X = w.X[i] * w.X[parent];
      if (parent == 0) w.origin[tree] = X.r;
      const Vec3<R> o = X.r - w.origin[tree];
      const Motion<R> own = to_tree(X.E, o, w.V[i]), V = w.V[parent] + own;
      w.A[i] = w.A[parent] + to_tree(X.E, o, w.A[i]) + cross(V, own);
      w.X[i] = X, w.V[i] = V;
    });
  }
  team.each(s.dofs, [&](int k) {
    const int i = s.dof[k].node;
    w.S[k] = to_tree(w.X[i].E, w.X[i].r - w.origin[s.node[i].tree], w.S[k]);
  });
  team.each(s.nodes, [&](int i) {
    if (i == 0) return;
    const SceneNode<R>& n = s.node[i];
    const Vec3<R> o = w.X[i].r - w.origin[n.tree];
    const RigidInertia<R> I = apply_inverse(Transform<R>{w.X[i].E, o}, n.inertia);
    const bool single = n.flight >= Flight::single_free;
    const Motion<R> V = w.V[i];
    w.load[i] = {I, single ? I * w.A[0] : I * w.A[i] + cross(V, I * V)};  // [F08 5.9]
  });
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

// w.x becomes L^-1 D^-1 w.x.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void solve_from_base(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  team.each(s.dofs, [&](int k) { w.x[k] *= w.root[k] * w.root[k]; });
  team.template substitute<Way::up>(s, w.M, w.x);
}

// M = L^T D L in its place, root = D^-1/2, and w.x becomes M^-1 w.x = L^-1 D^-1 L^-T w.x. False if M is not positive
// definite. Rows keep D L while others need them.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD bool factor_and_solve_mass(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  using std::sqrt;
  R *x = w.M, *line = reinterpret_cast<R*>(w.load);  // the loads of two nodes, which there are: no longer needed
  const bool done = team.factor(s, w.M, w.x, line);
  for (int k = s.dofs - 1; k >= 0 && !done; --k) {
    const SceneDof<R>& d = s.dof[k];
    const R inverse = 1 / w.M[d.row + d.depth];
    const SceneUpdate* update = s.update + d.update;
    const int updates = d.updates();
    // Four at a time, so that a lane waits once for all that it reads.
    team.each((updates + 3) / 4, [&](int item) {
      SceneUpdate u[4];
      R by[4];
      for (int i = 0; i < 4; ++i)
        if (4 * item + i < updates) u[i] = update[4 * item + i];
      for (int i = 0; i < 4; ++i) by[i] = (x[u[i].a] * inverse) * x[u[i].b];
      for (int i = 0; i < 4; ++i)
        if (4 * item + i < updates) x[u[i].to] -= by[i];
    });
  }
  team.each(s.dofs, [&](int k) { w.root[k] = 1 / sqrt(w.M[s.dof[k].row + s.dof[k].depth]); });
  team.each(s.entries, [&](int e) {
    const int k = s.entry_dof[e];
    if (s.entry_above[e] != k) w.M[e] *= w.root[k] * w.root[k];
  });
  solve_from_base(team, s, w);
  // A pivot that is not positive leaves a root that is infinite or not a number.
  return team.template max<R>(s.dofs, [&](int k) { return w.root[k]; }) < Numbers<R>::kLargest;
}

// w.x becomes M^-1 w.x.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void solve_mass(const Team& team, const Scene<R>& s, const Workspace<R>& w) {
  team.template substitute<Way::down>(s, w.M, w.x);
  solve_from_base(team, s, w);
}

// Velocities of all nodes about the origins of their trees, at the velocities v of the freedoms.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_node_velocities(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* v) {
  team.each(s.nodes, [&](int i) {
    Motion<R> V;
    if (const int last = s.node[i].last; last >= 0) {
      const int row = s.dof[last].row, depth = s.dof[last].depth;
      for (int t = 0; t <= depth; ++t) {
        const int k = s.entry_above[row + t];
        V += v[k] * w.S[k];
      }
    }
    w.now[i] = V;
  });
}

}  // namespace sinew::device
