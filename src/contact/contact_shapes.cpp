// src/contact/contact_shapes.cpp
#include "sinew/contact/contact_shapes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "contact/contact_assets.hpp"

namespace sinew {
namespace {

std::string describe(const ShapeSpec& s) {
  return std::string(to_string(s.kind)) + (s.name.empty() ? " of '" + s.body + "'" : " '" + s.name + "'");
}

// Half sides of the box about its origin that holds a primitive.
Vec3<double> find_half(const ShapeSpec& s) {
  const auto [a, b, c] = s.size;
  switch (s.kind) {
    case ShapeKind::sphere: return {a, a, a};
    case ShapeKind::capsule: return {a, a, a + b};
    case ShapeKind::cylinder: return {a, a, b};
    default: return {a, b, c};
  }
}
// The nearest ancestor node that carries a body: the inner nodes of a joint of several axes do not.
int find_parent(const Model& m, int node) {
  const auto carries = [&](int n) {
    return n <= 0 || std::any_of(m.bodies().begin(), m.bodies().end(), [&](const BodyEntry& b) { return b.node == n; });
  };
  int parent = m.nodes()[node].parent;
  while (!carries(parent)) parent = m.nodes()[parent].parent;
  return parent;
}
// For a body welded to the world: its ancestor next to the world; 0 for the world itself.
int find_part(const Model& m, int body) {
  while (body != 0 && m.bodies()[body].parent != 0) body = m.bodies()[body].parent;
  return body;
}
// The nearest ancestor of a moving body that is fixed to the world.
int find_carrier(const Model& m, int body) {
  while (m.bodies()[body].node != 0) body = m.bodies()[body].parent;
  return body;
}
double find_box_bound(const Vec3<double>& middle, const Vec3<double>& half) {
  return std::hypot(std::abs(middle.x) + half.x, std::abs(middle.y) + half.y, std::abs(middle.z) + half.z);
}
// Radius of the ball about its origin that holds a shape.
double find_bound(const ShapeSpec& s, const Vec3<double>& middle, const Vec3<double>& half) {
  switch (s.kind) {
    case ShapeKind::plane: return 0;
    case ShapeKind::sphere: return half.x;
    case ShapeKind::capsule: return half.z;
    case ShapeKind::cylinder: return std::hypot(half.x, half.z);
    case ShapeKind::ellipsoid: return std::max({half.x, half.y, half.z});
    default: return find_box_bound(middle, half);
  }
}

}  // namespace

struct ContactShapes::Assets : contact::ContactAssets {};

ContactShapes::~ContactShapes() = default;
ContactShapes::ContactShapes(ContactShapes&&) noexcept = default;
ContactShapes& ContactShapes::operator=(ContactShapes&&) noexcept = default;

ContactShapes::ContactShapes(const Model& m) : made_for_(m), assets_(std::make_unique<Assets>()) {
  const ModelSpec& spec = m.spec();
  gravity_ = norm(spec.gravity);
  join_trees(m);
  for (const ShapeSpec& s : spec.shapes) add_shape(m, s);
  add_named_pairs(spec);
  for (const ExclusionSpec& e : spec.exclusions)
    exclusions_.push_back(std::minmax({*m.find_body(e.body_a), *m.find_body(e.body_b)}));
  std::sort(exclusions_.begin(), exclusions_.end());

  constexpr unsigned kMostPrimitiveFeatures = 63;
  std::uint64_t features = kMostPrimitiveFeatures;
  for (int i = 0; i < static_cast<int>(shapes_.size()); ++i) {
    Shape& s = shapes_[i];
    if (s.type == 0 && s.affinity == 0 && !s.named) continue;
    const ShapeSpec& as_given = spec.shapes[i];
    if (as_given.kind == ShapeKind::mesh || as_given.kind == ShapeKind::heightfield) {
      const contact::ContactAsset& asset = assets_->find(spec, as_given, names_[i], remarks_);
      s.placed.polytope = asset.polytope.get(), s.placed.surface = asset.surface.get();
      s.middle = asset.middle, s.half = asset.half;
      s.placed.size = {s.half.x, s.half.y, s.half.z};
      features = std::max(features, asset.features);
    } else {
      s.half = find_half(as_given);
    }
    s.bound = find_bound(as_given, s.middle, s.half);
    (s.placed.kind == ShapeKind::plane ? planes_ : others_).push_back(i);
  }
  feature_bits_ = static_cast<int>(std::bit_width(features));
  if (2 * feature_bits_ + static_cast<int>(std::bit_width(shapes_.size() * shapes_.size())) > 64)
    throw std::invalid_argument("ContactShapes: " + std::to_string(shapes_.size()) + " shapes with up to " +
                                std::to_string(features) + " features are too many to number; use coarser meshes");
  check_pairs(spec);
  leave_out_neutral_overlaps(m);
}

void ContactShapes::round_mesh(const std::string& mesh, double radius) {
  assets_->round(mesh, radius);
  for (Shape& s : shapes_) {
    if (!s.placed.polytope || s.placed.polytope->rounding == 0) continue;
    const contact::ContactAsset& asset = *assets_->find(s.placed.polytope);
    s.middle = asset.middle, s.half = asset.half;
    s.placed.size = {s.half.x, s.half.y, s.half.z};
    s.bound = find_box_bound(s.middle, s.half);
  }
}

void ContactShapes::add_shape(const Model& m, const ShapeSpec& s) {
  const int number = *m.find_body(s.body);
  const BodyEntry& body = m.bodies()[number];
  Shape out;
  out.body = number, out.node = body.node, out.parent = find_parent(m, body.node);
  for (int n = body.node; n > 0; n = m.nodes()[n].parent) out.held = out.held && m.nodes()[n].nv == 0;
  if (s.collides) out.type = s.contact_type, out.affinity = s.contact_affinity;
  out.friction = {s.friction_law, s.friction, s.torsional_friction, s.rolling_friction};
  out.priority = s.priority, out.restitution = s.restitution, out.margin = out.widest_margin = s.margin;
  out.in_node = s.pose * body.in_node;
  out.placed.kind = s.kind, out.placed.size = s.size;
  shapes_.push_back(out);
  names_.push_back(describe(s));
}

void ContactShapes::add_named_pairs(const ModelSpec& spec) {
  const auto find_shape = [&](const std::string& name) {
    const auto s = std::find_if(spec.shapes.begin(), spec.shapes.end(), [&](const auto& x) { return x.name == name; });
    return static_cast<int>(s - spec.shapes.begin());
  };
  for (const PairSpec& p : spec.pairs) {
    const auto [a, b] = std::minmax({find_shape(p.shape_a), find_shape(p.shape_b)});
    named_.push_back({a, b, {p.friction_law, p.friction, p.torsional_friction, p.rolling_friction}, p.margin});
    for (const int i : {a, b}) {
      shapes_[i].named = true;
      shapes_[i].widest_margin = std::max(shapes_[i].widest_margin, p.margin);
    }
  }
  std::stable_sort(named_.begin(), named_.end(),
                   [](const NamedPair& p, const NamedPair& q) { return std::tie(p.a, p.b) < std::tie(q.a, q.b); });
}

// Only shapes without an inside can lack a collider.
void ContactShapes::check_pairs(const ModelSpec& spec) const {
  std::vector<int> hollow = planes_;
  for (const int i : others_)
    if (shapes_[i].placed.surface) hollow.push_back(i);
  for (const int i : hollow)
    for (const int j : hollow) {
      if (i >= j || !may_touch(i, j)) continue;
      const PlacedShape &a = shapes_[i].placed, &b = shapes_[j].placed;
      if (!find_collider(a, b) && !find_collider(b, a))
        throw std::invalid_argument("ContactShapes: " + names_[i] + " may touch " + names_[j] +
                                    ", but there is no collider for that; use the hull of the mesh, mark one as not "
                                    "colliding, or exclude the pair of bodies '" +
                                    spec.shapes[i].body + "' and '" + spec.shapes[j].body + "'");
    }
}

// Leaves out pairs that overlap at neutral, one shape on a body welded to the world, one on a body jointed to that.
void ContactShapes::leave_out_neutral_overlaps(const Model& m) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, m.neutral());
  std::vector<ContactPoint> contacts;
  find(ws, 0, contacts);
  for (const ContactPoint& c : contacts) {
    const auto [a, b] = shapes_of(c);
    const std::pair<int, int> shapes = std::minmax(a, b);
    const Shape *s = &shapes_[shapes.first], *t = &shapes_[shapes.second];
    if (t->node == 0) std::swap(s, t);
    if (s->node != 0 || t->parent != 0 || c.gap > -1e-6 * (s->bound + t->bound)) continue;
    const int part = find_part(m, s->body);
    if (part == 0 || part != find_part(m, find_carrier(m, t->body))) continue;
    if (is_named(shapes.first, shapes.second) ||
        std::find(overlapping_.begin(), overlapping_.end(), shapes) != overlapping_.end())
      continue;
    overlapping_.push_back(shapes);
    remarks_.push_back(pair_name(c) + ": a joint joins their bodies, and they overlap by " + std::to_string(-c.gap) +
                       " m in the neutral position; the pair is ignored");
  }
  std::sort(overlapping_.begin(), overlapping_.end());
}

