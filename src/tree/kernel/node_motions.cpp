// src/tree/kernel/node_motions.cpp
#include "sinew/tree/kernel/node_motions.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/joint/armature.hpp"

namespace sinew {
namespace {

// Coordinates of the joint as a force on its moving frame. Their S are unit motions there.
template <class T>
Force<T> to_force(JointKind kind, const T* b) {
  const T o = lit<T>(0);
  if (kind == JointKind::planar) return {{o, o, b[0]}, {b[1], b[2], o}};
  if (kind == JointKind::spherical) return {{b[0], b[1], b[2]}, {o, o, o}};
  return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

// The force of armature at dv/dt = 0 enters as a pair of external forces on the two bodies of the joint. The moving
// frame of a reversed joint is the one on the parent.
template <class T>
void push_back_armature(const Node& n, const double* A, const T* v, const Transform<T>& joint, Force<T>& on_node,
                        Force<T>& on_parent) {
  T b[kMaxJointDofs];
  calc_armature_bias(n.joint.kind, A, v, 0, b);
  const Force<T> f = to_force(n.joint.kind, b);
  if (n.joint.reversed) {
    on_node += apply(joint, f);
    on_parent -= apply_inverse(cast<T>(n.placement), f);
  } else {
    on_node -= f;
    on_parent += apply_inverse(joint * cast<T>(n.placement), f);
  }
}

}  // namespace

template <class T>
NodeMotions<T>::NodeMotions(const Model& m)
    : made_for(m),
      X(m.nodes().size()),
      S(static_cast<std::size_t>(m.nv())),
      v(m.nodes().size()),
      c(m.nodes().size()),
      external(m.nodes().size()) {}

template <class T>
void calc_node_motions(const char* call, const Model& m, NodeMotions<T>& out, In<T> q, In<T> v,
                       const std::type_identity_t<Surroundings<T>>& around) {
  out.made_for.check(call, m);
  check_size(call, "q", q.size(), static_cast<std::size_t>(m.nq()));
  check_size(call, "v", v.size(), static_cast<std::size_t>(m.nv()));
  if (around.external.size() != 0) check_size(call, "external", around.external.size(), m.bodies().size());
  JointMotion<T> joint;
  out.external[0] = {};
  for (std::size_t i = 1; i < out.X.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_joint(n.joint, q.data() + n.q, v.data() + n.v, around.time, joint);
    out.X[i] = joint.X * cast<T>(n.placement);
    out.v[i] = apply(out.X[i], out.v[n.parent]) + joint.v;  // [F08 7.34]
    out.c[i] = joint.c + cross(out.v[i], joint.v);          // [F08 7.35]
    for (int k = 0; k < n.nv; ++k) out.S[n.v + k] = joint.S[k];
    out.external[i] = {};
    const double* A = m.armature().data() + n.v;
    if (has_armature_bias(n.joint.kind, A))
      push_back_armature(n, A, v.data() + n.v, joint.X, out.external[i], out.external[n.parent]);
  }
  for (std::size_t b = 0; b < around.external.size(); ++b) {
    const BodyEntry& body = m.bodies()[b];
    out.external[body.node] += apply_inverse(cast<T>(body.in_node), around.external[b]);
  }
}

#define SINEW_INSTANTIATE(T)                                                                \
  template struct NodeMotions<T>;                                                           \
  template void calc_node_motions(const char*, const Model&, NodeMotions<T>&, In<T>, In<T>, \
                                  const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
