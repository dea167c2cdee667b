// tests/generate/traced_model.hpp - models that can be traced
#pragma once
#include "sinew/model/model.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {

// Joints that move by a function of time turn as the state says instead.
inline void free_the_prescribed(std::vector<JointSpec>& joints) {
  for (JointSpec& j : joints) {
    if (j.kind == JointKind::prescribed) j.kind = JointKind::revolute;
    j.law = nullptr;
    free_the_prescribed(j.parts);
  }
}
// A random tree with every kind of joint but that one; users' joints too.
inline ModelSpec traceable_tree(std::uint64_t seed, int bodies) {
  ModelSpec spec = random_tree(seed, {bodies, {}, 0.5});
  free_the_prescribed(spec.joints);
  return spec;
}

// Whether code can be written for this algorithm: derivatives of users' joints are refused.
inline bool can_be_traced(const Model& m, const std::string& algorithm) {
  if (algorithm != "drnea" && algorithm != "daba") return true;
  for (const Node& node : m.nodes())
    if (node.joint.kind == JointKind::user && node.joint.nv() > 0) return false;
  return true;
}

}  // namespace sinew::test
