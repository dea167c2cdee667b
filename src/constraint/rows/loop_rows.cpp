// src/constraint/rows/loop_rows.cpp - loop joints: T^T (v_s - v_p) = 0 [F08 8.7, 8.8]
// The joint's coordinates are not variables of the tree. They are read off the pose of F_s relative to F_p: those at
// which the joint comes closest. T^T S = 0 always holds, so the change of T is known from that of S:
//   T_ring^T v_J = -T^T S_ring qd_J = -T^T c_J
#include "constraint/rows/nearest_pose.hpp"
#include "constraint/rows/pair_rows.hpp"
#include "sinew/base/dual.hpp"
#include "sinew/spatial/xtov.hpp"

namespace sinew {

// Only these two kinds have forces T that change as F_s sees them.
bool has_constant_forces(const LoopRows& loop) {
  return loop.joint.kind != JointKind::universal && loop.joint.kind != JointKind::rack_and_pinion;
}

template <class T>
void calc_pair_rows(const LoopRows& loop, const PairState<T>& m, double, PairRow<T>* out) {
  const Joint& joint = loop.joint;
  T q[7], qd[kMaxJointDofs] = {};
  JointComplements<T> force;
  JointMotion<T> nearest;
  find_nearest_pose(joint, m.X, q);
  visit_primitive(joint.kind, [&](auto kind) { kind.complements(lit<T>(joint.parameter), q, force); });
  if (!has_constant_forces(loop))
    for (int j = 0; j < joint.nv(); ++j) qd[j] = dot(force.active[j], m.u);
  calc_joint(joint, q, qd, 0, nearest);

  const Motion<T> rate = m.w - nearest.c;
  const Motion<T> d = xtov_exact(m.X * inverse(nearest.X));  // [F08 8.25, 8.26]
  for (int r = 0; r < 6 - joint.nv(); ++r) {
    const Force<T>& f = force.constraint[r];
    out[r] = {f, dot(f, rate), dot(f, d), dot(f, m.u)};  // [F08 8.47, 8.27, 8.9]
  }
}
template void calc_pair_rows(const LoopRows&, const PairState<double>&, double, PairRow<double>*);
template void calc_pair_rows(const LoopRows&, const PairState<Dual>&, double, PairRow<Dual>*);

void calc_rows(const LoopRows& loop, const ConstraintState& state, RowWriter out) {
  const PairState<double> m = to_pair_state(calc_relative_motion(loop.frames, state.motion));
  PairRow<double> rows[6];
  calc_pair_rows(loop, m, state.time, rows);
  write_rows(loop.frames, m.X, rows, 6 - loop.joint.nv(), out);
}

}  // namespace sinew
