// src/sim/flexible_view.cpp
#include "flexible_view.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sinew {
namespace {

using sko::FlexibleBody;
using sko::FlexibleModel;

bool may_collide(const ShapeSpec& s) { return s.collides && (s.contact_type != 0 || s.contact_affinity != 0); }

// The shapes that need bodies of their own: on a part that bends.
bool is_on_bending_body(const FlexibleModel& m, const ShapeSpec& s) {
  const auto body = m.model().find_body(s.body);
  const int part = body ? m.part_of(*body) : sko::kInertial;
  return part != sko::kInertial && m.parts()[at(part)].flexible >= 0;
}

std::string name_of_piece(const ShapeSpec& s, std::size_t number) {
  return s.body + "/shape" + std::to_string(number) + (s.name.empty() ? "" : "/" + s.name);
}

bool is_clamped(const sko::FlexibleNode& root) {
  const auto zero = [](const Vec3<double>& x) { return norm(x) == 0; };
  return std::all_of(root.shift.begin(), root.shift.end(), zero) &&
         std::all_of(root.turn.begin(), root.turn.end(), zero);
}

// The node nearest to a point of the body; -1: its frame.
int find_nearest_node(const FlexibleBody& b, const ShapeSpec& s) {
  int best = -1;
  double distance = is_clamped(b.root) ? norm(s.pose.r) : HUGE_VAL;
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    const double d = norm(b.nodes[i].position - s.pose.r);
    if (d < distance) best = static_cast<int>(i), distance = d;
  }
  if (std::isinf(distance))
    throw std::invalid_argument("make_flexible_mechanism: " + std::string(to_string(s.kind)) + " '" + s.name +
                                "' is on body '" + s.body +
                                "', which has no interface node that it could move with; give it one near the shape "
                                "(of a beam: a station)");
  return best;
}

// Bodies that the shape must not touch, because they are joined to its body.
bool is_joined(const FlexibleModel& m, int host, int body) {
  const int a = m.part_of(host), b = m.part_of(body);
  if (a == b) return true;
  if (b == sko::kInertial) return false;
  return m.parts()[at(a)].parent == b || m.parts()[at(b)].parent == a;
}

ModelSpec make_view_spec(const FlexibleModel& m, std::vector<std::string>& hosts) {
  ModelSpec spec = m.model().spec();
  spec.keyframes.clear(), spec.actuators.clear(), spec.tendons.clear(), spec.tendon_couplings.clear();
  for (std::size_t b = 1; b < m.model().bodies().size(); ++b) {
    const BodyEntry& body = m.model().bodies()[b];
    const int part = m.part_of(static_cast<int>(b));
    if (part == sko::kInertial || m.parts()[at(part)].jointed || m.parts()[at(part)].name != body.name) continue;
    JointSpec& j = spec.joints[at(body.joint)];
    j.kind = JointKind::free;
    j.dofs.clear(), j.neutral.clear();
  }
  const std::vector<ExclusionSpec> given = spec.exclusions;
  const std::size_t first = spec.bodies.size();
  for (std::size_t i = 0; i < spec.shapes.size(); ++i) {
    ShapeSpec& s = spec.shapes[i];
    if (!is_on_bending_body(m, s)) continue;
    BodySpec piece;
    piece.name = name_of_piece(s, i), piece.mass = 1, piece.inertia = Sym3<double>::diagonal(1, 1, 1);
    JointSpec joint;
    joint.name = piece.name, joint.parent = s.body, joint.child = piece.name, joint.kind = JointKind::free;
    const auto exclude = [&](const std::string& other) { spec.exclusions.push_back({piece.name, other, {}}); };
    const int host = *m.model().find_body(s.body);
    for (std::size_t b = 1; b < m.model().bodies().size(); ++b)
      if (static_cast<int>(b) != host && is_joined(m, host, static_cast<int>(b))) exclude(m.model().bodies()[b].name);
    for (std::size_t k = first; k < spec.bodies.size(); ++k) {
      const int other = *m.model().find_body(hosts[k - first]);
      if (is_joined(m, host, other)) exclude(spec.bodies[k].name);
    }
    for (const ExclusionSpec& e : given)
      if (e.body_a == s.body || e.body_b == s.body) exclude(e.body_a == s.body ? e.body_b : e.body_a);
    hosts.push_back(s.body);
    s.body = piece.name;
    spec.bodies.push_back(piece), spec.joints.push_back(joint);
  }
  return spec;
}

}  // namespace

FlexibleView::FlexibleView(const FlexibleModel& m)
    : model(compile(make_view_spec(m, hosts)).value()),
      places(model.nodes().size(), sko::FlexiblePlace{sko::kInertial, -1, {}}),
      bodies(model.nodes().size(), 0) {
  const Model& rigid = m.model();
  const auto set = [&](const std::string& name, int body, sko::FlexiblePlace place) {
    const BodyEntry& seen = model.bodies()[at(*model.find_body(name))];
    place.frame = inverse(seen.in_node) * place.frame;
    places[at(seen.node)] = place, bodies[at(seen.node)] = body;
  };
  for (std::size_t b = rigid.bodies().size(); b-- > 1;) {
    const int part = m.part_of(static_cast<int>(b));
    if (part == sko::kInertial) continue;
    set(rigid.bodies()[b].name, static_cast<int>(b),
        {part, -1, rigid.bodies()[b].in_node * inverse(m.parts()[at(part)].frame)});
  }
  for (std::size_t i = 0; i < rigid.spec().shapes.size(); ++i) {
    const ShapeSpec& s = rigid.spec().shapes[i];
    if (!is_on_bending_body(m, s)) continue;
    const int body = *rigid.find_body(s.body), part = m.part_of(body);
    const FlexibleBody& data = m.bodies()[at(m.parts()[at(part)].flexible)];
    const int node = may_collide(s) ? find_nearest_node(data, s) : -1;
    sko::FlexiblePlace place{part, node, {}};
    if (node >= 0) place.frame.r = -data.nodes[at(node)].position;  // the body's frame, carried by the node
    set(name_of_piece(s, i), body, place);
  }
}

}  // namespace sinew
