// sinew/batch/kernel/device_scene.hpp - a model and its options as the steps on a device read them
// Plain tables, made by src/batch/scene_tables.cpp. Worlds may have variants of the model: tables with other numbers in
// the same places, one set after the other; scene_of has those of a world. R: float or double.
// Freedoms are numbered in the order of the nodes, so that those below freedom k are k + 1 .. end - 1. A freedom's
// ancestors are the freedoms that move it: the one before it in its joint, or the last of the joints above.
#pragma once
#include <cstdint>
#include <limits>

#include "sinew/contact/kernel/hull.hpp"
#include "sinew/contact/kernel/surface.hpp"
#include "sinew/joint/joint.hpp"
#include "sinew/model/shape_spec.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew::device {

// Constants, since a device does not call functions of the standard library for them.
template <class R>
struct Numbers {
  static constexpr bool kSingle = sizeof(R) == 4;
  static constexpr R kInfinity = std::numeric_limits<R>::infinity(), kLargest = std::numeric_limits<R>::max(),
                     kSmallest = std::numeric_limits<R>::min(), kEpsilon = std::numeric_limits<R>::epsilon();
};

// How the velocity of a joint that turns its own axes goes on (sim/free_flight.hpp).
enum class Flight : std::uint8_t { none, root_free, root_planar, single_free, single_planar, single_spherical };

template <class R>
struct SceneNode {
  int parent = 0;
  int q = 0, v = 0, nq = 0, nv = 0;
  int dof = 0;    // its first freedom
  int last = -1;  // the last freedom that moves it; -1: none does
  int tree = 0;   // its root, counted from 0
  JointKind kind = JointKind::fixed;
  Flight flight = Flight::none;
  R parameter{};
  Transform<R> placement;   // F_p <- parent
  RigidInertia<R> inertia;  // about the node's origin
  // A single body: inertia about the centre of mass (spherical: the origin), the centre, gravity in the parent's axes.
  Sym3<R> I;
  Vec3<R> centre, gravity;
};

template <class R>
struct SceneDof {
  int node = 0, v = 0;
  int depth = 0;   // how many freedoms move it
  int row = 0;     // its entries of M: row .. row + depth, those with its ancestors from the base on, then the diagonal
  int end = 0;     // after the last freedom below it
  int update = 0;  // its updates while M is factored: update .. update + updates()
  R armature{};    // of the model and of the drives, dt D + dt^2 K
  R max_effort{};  // of actuators
  bool weightless = false;  // moves no inertia but that of its drives, which it keeps at their limits
  int spring = 0, springs = 0, actuator = 0, actuators = 0;  // first of those that act on it, and how many
  SINEW_HD int updates() const { return depth * (depth + 1) / 2 + depth; }
};

// x[to] -= x[a] / D x[b], of the numbers M, then a right-hand side.
struct alignas(8) SceneUpdate {
  std::uint16_t to = 0, a = 0, b = 0;
};

// A stop, or dry friction of a coordinate.
template <class R>
struct SceneStop {
  int dof = 0, q = 0;    // of_turn: the first freedom of the joint, and its quaternion
  R place{}, sign{};     // gap = sign (q - place)
  R friction{};          // [N s or N m s] in a step; above 0: friction in place of a stop
  bool of_turn = false;  // of a spherical joint: gap = place - angle
};

template <class R>
struct SceneSpring {
  int q = 0;
  int axis = -1;  // of the rotation whose quaternion is at q; -1: q is a plain coordinate
  R stiffness{}, damping{}, rest{};
  R stiffness_terms[2]{}, damping_terms[2]{};
};

// force = gain . (1, length, speed) control + bias . (1, length, speed), on one coordinate.
template <class R>
struct SceneActuator {
  int q = 0, control = 0;
  R gear{}, gain[3]{}, bias[3]{};
  R control_lower{}, control_upper{}, force_lower{}, force_upper{};
  R stiffness{}, damping{};  // taken at the end of the step
  R armature{};              // its share of that of the freedom
};

