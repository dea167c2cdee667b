// src/tree/hybrid_split.cpp
#include "sinew/tree/hybrid.hpp"

namespace sinew {
HybridSplit::HybridSplit(const Model& m, VectorView<const int> given)
    : made_for_(m), given_(at(m.nv()), 0), moved_(m.nodes().size(), 0), node_(at(m.nv()), 0) {
  for (const int v : given) {
    if (v < 0 || v >= m.nv())
      throw std::invalid_argument("HybridSplit: model '" + m.name() + "' has no velocity coordinate " +
                                  std::to_string(v) + " (it has " + std::to_string(m.nv()) + ", counted from 0)");
    given_[v] = 1;
  }
  // lambda': the node that a coordinate hangs on is merged with its parent where nothing is free to move between
  std::vector<int> parent, velocity, last(m.nodes().size(), -1);
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    last[i] = last[n.parent];
    for (int v = n.v; v < n.v + n.nv; ++v) {
      node_[v] = static_cast<int>(i);
      if (given_[v]) continue;
      parent.push_back(last[i]);
      velocity.push_back(v);
      last[i] = static_cast<int>(parent.size()) - 1;
    }
    moved_[i] = last[i] >= 0;  // [F08 9.5]
  }
  forward_ = DofTree(std::move(parent), std::move(velocity));
}

HybridSplit HybridSplit::of_joints(const Model& m, const std::vector<std::string_view>& names) {
  std::vector<int> given;
  for (const std::string_view name : names) {
    const JointEntry* j = m.find_joint(name);
    if (j == nullptr)
      throw std::invalid_argument("HybridSplit: model '" + m.name() + "' has no joint '" + std::string(name) + "'");
    for (int k = 0; k < j->nv; ++k) given.push_back(j->v + k);
  }
  return {m, given};
}

}  // namespace sinew