// Named by a PairSpec; a < b.
bool ContactShapes::is_named(int a, int b) const {
  if (!shapes_[a].named || !shapes_[b].named) return false;
  const auto p = std::lower_bound(named_.begin(), named_.end(), std::pair{a, b}, [](const NamedPair& x, auto y) {
    return std::pair{x.a, x.b} < y;
  });
  return p != named_.end() && p->a == a && p->b == b;
}

// a < b.
bool ContactShapes::may_touch(int a, int b) const {
  const Shape &s = shapes_[a], &t = shapes_[b];
  if (is_named(a, b)) return !(s.held && t.held);
  if (s.node == t.node || (s.held && t.held) || ((s.type & t.affinity) == 0 && (t.type & s.affinity) == 0))
    return false;
  if ((s.parent == t.node && t.node != 0) || (t.parent == s.node && s.node != 0)) return false;
  if (std::binary_search(overlapping_.begin(), overlapping_.end(), std::pair{a, b})) return false;
  return exclusions_.empty() ||
         !std::binary_search(exclusions_.begin(), exclusions_.end(), std::pair<int, int>(std::minmax(s.body, t.body)));
}

ContactShapes::Friction ContactShapes::calc_friction(const Shape& s, const Shape& t) {
  if (s.priority != t.priority) return s.priority > t.priority ? s.friction : t.friction;
  const Friction &f = s.friction, &g = t.friction;
  return {std::max(f.law, g.law), std::max(f.sliding, g.sliding), std::max(f.torsional, g.torsional),
          std::max(f.rolling, g.rolling)};
}