template <class R>
struct SceneShape {
  int node = 0;
  ShapeKind kind = ShapeKind::sphere;
  R size[3]{};
  R bound{};   // radius of the ball about its origin that holds it
  R extent{};  // and about the node's origin
  int hull = -1, surface = -1;
  Transform<R> in_node;
};

// The convex hull of a mesh: where its tables begin in those of all hulls (contact::HullView). Always in double.
inline constexpr int kMostHullCorners = 16;  // of a face
struct SceneHull {
  int vertex = 0, vertices = 0, face = 0;
  int index = 0, corners = 0;  // of each corner: its vertex, its edge, a neighbour, a face around; then `start`
  double extent = 0;
};

// A surface of triangles: where its tables begin in those of all surfaces (contact::SurfaceView). In double.
struct SceneSurface {
  int vertex = 0, facet = 0, node = 0;
};

// Two shapes that may touch, in the order of their collider.
template <class R>
struct ScenePair {
  int a = 0, b = 0;
  R friction{}, margin{};
};

template <class R>
struct SceneOptions {
  R dt{}, recovery{}, recovery_speed{}, overlap{};
  R tolerance{};  // of the certificate
  Vec3<R> gravity;
  R gravity_norm{};
};

// Pointers into tables.
template <class R>
struct Scene {
  int nq = 0, nv = 0, nodes = 0, dofs = 0, trees = 0, levels = 0, entries = 0, stops = 0, springs = 0, actuators = 0,
      controls = 0, shapes = 0, pairs = 0;
  int contacts = 0, rows = 0;  // room per world
  int room = 0;                // rows of a friction problem that the memory of a phase has room for
  bool large = false;          // they are more than the near memory holds: a block of warps, device_large.hpp
  // Of the number of a corner, edge or face in the key of a contact: of the first shape of a pair, and of the second.
  // The number on a surface of many triangles keeps its last bits: where two contacts have one key, one begins with the
  // other's impulse.
  int feature_bits = 0, other_bits = 0;
  bool limits = false;    // forces of actuators that change within a step have limits
  bool wide = false;      // some pairs are not in closed form, or have cylinders or ellipsoids: device_convex.hpp
  bool surfaces = false;  // some pairs have a surface: device_surface.hpp
  SceneOptions<R> options;
  int variants = 1;
  const int* variant = nullptr;  // (worlds) the variant of each world; null where there is only one
  // Of each variant:
  const SceneOptions<R>* options_of = nullptr;
  const SceneNode<R>* node = nullptr;  // node 0: the world
  const SceneDof<R>* dof = nullptr;
  const SceneStop<R>* stop = nullptr;
  const SceneSpring<R>* spring = nullptr;
  const SceneActuator<R>* actuator = nullptr;  // by the freedom they act on, as springs are
  const SceneShape<R>* shape = nullptr;
  const ScenePair<R>* pair = nullptr;
  // Of all:
  const SceneHull* hull = nullptr;
  const Vec3<double>* hull_vertex = nullptr;
  const contact::HullFace* hull_face = nullptr;
  const int* hull_index = nullptr;
  const SceneSurface* surface = nullptr;
  const Vec3<double>* surface_vertex = nullptr;
  const contact::SurfaceFacet* surface_facet = nullptr;
  const contact::SurfaceNode* surface_node = nullptr;
  const int* surface_order = nullptr;  // of facets
  const int* level = nullptr;          // (levels + 1) where each level of level_node begins
  const int* level_node = nullptr;     // (nodes - 1) by depth
  const int* entry_dof = nullptr;      // (entries) of M: a freedom,
  const int* entry_above = nullptr;    // and the ancestor, or itself
  const SceneUpdate* update = nullptr;
};

template <class R>
SINEW_HD Scene<R> scene_of(const Scene<R>& s, std::size_t world) {
  Scene<R> out = s;
  if (s.variants == 1) return out;
  const int k = s.variant[world];
  out.options = s.options_of[k];
  out.node += k * s.nodes, out.dof += k * s.dofs, out.stop += k * s.stops, out.spring += k * s.springs;
  out.actuator += k * s.actuators, out.shape += k * s.shapes, out.pair += k * s.pairs;
  return out;
}

}  // namespace sinew::device
