// src/constraint/embedding/groups.cpp
#include "sinew/constraint/embedding/groups.hpp"

#include <algorithm>

#include "constraint/checks.hpp"
#include "sinew/constraint/rank/clusters.hpp"

namespace sinew {
namespace {

// The node that is above or equal to both.
int find_meeting_node(const Model& m, int a, int b) {
  while (a != b) {
    int& below = a > b ? a : b;
    below = m.nodes()[at(below)].parent;
  }
  return a;
}

// Adds the nodes between those of the group, and finds what they hang on.
void complete(const Model& m, EmbeddedGroup& g) {
  g.parent = m.nodes()[at(g.nodes.front())].parent;
  for (const int i : g.nodes) g.parent = find_meeting_node(m, g.parent, m.nodes()[at(i)].parent);
  std::vector<int> all;
  for (int i : g.nodes)
    for (; i != g.parent; i = m.nodes()[at(i)].parent) all.push_back(i);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  g.nodes = std::move(all);
}

}  // namespace

std::vector<EmbeddedGroup> find_groups(const Model& m, const ConstraintSet& set) {
  check_set("find_groups", m, set);
  std::vector<int> node_of(at(m.nv()));
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    for (int k = 0; k < m.nodes()[i].nv; ++k) node_of[at(m.nodes()[i].v + k)] = static_cast<int>(i);

  std::vector<EmbeddedGroup> groups;
  for (const LoopCluster& c : find_clusters(m, set)) {
    if (c.coordinates.empty()) continue;
    EmbeddedGroup g;
    for (const int k : c.coordinates) g.nodes.push_back(node_of[at(k)]);
    g.constraints = c.constraints;
    groups.push_back(std::move(g));
  }
  // Groups that share a node become one, which may then reach further nodes.
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int> owner(m.nodes().size(), -1);
    for (std::size_t g = 0; g < groups.size() && !changed; ++g) {
      complete(m, groups[g]);
      for (const int i : groups[g].nodes) {
        int& o = owner[at(i)];
        if (o >= 0 && o != static_cast<int>(g)) {
          EmbeddedGroup& into = groups[at(o)];
          const EmbeddedGroup& from = groups[g];
          into.nodes.insert(into.nodes.end(), from.nodes.begin(), from.nodes.end());
          into.constraints.insert(into.constraints.end(), from.constraints.begin(), from.constraints.end());
          groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
          changed = true;
          break;
        }
        o = static_cast<int>(g);
      }
    }
  }
  for (EmbeddedGroup& g : groups) {
    std::sort(g.constraints.begin(), g.constraints.end());
    for (const int i : g.nodes)
      for (int k = 0; k < m.nodes()[at(i)].nv; ++k) g.coordinates.push_back(m.nodes()[at(i)].v + k);
    std::sort(g.coordinates.begin(), g.coordinates.end());
  }
  std::sort(groups.begin(), groups.end(),
            [](const EmbeddedGroup& a, const EmbeddedGroup& b) { return a.nodes.front() < b.nodes.front(); });
  return groups;
}

}  // namespace sinew
