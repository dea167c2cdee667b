// src/model/parts.cpp
#include "sinew/model/parts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sinew {
namespace {

// The tree of every node, counted from 0; -1 for the world.
std::vector<int> find_trees(const Model& m, int& trees) {
  std::vector<int> tree(m.nodes().size(), -1);
  trees = 0;
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const int parent = m.nodes()[i].parent;
    tree[i] = parent == 0 ? trees++ : tree[parent];
  }
  return tree;
}

// The parts of a spec that are needed to step one tree of it.
ModelSpec make_tree_spec(const Model& m, const std::vector<int>& bodies, const std::vector<int>& joints) {
  const ModelSpec& whole = m.spec();
  ModelSpec spec;
  spec.name = whole.name, spec.world = whole.world, spec.gravity = whole.gravity, spec.timestep = whole.timestep;
  for (const int b : bodies) spec.bodies.push_back(whole.bodies[b - 1]);
  for (const int j : joints) spec.joints.push_back(whole.joints[j]);
  return spec;
}

}  // namespace

std::vector<ModelPart> split_trees(const Model& m) {
  int trees = 0;
  const std::vector<int> tree = find_trees(m, trees);
  std::vector<ModelPart> parts;
  if (trees < 2) return parts;
  std::vector<std::vector<int>> bodies(at(trees)), joints(at(trees));
  for (int b = 1; b < static_cast<int>(m.bodies().size()); ++b) {
    const BodyEntry& body = m.bodies()[b];
    if (body.node == 0) continue;
    const auto t = at(tree[body.node]);
    // Bodies that are welded to the world come along where something hangs on them.
    for (int p = body.parent; p > 0 && m.bodies()[p].node == 0; p = m.bodies()[p].parent) {
      if (std::find(bodies[t].begin(), bodies[t].end(), p) != bodies[t].end()) break;
      bodies[t].push_back(p);
    }
    bodies[t].push_back(b);
  }
  for (std::size_t t = 0; t < bodies.size(); ++t) std::sort(bodies[t].begin(), bodies[t].end());
  std::vector<std::vector<int>> trees_of(m.bodies().size());
  for (std::size_t t = 0; t < bodies.size(); ++t)
    for (const int b : bodies[t]) trees_of[b].push_back(static_cast<int>(t));
  for (int j = 0; j < static_cast<int>(m.joints().size()); ++j)
    for (const int t : trees_of[m.joints()[j].child]) joints[t].push_back(j);

  int first = 1;
  for (std::size_t t = 0; t < bodies.size(); ++t) {
    ModelPart part{compile(make_tree_spec(m, bodies[t], joints[t])).value(), first - 1, {}, {}};
    for (const int j : joints[t]) {
      const JointEntry& e = m.joints()[j];
      for (int k = 0; k < e.nq; ++k) part.q.push_back(e.q + k);
      for (int k = 0; k < e.nv; ++k) part.v.push_back(e.v + k);
    }
    const auto nodes = part.model.nodes();
    for (std::size_t i = 1; i < nodes.size(); ++i, ++first) {
      const Node& whole = m.nodes()[first];
      const int parent = nodes[i].parent == 0 ? 0 : nodes[i].parent + part.shift;
      if (whole.parent != parent || whole.nv != nodes[i].nv || tree[first] != static_cast<int>(t))
        throw std::logic_error("split_trees: the nodes of tree " + std::to_string(t) + " are not consecutive");
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sinew
