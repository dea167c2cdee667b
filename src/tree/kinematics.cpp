// src/tree/kinematics.cpp
#include "sinew/tree/kinematics.hpp"

#include "base/traced_pass.hpp"
#include "driver.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"

namespace sinew {

template <class T>
KinematicsWorkspace<T>::KinematicsWorkspace(const Model& m)
    : made_for(m), X(node_count(m)), turns(node_count(m)), angles(padded_nodes(m)) {}

template <class T>
void calc_kinematics(const Model& m, KinematicsWorkspace<T>& ws, In<T> q, double time) {
  ws.made_for.check("calc_kinematics", m);
  check_positions("calc_kinematics", m, q.size());
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  calc_turns(links.data(), n, q.data(), ws.angles.data(), ws.turns.data());
  kinematics_sweep<T>(links.data(), n, ws.turns.data(), ws.X.data(), ShiftOf<T>{q.data()}, [&](int i, const auto& l) {
    const T rest[kMaxJointDofs] = {};
    JointMotion<T> joint;
    calc_joint(m.nodes()[i].joint, q.data() + l.q, rest, time, joint);
    return joint.X * cast<T>(l.placement);
  });
}

#define SINEW_INSTANTIATE(T)              \
  template struct KinematicsWorkspace<T>; \
  template void calc_kinematics(const Model&, KinematicsWorkspace<T>&, In<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
