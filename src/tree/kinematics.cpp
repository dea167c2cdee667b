// src/tree/kinematics.cpp
#include "sinew/tree/kinematics.hpp"

#include "sinew/base/scalars.hpp"

namespace sinew {

template <class T>
KinematicsWorkspace<T>::KinematicsWorkspace(const Model& m) : X(m.nodes().size()) {}

template <class T>
void calc_kinematics(const Model& m, VectorView<const T> q, KinematicsWorkspace<T>& ws, double time) {
  check_size("calc_kinematics", "q", q.size(), static_cast<std::size_t>(m.nq()));
  check_size("calc_kinematics", "ws.X", ws.X.size(), m.nodes().size());
  const T rest[kMaxJointDofs] = {};
  JointMotion<T> joint;
  for (std::size_t i = 1; i < ws.X.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_joint(n.joint, q.data() + n.q, rest, time, joint);
    ws.X[i] = joint.X * (cast<T>(n.placement) * ws.X[static_cast<std::size_t>(n.parent)]);
  }
}

#define SINEW_INSTANTIATE(T)              \
  template struct KinematicsWorkspace<T>; \
  template void calc_kinematics(const Model&, VectorView<const T>, KinematicsWorkspace<T>&, double);
SINEW_FOR_EACH_SCALAR(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
