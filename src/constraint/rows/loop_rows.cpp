// src/constraint/rows/loop_rows.cpp - loop joints: T^T (v_s - v_p) = 0 [F08 8.7, 8.8]
// The joint's coordinates are not variables of the tree. They are read off the pose of F_s relative to F_p: those at
// which the joint comes closest. T^T S = 0 always holds, so the change of T is known from that of S:
//   T_ring^T v_J = -T^T S_ring qd_J = -T^T c_J
#include "constraint/rows/frame_pair.hpp"
#include "constraint/rows/nearest_pose.hpp"
#include "sinew/spatial/xtov.hpp"

namespace sinew {

void calc_rows(const LoopRows& loop, const ConstraintState& state, RowWriter out) {
  const RelativeMotion m = calc_relative_motion(loop.frames, state.motion);
  const Joint& joint = loop.joint;
  double q[7], qd[kMaxJointDofs] = {};
  JointComplements<double> force;
  JointMotion<double> nearest;
  find_nearest_pose(joint, m.X, q);
  visit_primitive(joint.kind, [&](auto kind) { kind.complements(joint.parameter, q, force); });

  // Only these two kinds have forces T that change as F_s sees them.
  if (joint.kind == JointKind::universal || joint.kind == JointKind::rack_and_pinion)
    for (int j = 0; j < joint.nv(); ++j) qd[j] = dot(force.active[j], m.velocity());
  calc_joint(joint, q, qd, 0, nearest);

  const Motion<double> rate = m.acceleration() - nearest.c;
  const Motion<double> d = xtov_exact(m.X * inverse(nearest.X));  // [F08 8.25, 8.26]
  for (int r = 0; r < 6 - joint.nv(); ++r) {
    const Force<double>& T = force.constraint[r];
    out.K = put_on_both_sides(loop.frames, m.X, T, out.K);  // [F08 8.19, 8.20]
    out.k[r] = -dot(T, rate);                               // [F08 8.47]
    out.position[r] = dot(T, d);                            // [F08 8.27]
    out.velocity[r] = dot(T, m.velocity());                 // [F08 8.9]
  }
}

}  // namespace sinew