ContactShapes::Surface ContactShapes::calc_surface(int a, int b) const {
  const Shape &s = shapes_[a], &t = shapes_[b];
  Surface out{calc_friction(s, t), std::max(s.restitution, t.restitution), std::max(s.margin, t.margin)};
  if (s.named && t.named)
    for (const NamedPair& p : named_)
      if (p.a == a && p.b == b) {
        out.friction = p.friction, out.margin = p.margin;
        break;
      }
  if (out.friction.law < FrictionLaw::sliding) out.friction.sliding = 0;
  if (out.friction.law < FrictionLaw::torsional) out.friction.torsional = 0;
  if (out.friction.law < FrictionLaw::rolling) out.friction.rolling = 0;
  return out;
}

std::string ContactShapes::find_spin_friction() const {
  const auto resists = [](const Friction& f) {
    return (f.law >= FrictionLaw::torsional && f.torsional > 0) || (f.law >= FrictionLaw::rolling && f.rolling > 0);
  };
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if ((shapes_[i].type != 0 || shapes_[i].affinity != 0) && resists(shapes_[i].friction)) return names_[i];
  for (const NamedPair& p : named_)
    if (resists(p.friction)) return names_[p.a] + " with " + names_[p.b];
  return {};
}

int ContactShapes::pairs() const {
  int count = 0;
  for (int a = 0; a < static_cast<int>(shapes_.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(shapes_.size()); ++b) count += may_touch(a, b) ? 1 : 0;
  return count;
}

int ContactShapes::usual_contacts() const {
  int count = 0;
  for (const int i : others_) {
    const ShapeKind kind = shapes_[i].placed.kind;
    const bool round = kind == ShapeKind::sphere || kind == ShapeKind::ellipsoid;
    if (shapes_[i].node != 0) count += round ? 1 : kind == ShapeKind::capsule ? 2 : 4;
  }
  return count;
}

void ContactShapes::reserve(int contacts) {
  closes_.reserve(at(contacts)), points_.reserve(at(contacts)), near_.reserve(at(contacts) + 4 * others_.size());
  extents_.reserve(others_.size()), island_.reserve(tree_of_.size());
  flags_.reserve(tree_of_.size()), drift_.reserve(tree_of_.size());
}

std::pair<int, int> ContactShapes::shapes_of(const ContactPoint& c) const {
  const std::uint64_t pair = c.id >> (2 * feature_bits_);
  check_index("shapes_of", "pair of shapes", pair, shapes_.size() * shapes_.size());
  return {static_cast<int>(pair / shapes_.size()), static_cast<int>(pair % shapes_.size())};
}
std::string ContactShapes::pair_name(const ContactPoint& c) const {
  const auto [a, b] = shapes_of(c);
  return names_[a] + " on " + names_[b];
}
double ContactShapes::bound(int shape) const {
  check_index("bound", "shape", shape, shapes_.size());
  return shapes_[shape].bound;
}

void ContactShapes::find_reaches(const VelocityWorkspace<double>& ws, double dt) {
  dt_ = dt;
  const auto set = [&](Shape& s, double extent) {
    const Motion<double>& v = ws.v[s.node];
    s.reach = s.node == 0 ? 0 : 2 * dt * (norm(v.lin) + norm(v.ang) * extent + dt * gravity_);
    s.velocity = v.lin + cross(v.ang, apply_inverse(ws.kinematics.X[s.node].E, s.in_node.r));
    s.whirl = norm(v.ang) * extent;
  };
  for (const int i : others_) set(shapes_[i], norm(shapes_[i].in_node.r) + shapes_[i].bound);
  // A plane reaches as far as the shapes that may come near it.
  for (const int i : planes_) {
    Shape& s = shapes_[i];
    s.reach = 0;
    if (s.node == 0) continue;
    double extent = norm(s.in_node.r);
    for (const int j : others_) {
      const Vec3<double> place = apply_inverse_to_point(ws.kinematics.X[shapes_[j].node], shapes_[j].in_node.r);
      extent = std::max(extent, norm(place - ws.kinematics.X[s.node].r) + shapes_[j].bound);
    }
    set(s, extent);
  }
}

void ContactShapes::find_within(const VelocityWorkspace<double>& ws, double dt, std::vector<ContactPoint>& contacts) {
  made_for_.check("ContactShapes", ws.kinematics.made_for, "the model of the shapes");
  find_reaches(ws, dt);
  place(ws.kinematics);
  if (dt > 0) shorten_reaches();
  touch_near(contacts);
  if (dt > 0) keep_closing_islands(contacts);
}
void ContactShapes::find(const KinematicsWorkspace<double>& ws, double reach, std::vector<ContactPoint>& contacts) {
  made_for_.check("ContactShapes", ws.made_for, "the model of the shapes");
  for (Shape& s : shapes_) s.reach = reach / 2;
  place(ws);
  touch_near(contacts);
}

void ContactShapes::place(const KinematicsWorkspace<double>& ws) {
  for (const std::vector<int>* list : {&planes_, &others_})
    for (const int i : *list) shapes_[i].placed.X = shapes_[i].in_node * ws.X[shapes_[i].node];
  find_near();
}
void ContactShapes::touch_near(std::vector<ContactPoint>& contacts) {
  contacts.clear(), closes_.clear();
  for (const auto& [a, b] : near_) {
    interrupt.check();
    touch(a, b, contacts);
  }
}

// Pairs whose extents meet, in the order of the model. Sweep and prune along the axis over which the shapes are spread
// most.
void ContactShapes::find_near() {
  near_.clear();
  for (const int p : planes_) {
    const Mat3<double>& E = shapes_[p].placed.X.E.m;
    const Vec3<double> n{E.zx, E.zy, E.zz};
    for (const int i : others_) {
      const Shape& s = shapes_[i];
      const double height = dot(n, s.placed.X.r - shapes_[p].placed.X.r) - s.bound;
      const Shape& plane = shapes_[p];
      if (height > s.reach + plane.reach + s.widest_margin + plane.widest_margin + 1e-9 * s.bound) continue;
      if (may_touch(std::min(i, p), std::max(i, p))) near_.push_back(std::minmax(i, p));
    }
  }
  extents_.clear();
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (const int i : others_) {
    const Shape& s = shapes_[i];
    const Mat3<double>& E = s.placed.X.E.m;
    const Vec3<double> c = apply_inverse_to_point(s.placed.X, s.middle), h = s.half;
    Vec3<double> r{std::abs(E.xx) * h.x + std::abs(E.yx) * h.y + std::abs(E.zx) * h.z,
                   std::abs(E.xy) * h.x + std::abs(E.yy) * h.y + std::abs(E.zy) * h.z,
                   std::abs(E.xz) * h.x + std::abs(E.yz) * h.y + std::abs(E.zz) * h.z};
    if (s.placed.kind == ShapeKind::sphere) r = h;
    const double more = s.reach + s.widest_margin + 1e-9 * s.bound;
    extents_.push_back({{c.x - r.x - more, c.y - r.y - more, c.z - r.z - more},
                        {c.x + r.x + more, c.y + r.y + more, c.z + r.z + more},
                        i});
    const double centre[3] = {c.x, c.y, c.z};
    for (int k = 0; k < 3; ++k) least[k] = std::min(least[k], centre[k]), most[k] = std::max(most[k], centre[k]);
  }
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (most[i] - least[i] > most[k] - least[k]) k = i;
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  std::sort(extents_.begin(), extents_.end(), [k](const Extent& a, const Extent& b) { return a.low[k] < b.low[k]; });
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    const Extent& a = extents_[i];
    for (std::size_t j = i + 1; j < extents_.size() && extents_[j].low[k] <= a.high[k]; ++j) {
      const Extent& b = extents_[j];
      if (b.low[u] > a.high[u] || a.low[u] > b.high[u] || b.low[v] > a.high[v] || a.low[v] > b.high[v]) continue;
      const std::pair<int, int> pair = std::minmax(a.shape, b.shape);
      if (may_touch(pair.first, pair.second)) near_.push_back(pair);
    }
  }
  std::sort(near_.begin(), near_.end());
}

