// src/tree/kernel/node_motions.cpp
#include "sinew/tree/kernel/node_motions.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {

template <class T>
NodeMotions<T>::NodeMotions(const Model& m)
    : X(m.nodes().size()),
      S(static_cast<std::size_t>(m.nv())),
      v(m.nodes().size()),
      c(m.nodes().size()),
      external(m.nodes().size()) {}

template <class T>
void calc_node_motions(const char* call, const Model& m, NodeMotions<T>& out, In<T> q, In<T> v,
                       const std::type_identity_t<Surroundings<T>>& around) {
  check_size(call, "the workspace", out.X.size(), m.nodes().size());
  check_size(call, "q", q.size(), static_cast<std::size_t>(m.nq()));
  check_size(call, "v", v.size(), static_cast<std::size_t>(m.nv()));
  if (around.external.size() != 0) check_size(call, "external", around.external.size(), m.bodies().size());
  JointMotion<T> joint;
  for (std::size_t i = 1; i < out.X.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_joint(n.joint, q.data() + n.q, v.data() + n.v, around.time, joint);
    out.X[i] = joint.X * cast<T>(n.placement);
    out.v[i] = apply(out.X[i], out.v[n.parent]) + joint.v;  // [F08 7.34]
    out.c[i] = joint.c + cross(out.v[i], joint.v);          // [F08 7.35]
    for (int k = 0; k < n.nv; ++k) out.S[n.v + k] = joint.S[k];
    out.external[i] = {};
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
