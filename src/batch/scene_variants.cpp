// src/batch/scene_variants.cpp - tables of variants of a model
#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "scene_tables.hpp"

namespace sinew::device {
namespace {

// What may not differ from variant to variant.
template <class R>
auto structure_of(const SceneNode<R>& x) {
  return std::tuple(x.parent, x.q, x.v, x.dof, x.last, x.tree, x.kind, x.flight);
}
template <class R>
auto structure_of(const SceneDof<R>& x) {
  return std::tuple(x.node, x.v, x.spring, x.springs, x.actuator, x.actuators);
}
template <class R>
auto structure_of(const SceneStop<R>& x) {
  return std::tuple(x.dof, x.q, x.of_turn, x.friction > 0);
}
template <class R>
auto structure_of(const SceneSpring<R>& x) {
  return std::tuple(x.q, x.axis);
}
template <class R>
auto structure_of(const SceneActuator<R>& x) {
  return std::tuple(x.q, x.control);
}
template <class R>
auto structure_of(const SceneShape<R>& x) {
  return std::tuple(x.node, x.kind, x.hull, x.surface);
}
template <class R>
auto structure_of(const ScenePair<R>& x) {
  return std::tuple(x.a, x.b);
}

}  // namespace

template <class R>
void append_variant(SceneTables<R>& t, const SceneTables<R>& variant) {
  const auto append = [&]<class T>(std::vector<T>& to, const std::vector<T>& from, int count, const char* what) {
    bool same = from.size() == at(count);
    for (std::size_t i = 0; i < from.size() && same; ++i) same = structure_of(from[i]) == structure_of(to[i]);
    if (!same)
      throw std::invalid_argument(
          "DeviceSimulation: there are " + std::to_string(from.size()) + " " + what + ", not the " +
          std::to_string(count) +
          " of the model in the same places; variants may have other inertias, placements, sizes, friction, gains, "
          "limits and gravity, but bodies, joints, actuators and pairs of shapes must be the same");
    to.insert(to.end(), from.begin(), from.end());
  };
  const Scene<R>& s = t.scene;
  append(t.node, variant.node, s.nodes, "bodies with joints"), append(t.dof, variant.dof, s.dofs, "freedoms");
  append(t.stop, variant.stop, s.stops, "stops and frictions of joints");
  append(t.spring, variant.spring, s.springs, "springs and dampers");
  append(t.actuator, variant.actuator, s.actuators, "actuators");
  append(t.shape, variant.shape, s.shapes, "shapes"), append(t.pair, variant.pair, s.pairs, "pairs of shapes");
  const auto is_same = [](const Vec3<double>& a, const Vec3<double>& b) { return a == b; };
  if (t.hull_index != variant.hull_index || !std::ranges::equal(t.hull_vertex, variant.hull_vertex, is_same) ||
      t.surface_order != variant.surface_order ||
      !std::ranges::equal(t.surface_vertex, variant.surface_vertex, is_same))
    throw std::invalid_argument(
        "DeviceSimulation: meshes and heightfields of variants must have the same vertices; scale a body's shapes "
        "by primitives instead, or run the variants in batches of their own");
  t.options.push_back(variant.scene.options);
  ++t.scene.variants;
}

template void append_variant(SceneTables<float>&, const SceneTables<float>&);
template void append_variant(SceneTables<double>&, const SceneTables<double>&);

}  // namespace sinew::device
