// src/tree/floating_base.cpp
#include "sinew/tree/floating_base.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {
namespace {

FloatingBase require_floating_base(const Model& m) {
  if (std::optional<FloatingBase> base = find_floating_base(m)) return *std::move(base);
  throw std::invalid_argument(
      "FloatingBaseWorkspace: model '" + m.name() +
      "' has no floating base (it needs one body on the world, by a free joint, not reversed, without armature)");
}

}  // namespace

#if SINEW_FIRST_PASS
std::optional<FloatingBase> find_floating_base(const Model& m) {
  const auto roots = m.topology().children(0);
  if (roots.size() != 1) return std::nullopt;
  const Node& n = m.nodes()[roots[0]];
  if (n.joint.kind != JointKind::free || n.joint.reversed) return std::nullopt;
  FloatingBase base{.node = roots[0], .v = n.v, .joints = {}};
  for (int v = 0; v < m.nv(); ++v) {
    const bool joint = v < n.v || v >= n.v + 6;
    if (joint) base.joints.push_back(v);
    if (!joint && m.dofs()[v].armature != 0) return std::nullopt;
  }
  return base;
}
#endif

template <class T>
FloatingBaseWorkspace<T>::FloatingBaseWorkspace(const Model& m)
    : base(require_floating_base(m)),
      motions(m),
      IA(m.nodes().size()),
      steps(at(m.nv())),
      Ic(m.nodes().size()),
      p(m.nodes().size()),
      a(m.nodes().size()),
      packed(m.dof_tree().packed_size()),
      x(at(m.nv())) {}

#define SINEW_INSTANTIATE(T) template struct FloatingBaseWorkspace<T>;
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
