// tests/generate/traced_model.hpp - models that can be traced
#pragma once
#include "sinew/model/model.hpp"
#include "sinew/sim/free_flight.hpp"
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

// Whether code can be written for this algorithm: derivatives and steps of users' joints are refused, and steps of
// bodies that fly alone.
inline bool can_be_traced(const Model& m, const std::string& algorithm) {
  const bool step = algorithm == "step";
  if (!step && algorithm != "drnea" && algorithm != "daba") return true;
  const FreeFlight flight(m);
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i) {
    const Joint& joint = m.nodes()[at(i)].joint;
    if (joint.kind == JointKind::user && (step || joint.nv() > 0)) return false;
    if (step && flight.is_single(i)) return false;
  }
  return true;
}

// How the algorithm is asked for: those of frames with the first and the last body that move; empty: none does.
inline std::string ask_for(const Model& m, const std::string& algorithm) {
  if (algorithm != "delassus") return algorithm;
  std::vector<std::string> moving;
  for (const BodyEntry& b : m.bodies())
    if (b.node != 0) moving.push_back(b.name);
  if (moving.empty()) return {};
  return algorithm + ":" + moving.front() + (moving.size() > 1 ? "," + moving.back() : "");
}

}  // namespace sinew::test
