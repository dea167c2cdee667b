// src/contact/contact_shapes.cpp
#include "sinew/contact/contact_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string describe(const ShapeSpec& s) {
  return std::string(to_string(s.kind)) + (s.name.empty() ? " of '" + s.body + "'" : " '" + s.name + "'");
}
bool handled(ShapeKind a, ShapeKind b) {
  return a == ShapeKind::sphere && (b == ShapeKind::sphere || b == ShapeKind::plane);
}

// Whether two shapes may touch, by everything but a pair that names them.
bool may_touch(const Model& m, const ShapeSpec& s, const ShapeSpec& t) {
  const int a = *m.find_body(s.body), b = *m.find_body(t.body);
  const int node_a = m.bodies()[at(a)].node, node_b = m.bodies()[at(b)].node;
  if (!s.collides || !t.collides || node_a == node_b) return false;
  if ((s.contact_type & t.contact_affinity) == 0 && (t.contact_type & s.contact_affinity) == 0) return false;
  const auto joined = [&](int parent, int child) { return parent != 0 && m.nodes()[at(child)].parent == parent; };
  if (joined(node_a, node_b) || joined(node_b, node_a)) return false;
  return std::none_of(m.spec().exclusions.begin(), m.spec().exclusions.end(), [&](const ExclusionSpec& e) {
    return (e.body_a == s.body && e.body_b == t.body) || (e.body_a == t.body && e.body_b == s.body);
  });
}

}  // namespace

ContactShapes::ContactShapes(const Model& m) {
  const std::vector<ShapeSpec>& specs = m.spec().shapes;
  for (const ShapeSpec& s : specs) {
    const BodyEntry& body = m.bodies()[at(*m.find_body(s.body))];
    const Transform<double> in_node = s.pose * body.in_node;
    const double radius = s.kind == ShapeKind::sphere ? s.size[0] : 0;
    shapes_.push_back({describe(s), s.kind, body.node, radius, in_node.r, apply_inverse(in_node.E, {0, 0, 1})});
  }
  centres_.resize(shapes_.size());
  const auto add = [&](int a, int b, double friction, double margin) {
    if (specs[at(a)].kind == ShapeKind::plane) std::swap(a, b);
    const ShapeSpec &s = specs[at(a)], &t = specs[at(b)];
    if (!handled(s.kind, t.kind))
      throw std::invalid_argument("ContactShapes: " + describe(s) + " may touch " + describe(t) +
                                  ", but only spheres and planes are handled; mark one as not colliding, or exclude "
                                  "the pair of bodies '" +
                                  s.body + "' and '" + t.body + "'");
    pairs_.push_back({a, b, t.kind == ShapeKind::plane, shapes_[at(a)].radius + shapes_[at(b)].radius, margin});
    surfaces_.push_back({friction, std::max(s.restitution, t.restitution)});
  };
  // Pairs that the model names, then all others that may touch.
  const auto find_shape = [&](const std::string& name) {
    const auto s = std::find_if(specs.begin(), specs.end(), [&](const ShapeSpec& x) { return x.name == name; });
    return static_cast<int>(s - specs.begin());
  };
  for (const PairSpec& p : m.spec().pairs) add(find_shape(p.shape_a), find_shape(p.shape_b), p.friction, p.margin);
  const std::size_t named = pairs_.size();
  for (int a = 0; a < static_cast<int>(specs.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(specs.size()); ++b) {
      const auto same = [&](const Pair& p) { return (p.a == a && p.b == b) || (p.a == b && p.b == a); };
      const ShapeSpec &s = specs[at(a)], &t = specs[at(b)];
      if (std::none_of(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(named), same) && may_touch(m, s, t))
        add(a, b, std::max(s.friction, t.friction), std::max(s.margin, t.margin));
    }
}

std::string ContactShapes::pair_name(const ContactPoint& c) const {
  const Pair& p = pairs_[static_cast<std::size_t>(c.id)];
  return shapes_[at(p.a)].name + " on " + shapes_[at(p.b)].name;
}

double ContactShapes::calc_reach(const VelocityWorkspace<double>& ws, double dt) const {
  const auto place = [&](const Shape& s) { return apply_inverse_to_point(ws.kinematics.X[at(s.node)], s.centre); };
  double fastest = 0;
  for (const Shape& s : shapes_) {
    if (s.node == 0) continue;
    // A plane reaches as far as the spheres that may come near it.
    double extent = norm(s.centre) + s.radius;
    if (s.kind == ShapeKind::plane)
      for (const Shape& t : shapes_) extent = std::max(extent, norm(place(t) - ws.kinematics.X[at(s.node)].r));
    const Motion<double>& v = ws.v[at(s.node)];
    fastest = std::max(fastest, norm(v.lin) + norm(v.ang) * extent);
  }
  return 4 * dt * fastest;
}

void ContactShapes::find(const KinematicsWorkspace<double>& ws, double reach, std::vector<ContactPoint>& contacts) {
  contacts.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    centres_[i] = apply_inverse_to_point(ws.X[at(shapes_[i].node)], shapes_[i].centre);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& p = pairs_[i];
    const Vec3<double> from_b = centres_[at(p.a)] - centres_[at(p.b)];
    const double near = p.touching + reach + p.margin, squared = dot(from_b, from_b);
    if (!p.plane && squared > near * near) continue;
    const Shape &a = shapes_[at(p.a)], &b = shapes_[at(p.b)];
    Vec3<double> normal;
    double gap;
    if (p.plane) {
      normal = apply_inverse(ws.X[at(b.node)].E, b.normal);
      gap = dot(normal, from_b) - a.radius;
    } else {
      const double distance = std::sqrt(squared);
      // Spheres with one centre push each other apart along z: any direction is as good.
      normal = distance > 0 ? (1 / distance) * from_b : Vec3<double>{0, 0, 1};
      gap = distance - p.touching;
    }
    if (!(gap <= reach + p.margin)) continue;
    // Half-way between the two surfaces.
    const Vec3<double> point = centres_[at(p.a)] - (a.radius + gap / 2) * normal;
    contacts.push_back({a.node, b.node, point, normal, gap, surfaces_[i].friction, surfaces_[i].restitution, i});
  }
}

}  // namespace sinew
