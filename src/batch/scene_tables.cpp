// src/batch/scene_tables.cpp
#include "scene_tables.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/batch/kernel/device_workspace.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/model/moved_inertia.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/free_flight.hpp"

namespace sinew::device {

void refuse_on_device(const std::string& what) {
  throw std::invalid_argument("DeviceSimulation: " + what + "; such a model runs in SimulationBatch");
}

namespace {

// What a step on a device does not do.
void check_model(const Model& m, const ContactShapes& shapes) {
  if (!m.loops().empty()) refuse_on_device("the loop '" + m.loops()[0].name + "' cannot run on a device");
  if (!m.couplings().empty()) refuse_on_device("the coupling '" + m.couplings()[0].name + "' cannot run on a device");
  if (!m.tendons().empty()) refuse_on_device("the tendon '" + m.tendons()[0].name + "' cannot run on a device");
  if (const MediumSpec& medium = m.spec().medium; medium.density != 0 || medium.viscosity != 0)
    refuse_on_device("the forces of a medium are not calculated on a device");
  for (const BodySpec& b : m.spec().bodies)
    if (b.gravity_compensation != 0)
      refuse_on_device("the gravity compensation of body '" + b.name + "' cannot run on a device");
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const std::string kind(to_string(n.joint.kind));
    if (n.joint.reversed || n.joint.kind == JointKind::prescribed || n.joint.kind == JointKind::user)
      refuse_on_device("a " + std::string(n.joint.reversed ? "reversed " : "") + kind +
                       " joint cannot run on a device: use primitive joints, not reversed");
    if (n.nv > 0 && has_armature_bias(n.joint.kind, m.armature().data() + n.v))
      refuse_on_device("a " + kind + " joint has an armature that is not the same about all axes, or along some");
  }
  if (const std::string name = shapes.find_spin_friction(); !name.empty())
    refuse_on_device("the torsional or rolling friction of " + name + " cannot run on a device");
}

template <class R>
void add_nodes(const Model& m, SceneTables<R>& t) {
  const FreeFlight flight(m);
  const int count = static_cast<int>(m.nodes().size());
  std::vector<int> depth(at(count), 0);
  int trees = 0, deepest = 0;
  for (int i = 0; i < count; ++i) {
    const Node& from = m.nodes()[at(i)];
    SceneNode<R> n;
    n.parent = std::max(0, from.parent), n.kind = from.joint.kind;
    n.parameter = static_cast<R>(from.joint.parameter);
    n.q = from.q, n.v = from.v, n.nq = from.nq, n.nv = from.nv, n.dof = static_cast<int>(t.dof.size());
    n.placement = cast<R>(from.placement), n.inertia = cast<R>(from.inertia);
    n.last = i == 0 ? -1 : t.node[at(n.parent)].last;
    if (i > 0) {
      n.tree = n.parent == 0 ? trees++ : t.node[at(n.parent)].tree;
      depth[at(i)] = n.parent == 0 ? 1 : depth[at(n.parent)] + 1;
      deepest = std::max(deepest, depth[at(i)]);
      const bool single = flight.is_single(i);
      const auto either = [&](Flight of_single, Flight of_root) { return single ? of_single : of_root; };
      if (n.kind == JointKind::free) n.flight = either(Flight::single_free, Flight::root_free);
      if (n.kind == JointKind::planar) n.flight = either(Flight::single_planar, Flight::root_planar);
      if (n.kind == JointKind::spherical) n.flight = either(Flight::single_spherical, Flight::none);
      RigidInertia<double> body = from.inertia;
      if (single && n.kind != JointKind::spherical) {
        n.gravity = cast<R>(apply(from.placement.E, m.gravity()));
        if (body.m > 0) n.centre = cast<R>(centre_of_mass(body)), body.I = inertia_about_centre(body);
      }
      n.I = cast<R>(body.I);
    }
    for (int k = 0; k < n.nv; ++k) {
      SceneDof<R> d;
      d.node = i, d.v = n.v + k, d.depth = n.last < 0 ? 0 : t.dof[at(n.last)].depth + 1;
      d.row = static_cast<int>(t.entry_dof.size());
      const int self = static_cast<int>(t.dof.size());
      if (n.last >= 0) {  // the ancestors of the one above, and that one
        const SceneDof<R>& above = t.dof[at(n.last)];
        for (int a = 0; a <= above.depth; ++a) t.entry_above.push_back(t.entry_above[at(above.row + a)]);
      }
      t.entry_above.push_back(self);
      t.entry_dof.insert(t.entry_dof.end(), at(d.depth + 1), self);
      t.dof.push_back(d), n.last = self;
    }
    t.node.push_back(n);
  }
  for (int k = static_cast<int>(t.dof.size()) - 1; k >= 0; --k) {
    SceneDof<R>& d = t.dof[at(k)];
    d.end = std::max(d.end, k + 1);
    if (d.depth > 0) {
      SceneDof<R>& above = t.dof[at(t.entry_above[at(d.row + d.depth - 1)])];
      above.end = std::max(above.end, d.end);
    }
  }
  for (int level = 1; level <= deepest; ++level) {
    t.level.push_back(static_cast<int>(t.level_node.size()));
    for (int i = 1; i < count; ++i)
      if (depth[at(i)] == level) t.level_node.push_back(i);
  }
  t.level.push_back(static_cast<int>(t.level_node.size()));
  t.scene.trees = trees, t.scene.levels = deepest;
}

// M = L^T D L from the last freedom on: its row takes part in the rows of its ancestors, and in the right-hand side
// that follows M in memory.
template <class R>
void add_updates(SceneTables<R>& t) {
  const std::size_t numbers = t.entry_dof.size() + t.dof.size();
  if (numbers > 0xffff)
    refuse_on_device("the mass matrix has " + std::to_string(t.entry_dof.size()) +
                     " entries, and a device has room for 65535");
  const auto small = [](int i) { return static_cast<std::uint16_t>(i); };
  const int entries = static_cast<int>(t.entry_dof.size());
  for (int k = 0; k < static_cast<int>(t.dof.size()); ++k) {
    SceneDof<R>& d = t.dof[at(k)];
    d.update = static_cast<int>(t.update.size());
    for (int a = 0; a < d.depth; ++a) {
      const int above = t.entry_above[at(d.row + a)];
      for (int b = 0; b <= a; ++b)
        t.update.push_back({small(t.dof[at(above)].row + b), small(d.row + a), small(d.row + b)});
      t.update.push_back({small(entries + above), small(d.row + a), small(entries + k)});
    }
  }
}

// Springs and dampers, with their share of the armature (sim/drives.hpp).
template <class R>
void add_springs(const Model& m, double dt, SceneTables<R>& t) {
  for (SceneDof<R>& d : t.dof) {
    const SceneNode<R>& n = t.node[at(d.node)];
    const DofSpec& spec = m.dofs()[at(d.v)];
    const int k = d.v - n.v;
    const bool turns = n.kind == JointKind::spherical;
    d.max_effort = static_cast<R>(spec.max_effort);
    d.armature = static_cast<R>(m.armature()[at(d.v)] + dt * spec.damping + dt * dt * spec.stiffness);
    d.spring = static_cast<int>(t.spring.size());
    const bool bent = spec.stiffness_terms != std::array<double, 2>{} || spec.damping_terms != std::array<double, 2>{};
    if (spec.stiffness == 0 && spec.damping == 0 && !bent) continue;
    SceneSpring<R> s;
    s.q = turns || n.nq != n.nv ? n.q : n.q + k, s.axis = turns ? k : -1;
    s.stiffness = static_cast<R>(spec.stiffness), s.damping = static_cast<R>(spec.damping);
    s.rest = static_cast<R>(spec.rest);
    for (std::size_t i = 0; i < 2; ++i) {
      s.stiffness_terms[i] = static_cast<R>(spec.stiffness_terms[i]);
      s.damping_terms[i] = static_cast<R>(spec.damping_terms[i]);
    }
    t.spring.push_back(s), d.springs = 1;
  }
}

template <class R>
void add_actuators(const Model& m, double dt, SceneTables<R>& t) {
  constexpr double kNone = 1e-12;  // of the largest inertia that a coordinate moves: none, as in Drives
  std::vector<double> moved = calc_moved_inertia(m);
  for (std::size_t v = 0; v < moved.size(); ++v) moved[v] += dt * m.dofs()[v].damping + dt * dt * m.dofs()[v].stiffness;
  const double largest = moved.empty() ? 0 : *std::max_element(moved.begin(), moved.end());
  for (SceneDof<R>& d : t.dof) {
    d.actuator = static_cast<int>(t.actuator.size()), d.weightless = moved[at(d.v)] <= kNone * largest;
    for (std::size_t i = 0; i < m.spec().actuators.size(); ++i) {
      const ActuatorSpec& a = m.spec().actuators[i];
      const JointEntry* j = m.find_joint(a.target);
      if (!j || j->v != d.v) continue;
      const double gear = a.gear[0], stiffness = std::max(0.0, -gear * gear * a.bias[1]),
                   damping = std::max(0.0, -gear * gear * a.bias[2]);
      SceneActuator<R> out;
      out.q = j->q, out.control = static_cast<int>(i), out.gear = static_cast<R>(gear);
      for (std::size_t k = 0; k < 3; ++k)
        out.gain[k] = static_cast<R>(a.gain[k]), out.bias[k] = static_cast<R>(a.bias[k]);
      out.control_lower = static_cast<R>(a.control_lower), out.control_upper = static_cast<R>(a.control_upper);
      out.force_lower = static_cast<R>(a.force_lower), out.force_upper = static_cast<R>(a.force_upper);
      out.stiffness = static_cast<R>(stiffness), out.damping = static_cast<R>(damping);
      t.scene.limits =
          t.scene.limits || (stiffness + damping > 0 && (std::isfinite(a.force_lower) || std::isfinite(a.force_upper) ||
                                                         std::isfinite(m.dofs()[at(d.v)].max_effort)));
      out.armature = static_cast<R>(dt * damping + dt * dt * stiffness), d.armature += out.armature;
      t.actuator.push_back(out), ++d.actuators;
    }
  }
}
void check_actuators(const Model& m) {
  for (const ActuatorSpec& a : m.spec().actuators) {
    const bool on_joint = a.transmission == Transmission::joint || a.transmission == Transmission::joint_in_parent;
    const JointEntry* j = on_joint ? m.find_joint(a.target) : nullptr;
    if (!j || j->nv != 1 || j->nq != 1)
      refuse_on_device("actuator '" + a.name + "' does not act on a joint of one coordinate");
    if (a.activation != Activation::none || a.muscle || a.damping_ratio > 0)
      refuse_on_device("actuator '" + a.name + "' has an activation, a muscle or a damping ratio");
  }
}

// In the order of JointLimits: friction of all joints, then stops.
template <class R>
void add_stops(const Model& m, double dt, SceneTables<R>& t) {
  std::vector<SceneStop<R>> stops;
  for (int k = 0; k < static_cast<int>(t.dof.size()); ++k) {
    const SceneNode<R>& n = t.node[at(t.dof[at(k)].node)];
    const DofSpec& spec = m.dofs()[at(t.dof[at(k)].v)];
    const int c = k - n.dof;
    SceneStop<R> s;
    s.dof = k, s.q = n.q + c;
    if (spec.friction > 0) {
      s.friction = static_cast<R>(spec.friction * dt);
      t.stop.push_back(s);
      s.friction = 0;
    }
    if (n.kind == JointKind::spherical && c == 0 && std::isfinite(spec.upper)) {
      s.q = n.q, s.place = static_cast<R>(spec.upper), s.of_turn = true;
      stops.push_back(s);
    }
    if (n.kind == JointKind::spherical || n.kind == JointKind::free || n.nq != n.nv) continue;
    s.place = static_cast<R>(spec.lower), s.sign = 1;
    if (std::isfinite(spec.lower)) stops.push_back(s);
    s.place = static_cast<R>(spec.upper), s.sign = -1;
    if (std::isfinite(spec.upper)) stops.push_back(s);
  }
  t.stop.insert(t.stop.end(), stops.begin(), stops.end());
}

void complete_device_options(const Model& m, DeviceSimulationOptions& o, bool single_precision) {
  if (o.dt == 0) o.dt = m.spec().timestep;
  if (!(o.dt > 0) || !std::isfinite(o.dt))
    throw std::invalid_argument("DeviceSimulation: dt must be positive and finite, but is " + std::to_string(o.dt));
  if (o.tolerance == 0) o.tolerance = single_precision ? 1e-5 : 1e-10;
  if (!(o.recovery >= 0 && o.recovery <= 1) || !(o.recovery_speed >= 0) || !(o.overlap > 0) || !(o.tolerance > 0))
    throw std::invalid_argument(
        "DeviceSimulation: recovery must be between 0 and 1, recovery_speed must not be negative, and overlap and "
        "tolerance must be positive");
  if (o.contacts < 0 || o.rows < 0)
    throw std::invalid_argument("DeviceSimulation: the room for contacts and rows must not be negative");
}

}  // namespace

