// src/model/moved_inertia.cpp
#include "sinew/model/moved_inertia.hpp"

#include "sinew/joint/joint.hpp"

namespace sinew {

std::vector<double> calc_moved_inertia(const Model& m) {
  std::vector<double> out(at(m.nv()));
  std::vector<RigidInertia<double>> Ic;
  Ic.reserve(m.nodes().size());
  for (const Node& n : m.nodes()) Ic.push_back(n.inertia);
  const double rest[kMaxJointDofs] = {};
  for (std::size_t i = m.nodes().size() - 1; i > 0; --i) {
    const Node& n = m.nodes()[i];
    JointMotion<double> motion;
    calc_joint(n.joint, m.neutral().data() + n.q, rest, 0.0, motion);
    for (int k = 0; k < n.nv; ++k)
      out[at(n.v + k)] = dot(motion.S[k], Ic[i] * motion.S[k]) + m.dofs()[at(n.v + k)].armature;
    Ic[at(n.parent)] = Ic[at(n.parent)] + apply_inverse(motion.X * n.placement, Ic[i]);
  }
  return out;
}

}  // namespace sinew
