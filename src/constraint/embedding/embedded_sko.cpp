// src/constraint/embedding/embedded_sko.cpp
#include "sinew/constraint/embedding/embedded_sko.hpp"

#include <algorithm>
#include <stdexcept>

#include "operators/stacking.hpp"

namespace sinew {
namespace {

std::vector<sko::NodeGroup> make_node_groups(const Model& m, const EmbeddingWorkspace& ws) {
  ws.rows.motion.kinematics.made_for.check("EmbeddedSko", m);
  if (!ws.chosen)
    throw std::invalid_argument("EmbeddedSko: the workspace has no coordinates yet; call prepare_embedding first");
  std::vector<sko::NodeGroup> out;
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    out.push_back({"group " + std::to_string(g + 1), {}});
    for (const int i : ws.loops.groups[g].nodes) out.back().nodes.push_back(i - 1);  // the world is no node
  }
  return out;
}

// The tree of the groups, with the freedoms that loops leave. Groups are its first nodes.
sko::Shape make_reduced_shape(const sko::Shape& s, const EmbeddingWorkspace& ws) {
  std::vector<sko::NodeSize> nodes;
  std::vector<sko::Edge> edges;
  for (int k = 0; k < s.nodes(); ++k) {
    const bool is_group = at(k) < ws.maps.size();
    nodes.push_back(
        {s.name(k), s.size(k), is_group ? static_cast<int>(ws.maps[at(k)].independent.size()) : s.freedoms(k)});
    edges.push_back({s.parent(k), k});
  }
  return sko::Shape(std::move(nodes), edges);
}

}  // namespace

EmbeddedSko::EmbeddedSko(const Model& m, const EmbeddingWorkspace& ws)
    : rigid_(m), groups_(rigid_.sko, make_node_groups(m, ws)), sko(make_reduced_shape(groups_.sko.shape(), ws)) {}

void EmbeddedSko::update(const EmbeddingWorkspace& ws, In<double> q, In<double> v, const Surroundings<double>& around) {
  const Model& m = rigid_.model();
  ws.rows.motion.kinematics.made_for.check("EmbeddedSko", m);
  rigid_.update(q, v, around);
  groups_.update();
  const sko::SkoModel<double>& all = groups_.sko;
  const sko::Shape &wide = all.shape(), &s = sko.shape();
  check_size("EmbeddedSko", "y", ws.independent.size(), at(s.freedoms()));
  for (int k = 0; k < s.nodes(); ++k) {
    const int size = s.size(k);
    std::copy_n(all.A()[k], all.A().rows(k) * size, sko.A(k));
    std::copy_n(all.M()[k], size * size, sko.M(k));
    std::copy_n(all.a().data() + s.begin(k), size, sko.a(k));
    std::copy_n(all.b().data() + s.begin(k), size, sko.b(k));
    std::fill_n(sko.H(k), s.freedoms(k) * size, 0.0);
  }
  // Adds row `to` of H^* x at node k, for velocities x of the tree.
  const auto add = [&](int k, const std::vector<double>& x, double* to) {
    for (int d = 0; d < wide.freedoms(k); ++d)
      for (int i = 0; i < s.size(k); ++i) to[i] += x[at(wide.freedom_begin(k) + d)] * all.H()[k][d * s.size(k) + i];
  };
  const auto in_order = [&](In<double> x) { return groups_.freedoms.to_new(rigid_.stack(x)); };
  const std::vector<double> bias = in_order(ws.g);
  for (int k = 0; k < s.nodes(); ++k) add(k, bias, sko.a(k));
  const std::vector<int> order = find_order(ws);
  std::vector<double> y(order.size()), x(at(m.nv()));
  for (int k = 0; k < s.nodes(); ++k)
    for (int j = 0; j < s.freedoms(k); ++j) {
      std::fill(y.begin(), y.end(), 0.0);
      y[at(order[at(s.freedom_begin(k) + j)])] = 1;
      expand_velocities(m, ws, y, x);
      add(k, in_order(x), sko.H(k) + j * s.size(k));
    }
}

std::vector<int> EmbeddedSko::find_order(const EmbeddingWorkspace& ws) const {
  const Model& m = rigid_.model();
  ws.rows.motion.kinematics.made_for.check("EmbeddedSko", m);
  std::vector<int> out;
  for (const EmbeddedMap& map : ws.maps)
    for (const int k : map.independent) out.push_back(ws.place_in_y[at(k)]);
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    for (int k = 0; k < m.nodes()[i].nv && ws.group_of[i] < 0; ++k)
      out.push_back(ws.place_in_y[at(m.nodes()[i].v + k)]);
  return out;
}
std::vector<double> EmbeddedSko::stack(const EmbeddingWorkspace& ws, In<double> y) const {
  return sko::stack_in_order("EmbeddedSko", y, find_order(ws));
}
std::vector<double> EmbeddedSko::unstack(const EmbeddingWorkspace& ws, In<double> by_node) const {
  return sko::unstack_in_order("EmbeddedSko", by_node, find_order(ws));
}

}  // namespace sinew
