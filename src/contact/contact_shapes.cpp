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
// Of the smallest ball about the shape's origin that holds it.
double find_bound(const ShapeSpec& s) {
  switch (s.kind) {
    case ShapeKind::sphere: return s.size[0];
    case ShapeKind::capsule: return s.size[0] + s.size[1];
    case ShapeKind::cylinder: return std::hypot(s.size[0], s.size[1]);
    case ShapeKind::box: return std::hypot(s.size[0], s.size[1], s.size[2]);
    case ShapeKind::ellipsoid: return std::max({s.size[0], s.size[1], s.size[2]});
    default: return 0;
  }
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
    shapes_.push_back({describe(s), body.node, s.pose * body.in_node, find_bound(s), {s.kind, {}, s.size}});
  }
  centres_.resize(shapes_.size());
  normals_.resize(shapes_.size());
  const auto add = [&](int a, int b, double friction, double margin) {
    if (!find_collider(specs[at(a)].kind, specs[at(b)].kind)) std::swap(a, b);
    const ShapeSpec &s = specs[at(a)], &t = specs[at(b)];
    const Collider collider = find_collider(s.kind, t.kind);
    if (!collider)
      throw std::invalid_argument("ContactShapes: " + describe(s) + " may touch " + describe(t) +
                                  ", but such a pair is not handled; mark one as not colliding, or exclude the pair of "
                                  "bodies '" +
                                  s.body + "' and '" + t.body + "'");
    const bool plane = t.kind == ShapeKind::plane;
    pairs_.push_back({a, b, plane, shapes_[at(a)].bound + shapes_[at(b)].bound, margin});
    surfaces_.push_back({collider, friction, std::max(s.restitution, t.restitution)});
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
  const Pair& p = pairs_[static_cast<std::size_t>(c.id / kMostTouchPoints)];
  return shapes_[at(p.a)].name + " on " + shapes_[at(p.b)].name;
}

double ContactShapes::calc_reach(const VelocityWorkspace<double>& ws, double dt) const {
  const auto place = [&](const Shape& s) { return apply_inverse_to_point(ws.kinematics.X[at(s.node)], s.in_node.r); };
  double fastest = 0;
  for (const Shape& s : shapes_) {
    if (s.node == 0) continue;
    // A plane reaches as far as the shapes that may come near it.
    double extent = norm(s.in_node.r) + s.bound;
    if (s.placed.kind == ShapeKind::plane)
      for (const Shape& t : shapes_)
        extent = std::max(extent, norm(place(t) - ws.kinematics.X[at(s.node)].r) + t.bound);
    const Motion<double>& v = ws.v[at(s.node)];
    fastest = std::max(fastest, norm(v.lin) + norm(v.ang) * extent);
  }
  return 4 * dt * fastest;
}

void ContactShapes::find(const KinematicsWorkspace<double>& ws, double reach, std::vector<ContactPoint>& contacts) {
  contacts.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Shape& s = shapes_[i];
    centres_[i] = apply_inverse_to_point(ws.X[at(s.node)], s.in_node.r);
    if (s.placed.kind == ShapeKind::plane)
      normals_[i] = apply_inverse(ws.X[at(s.node)].E, apply_inverse(s.in_node.E, {0, 0, 1}));
  }
  TouchPoint points[kMostTouchPoints];
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    // Balls that hold the shapes, first.
    const Pair& p = pairs_[i];
    const Vec3<double> from_b = centres_[at(p.a)] - centres_[at(p.b)];
    const double within = reach + p.margin, near = p.bound + within;
    if (p.plane ? dot(normals_[at(p.b)], from_b) > near : dot(from_b, from_b) > near * near) continue;
    Shape &a = shapes_[at(p.a)], &b = shapes_[at(p.b)];
    a.placed.X = a.in_node * ws.X[at(a.node)];
    b.placed.X = b.in_node * ws.X[at(b.node)];
    const int count = surfaces_[i].collider(a.placed, b.placed, within, points);
    for (int k = 0; k < count; ++k) {
      const TouchPoint& t = points[k];
      contacts.push_back({a.node, b.node, t.point, t.normal, t.gap, surfaces_[i].friction, surfaces_[i].restitution,
                          i * kMostTouchPoints + static_cast<std::size_t>(t.feature)});
    }
  }
}

}  // namespace sinew
