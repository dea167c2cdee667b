// src/constraint/rank/clusters.cpp
#include "sinew/constraint/rank/clusters.hpp"

#include <algorithm>
#include <set>

#include "constraint/checks.hpp"
#include "constraint/rows/constraint_entry.hpp"

namespace sinew {
namespace {

using Nodes = std::set<int>;

// The nodes between a and b, the one where the paths meet left out.
void add_path(const Model& m, int a, int b, Nodes& out) {
  while (a != b) {
    int& below = a > b ? a : b;
    out.insert(below);
    below = m.nodes()[below].parent;
  }
}

Nodes nodes_on_path(const Model& m, const ConstraintSet& set, int constraint) {
  Nodes out;
  const ConstraintEntry& c = set.entries()[constraint];
  const auto between = [&](const FramePair& f) { add_path(m, f.node_a, f.node_b, out); };
  if (const auto* loop = std::get_if<LoopRows>(&c.kind)) between(loop->frames);
  if (const auto* mask = std::get_if<MaskRows>(&c.kind)) between(mask->frames);
  if (const auto* rolling = std::get_if<RollingRows>(&c.kind)) between(rolling->frames);
  if (const auto* gear = std::get_if<CouplingRows>(&c.kind)) {
    out.insert(gear->node);
    for (const auto& term : gear->terms) out.insert(term.node);
  }
  if (std::holds_alternative<CustomRows>(c.kind) || std::holds_alternative<TendonRows>(c.kind))
    for (int e = c.entry; e < c.entry + c.entries; ++e) add_path(m, set.problem().entries()[e].node, 0, out);
  return out;
}

// A cluster is identified by its first constraint.
int root_of(std::vector<int>& first, int c) {
  while (first[c] != c) c = first[c] = first[first[c]];
  return c;
}

void make_ascending(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

std::vector<int> find_coordinates(const Model& m, const ConstraintSet& set, int constraint) {
  check_set("find_coordinates", m, set);
  check_index("find_coordinates", "constraint", constraint, at(set.constraints()));
  std::vector<int> out;
  for (const int i : nodes_on_path(m, set, constraint)) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) out.push_back(k);
  }
  make_ascending(out);
  return out;
}

std::vector<LoopCluster> find_clusters(const Model& m, const ConstraintSet& set) {
  check_set("find_clusters", m, set);
  std::vector<int> first, owner(at(m.nv()), -1), joint_of(m.nodes().size(), -1);
  for (std::size_t j = 0; j < m.joints().size(); ++j)
    for (const int i : m.joints()[j].nodes) joint_of[i] = static_cast<int>(j);

  // Two constraints that share a coordinate belong to one cluster.
  for (int c = 0; c < set.constraints(); ++c) {
    first.push_back(c);
    for (const int k : find_coordinates(m, set, c)) {
      if (owner[k] >= 0) {
        const int a = root_of(first, owner[k]), b = root_of(first, c);
        first[std::max(a, b)] = std::min(a, b);
      }
      owner[k] = c;
    }
  }

  std::vector<LoopCluster> out;
  std::vector<int> place(first.size(), -1);
  for (int c = 0; c < set.constraints(); ++c) {
    const int root = root_of(first, c);
    if (root == c) {
      place[c] = static_cast<int>(out.size());
      out.emplace_back();
    }
    LoopCluster& cluster = out[place[root]];
    const ConstraintEntry& entry = set.entries()[c];
    cluster.constraints.push_back(c);
    for (int r = entry.row; r < entry.row + entry.rows(); ++r) cluster.rows.push_back(r);
    for (const int i : nodes_on_path(m, set, c)) cluster.joints.push_back(joint_of[i]);
    const std::vector<int> coordinates = find_coordinates(m, set, c);
    cluster.coordinates.insert(cluster.coordinates.end(), coordinates.begin(), coordinates.end());
  }
  for (LoopCluster& c : out) make_ascending(c.joints), make_ascending(c.coordinates);
  return out;
}

}  // namespace sinew