void ContactShapes::touch(int a, int b, std::vector<ContactPoint>& contacts) {
  const Surface surface = calc_surface(a, b);
  Collider collider = find_collider(shapes_[a].placed, shapes_[b].placed);
  if (!collider) {
    std::swap(a, b);
    collider = find_collider(shapes_[a].placed, shapes_[b].placed);
  }
  const Shape &s = shapes_[a], &t = shapes_[b];
  points_.clear();
  // Resting shapes have a reach of zero: rounding must not lose their contacts.
  const double slack = 1e-9 * (s.bound + t.bound);
  collider(s.placed, t.placed, s.reach + t.reach + surface.margin + slack, points_);
  const std::uint64_t pair = static_cast<std::uint64_t>(a) * shapes_.size() + static_cast<std::uint64_t>(b);
  for (const TouchPoint& p : points_) {
    const std::uint64_t id = (pair << feature_bits_ | p.feature_a) << feature_bits_ | p.feature_b;
    const Friction& f = surface.friction;
    contacts.push_back(
        {s.node, t.node, p.point, p.normal, p.gap, f.sliding, surface.restitution, id, f.torsional, f.rolling});
    closes_.push_back(p.gap <= calc_approach(s, t) + surface.margin + slack);
  }
}

// The trees that loops, couplings and tendons connect, and those that hang on the world.
void ContactShapes::join_trees(const Model& m) {
  for (const Node& n : m.nodes())
    tree_of_.push_back(n.parent <= 0 ? static_cast<int>(tree_of_.size()) : tree_of_[n.parent]);
  island_.resize(tree_of_.size());
  std::iota(island_.begin(), island_.end(), 0);
  const auto join = [&](int node_a, int node_b) {
    island_[find_island(tree_of_[node_b])] = find_island(tree_of_[node_a]);
  };
  const auto node_of = [&](int v) {
    int node = 1;
    while (v >= m.nodes()[node].v + m.nodes()[node].nv) ++node;
    return node;
  };
  for (const LoopEntry& l : m.loops()) join(l.node_a, l.node_b);
  for (const CouplingEntry& c : m.couplings())
    for (const CouplingEntry::Term& t : c.terms) join(node_of(c.v), node_of(t.v));
  for (const TendonEntry& t : m.tendons())
    for (const TendonEntry::Part& part : t.parts)
      if (part.kind != TendonPartKind::pulley) join(t.parts.front().node, part.node);
  for (const TendonCouplingEntry& c : m.tendon_couplings())
    if (c.driver >= 0) join(m.tendons()[c.dependent].parts.front().node, m.tendons()[c.driver].parts.front().node);
  for (int tree = 0; tree < static_cast<int>(tree_of_.size()); ++tree) joined_.push_back(find_island(tree));
  grounded_.assign(tree_of_.size(), false);
  for (std::size_t i = 0; i < tree_of_.size(); ++i)
    if (tree_of_[i] == static_cast<int>(i) && (i == 0 || m.nodes()[i].joint.kind != JointKind::free))
      grounded_[joined_[i]] = true;
}