template <class R>
SceneTables<R> make_scene_tables(const Model& m, DeviceSimulationOptions& o) {
  complete_device_options(m, o, sizeof(R) == 4);
  const ContactShapes shapes(m);
  check_model(m, shapes);
  check_actuators(m);
  (void)Drives(m, o.dt);  // refuses springs that have no meaning
  SceneTables<R> t;
  add_nodes(m, t), add_updates(t);
  add_springs(m, o.dt, t), add_actuators(m, o.dt, t), add_stops(m, o.dt, t);
  add_shapes(m, shapes, t);
  const auto size_of = [](const auto& table) { return static_cast<int>(table.size()); };
  Scene<R>& s = t.scene;
  s.nq = m.nq(), s.nv = m.nv(), s.nodes = size_of(t.node), s.dofs = size_of(t.dof), s.entries = size_of(t.entry_dof);
  s.stops = size_of(t.stop), s.springs = size_of(t.spring), s.actuators = size_of(t.actuator);
  s.controls = size_of(m.spec().actuators), s.shapes = size_of(t.shape), s.pairs = size_of(t.pair);
  // Rows that push are hardly more than freedoms; bodies on many points have more of them than they need.
  // A solid that moves fast is near many triangles, each of which may have a contact, and lies on several of them.
  const int of_triangles = s.surfaces ? 8 : 1, per_freedom = s.surfaces ? 3 : 2;
  if (o.contacts == 0) o.contacts = of_triangles * std::max(8, 3 * shapes.usual_contacts() / 2);
  if (t.pair.empty()) o.contacts = 1;
  if (o.rows == 0) o.rows = std::min(s.stops + 3 * o.contacts, std::max(24, per_freedom * s.dofs + 6));
  s.contacts = o.contacts, s.rows = s.room = std::max(1, o.rows);
  s.options = {static_cast<R>(o.dt),
               static_cast<R>(o.recovery),
               static_cast<R>(o.recovery_speed),
               static_cast<R>(o.overlap),
               static_cast<R>(o.tolerance),
               cast<R>(m.gravity()),
               static_cast<R>(norm(m.gravity()))};
  t.options = {s.options};
  // Small rooms need no other memory; what they cannot hold comfortably has it.
  Workspace<R> none;
  s.large = s.rows > kMostSmall && lay_out<R>(s, nullptr, nullptr, none).near() > kMostNear;
  return t;
}

template SceneTables<float> make_scene_tables(const Model&, DeviceSimulationOptions&);
template SceneTables<double> make_scene_tables(const Model&, DeviceSimulationOptions&);

}  // namespace sinew::device
