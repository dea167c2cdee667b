// src/batch/scene_tables.hpp - the tables of a device::Scene, made from a model
#pragma once
#include <string>
#include <vector>

#include "sinew/batch/device_simulation.hpp"
#include "sinew/batch/kernel/device_scene.hpp"
#include "sinew/contact/contact_shapes.hpp"

namespace sinew::device {

template <class R>
struct SceneTables {
  // Of each variant, one after the other:
  std::vector<SceneOptions<R>> options;
  std::vector<SceneNode<R>> node;
  std::vector<SceneDof<R>> dof;
  std::vector<SceneStop<R>> stop;
  std::vector<SceneSpring<R>> spring;
  std::vector<SceneActuator<R>> actuator;
  std::vector<SceneShape<R>> shape;
  std::vector<ScenePair<R>> pair;
  // Of all:
  std::vector<SceneHull> hull;
  std::vector<Vec3<double>> hull_vertex;
  std::vector<contact::HullFace> hull_face;
  std::vector<int> hull_index;
  std::vector<SceneSurface> surface;
  std::vector<Vec3<double>> surface_vertex;
  std::vector<contact::SurfaceFacet> surface_facet;
  std::vector<contact::SurfaceNode> surface_node;
  std::vector<int> surface_order;
  std::vector<int> level, level_node, entry_dof, entry_above;
  std::vector<int> shape_body;  // not of the scene: of each shape, for observations
  std::vector<SceneUpdate> update;
  Scene<R> scene;  // sizes and options; its pointers are not set

  // visit(table, pointer of the scene to it) for all tables.
  template <class Visit>
  void for_each(Visit&& visit) {
    visit(options, scene.options_of), visit(node, scene.node), visit(dof, scene.dof), visit(stop, scene.stop),
        visit(spring, scene.spring);
    visit(actuator, scene.actuator), visit(shape, scene.shape), visit(pair, scene.pair), visit(level, scene.level);
    visit(level_node, scene.level_node), visit(entry_dof, scene.entry_dof), visit(entry_above, scene.entry_above);
    visit(update, scene.update), visit(hull, scene.hull), visit(hull_vertex, scene.hull_vertex);
    visit(hull_face, scene.hull_face), visit(hull_index, scene.hull_index), visit(surface, scene.surface);
    visit(surface_vertex, scene.surface_vertex), visit(surface_facet, scene.surface_facet);
    visit(surface_node, scene.surface_node), visit(surface_order, scene.surface_order);
  }
};

// Throws std::invalid_argument naming what cannot run on a device. Completes the options.
template <class R>
SceneTables<R> make_scene_tables(const Model&, DeviceSimulationOptions&);
// The shapes and pairs among them.
template <class R>
void add_shapes(const Model&, const ContactShapes&, SceneTables<R>&);
[[noreturn]] void refuse_on_device(const std::string& what);  // std::invalid_argument
// Puts the tables of a variant behind those of the others. Throws std::invalid_argument naming what is not in its
// place, where it is not the same model with other numbers.
template <class R>
void append_variant(SceneTables<R>&, const SceneTables<R>& variant);

}  // namespace sinew::device