// [m] Like the sum of the reaches, but from the relative velocity of the two.
double ContactShapes::calc_approach(const Shape& s, const Shape& t) const {
  const double falls = gravity_ * dt_ * ((s.node != 0) + (t.node != 0));
  return 2 * dt_ * (norm(s.velocity - t.velocity) + s.whirl + t.whirl + falls);
}

int ContactShapes::find_island(int tree) {
  while (island_[tree] != tree) tree = island_[tree] = island_[island_[tree]];
  return tree;
}
void ContactShapes::join_islands(int node_a, int node_b) {
  if (node_a != 0 && node_b != 0) island_[find_island(tree_of_[node_b])] = find_island(tree_of_[node_a]);
}

// Where nothing near connects an island with the world, its shapes reach as far as they move relative to their mean.
void ContactShapes::shorten_reaches() {
  island_ = joined_, flags_.assign(tree_of_.size(), false);
  for (const auto& [a, b] : near_) join_islands(shapes_[a].node, shapes_[b].node);
  for (const auto& [a, b] : near_)
    if (shapes_[a].node == 0 || shapes_[b].node == 0)
      flags_[find_island(tree_of_[shapes_[a].node != 0 ? shapes_[a].node : shapes_[b].node])] = true;
  for (std::size_t i = 0; i < tree_of_.size(); ++i)
    if (grounded_[i]) flags_[find_island(static_cast<int>(i))] = true;
  drift_.assign(tree_of_.size(), {});
  for (const int i : others_) {
    Drift& d = drift_[find_island(tree_of_[shapes_[i].node])];
    d.sum += shapes_[i].velocity, ++d.shapes;
  }
  for (const int i : others_) {
    Shape& s = shapes_[i];
    const int island = find_island(tree_of_[s.node]);
    if (s.node == 0 || flags_[island]) continue;
    const Vec3<double> mean = (1.0 / drift_[island].shapes) * drift_[island].sum;
    s.reach = std::min(s.reach, 2 * dt_ * (norm(s.velocity - mean) + s.whirl + dt_ * gravity_));
  }
}

// Keeps the contacts of islands in which one closes.
void ContactShapes::keep_closing_islands(std::vector<ContactPoint>& contacts) {
  if (std::find(closes_.begin(), closes_.end(), false) == closes_.end()) return;
  island_ = joined_, flags_.assign(tree_of_.size(), false);
  const auto tree = [&](const ContactPoint& c) { return tree_of_[c.node_a != 0 ? c.node_a : c.node_b]; };
  for (const ContactPoint& c : contacts) join_islands(c.node_a, c.node_b);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (closes_[c]) flags_[find_island(tree(contacts[c]))] = true;
  std::erase_if(contacts, [&](const ContactPoint& c) { return !flags_[find_island(tree(c))]; });
}

}  // namespace sinew
