// sinew/tree/kinematics.hpp - where bodies and frames stand [F08 Example 4.3]
//   ^i X_0 = X_J(q_i) X_T(i) ^lambda(i) X_0,   O(n).
// Frames: node frames inside; bodies and frames come back as the user wrote them.
// The model and the workspace must stay alive as long as their poses are asked for.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/sweep/kernel/turns.hpp"

namespace sinew {

template <class T>
struct KinematicsWorkspace {
  explicit KinematicsWorkspace(const Model&);
  MadeFor made_for;
  std::vector<Transform<T>> X;  // (nodes) node <- world
  std::vector<Turn<T>> turns;   // (nodes) cosine and sine of one-axis joints
  std::vector<T> angles;        // (nodes, and a register more) of one-axis joints
};

// Fills ws.X. `time` matters to prescribed joints only. For every scalar of the closed set.
template <class T>
void calc_kinematics(const Model&, KinematicsWorkspace<T>& ws, In<T> q, double time = 0);

// After calc_kinematics: frame <- world, so r is its position and E takes world coordinates into it.
template <class T>
Transform<T> get_body_pose(const Model& m, const KinematicsWorkspace<T>& ws, int body) {
  ws.made_for.check("get_body_pose", m);
  check_index("get_body_pose", "body", body, m.bodies().size());
  const BodyEntry& b = m.bodies()[body];
  return cast<T>(b.in_node) * ws.X[b.node];
}
template <class T>
Transform<T> get_frame_pose(const KinematicsWorkspace<T>& ws, const FrameEntry& f) {
  check_index("get_frame_pose", "node", f.node, ws.X.size());
  return cast<T>(f.in_node) * ws.X[f.node];
}

}  // namespace sinew
