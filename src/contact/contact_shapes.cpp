// src/contact/contact_shapes.cpp
#include "sinew/contact/contact_shapes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "contact/contact_assets.hpp"
#include "contact/contact_search.hpp"
#include "contact/find_id.hpp"

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
// (nodes) The nearest ancestor node that carries a body: the inner nodes of a joint of several axes do not.
std::vector<int> find_parents(const Model& m) {
  std::vector<char> carries(m.nodes().size(), 0);
  carries[0] = 1;
  for (const BodyEntry& b : m.bodies()) carries[b.node] = 1;
  std::vector<int> out;
  for (const Node& n : m.nodes()) out.push_back(n.parent <= 0 || carries[n.parent] ? n.parent : out[n.parent]);
  return out;
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

ContactShapes::ContactShapes(const Model& m)
    : made_for_(m), assets_(std::make_unique<Assets>()), search_(std::make_unique<Search>()) {
  const ModelSpec& spec = m.spec();
  gravity_ = norm(spec.gravity);
  join_trees(m);
  std::unordered_map<std::string_view, int> bodies;
  for (int i = 0; i < static_cast<int>(m.bodies().size()); ++i) bodies.try_emplace(m.bodies()[i].name, i);
  const std::vector<int> parents = find_parents(m);
  for (const ShapeSpec& s : spec.shapes) {
    const int body = bodies.at(s.body);
    add_shape(m, s, body, parents[m.bodies()[body].node]);
  }
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
  if (2 * feature_bits_ + static_cast<int>(std::bit_width(shapes_.size() * shapes_.size())) > 63)
    throw std::invalid_argument("ContactShapes: " + std::to_string(shapes_.size()) + " shapes with up to " +
                                std::to_string(features) + " features are too many to number; use coarser meshes");
  check_pairs(spec);
  leave_out_neutral_overlaps(m);
}

void ContactShapes::round_mesh(const std::string& mesh, double radius) {
  assets_->round(mesh, radius);
  ++revision_;
  search_->kept.clear();
  for (Shape& s : shapes_) {
    if (!s.placed.polytope || s.placed.polytope->rounding == 0) continue;
    const contact::ContactAsset& asset = *assets_->find(s.placed.polytope);
    s.middle = asset.middle, s.half = asset.half;
    s.placed.size = {s.half.x, s.half.y, s.half.z};
    s.bound = find_box_bound(s.middle, s.half);
  }
}

void ContactShapes::add_shape(const Model& m, const ShapeSpec& s, int number, int parent) {
  const BodyEntry& body = m.bodies()[number];
  Shape out;
  out.body = number, out.node = body.node, out.parent = parent;
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
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> all = planes_;
  all.insert(all.end(), others_.begin(), others_.end());
  std::vector<int> part_of(shapes_.size(), 0);  // the welded part that the shape is on, or its body is jointed to
  for (const int i : all) {
    const Shape& s = shapes_[i];
    if (s.node == 0 || s.parent == 0) part_of[i] = find_part(m, s.node == 0 ? s.body : find_carrier(m, s.body));
  }
  for (const int i : all)
    if (shapes_[i].node == 0 && part_of[i] != 0)
      for (const int j : all) {
        const std::pair<int, int> pair = std::minmax(i, j);
        if (shapes_[j].node != 0 && part_of[j] == part_of[i] && may_touch(pair.first, pair.second) &&
            !is_named(pair.first, pair.second))
          pairs.push_back(pair);
      }
  if (pairs.empty()) return;
  std::sort(pairs.begin(), pairs.end());
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, m.neutral());
  for (const int i : all) shapes_[i].placed.X = shapes_[i].in_node * ws.X[shapes_[i].node];
  Found found;
  for (const auto& [a, b] : pairs) {
    found.contacts.clear();
    touch(a, b, -1, found);
    const double deeper = -1e-6 * (shapes_[a].bound + shapes_[b].bound);
    const auto deep = std::find_if(found.contacts.begin(), found.contacts.end(),
                                   [deeper](const ContactPoint& c) { return c.gap <= deeper; });
    if (deep == found.contacts.end()) continue;
    overlapping_.emplace_back(a, b);
    remarks_.push_back(pair_name(*deep) + ": a joint joins their bodies, and they overlap by " +
                       std::to_string(-deep->gap) + " m in the neutral position; the pair is ignored");
  }
}

// The first PairSpec that names the two; a < b.
std::vector<ContactShapes::NamedPair>::const_iterator ContactShapes::find_named(int a, int b) const {
  const auto p = std::lower_bound(named_.begin(), named_.end(), std::pair{a, b}, [](const NamedPair& x, auto y) {
    return std::pair{x.a, x.b} < y;
  });
  return p != named_.end() && p->a == a && p->b == b ? p : named_.end();
}
bool ContactShapes::is_named(int a, int b) const {
  return shapes_[a].named && shapes_[b].named && find_named(a, b) != named_.end();
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
    if (const auto p = find_named(a, b); p != named_.end()) out.friction = p->friction, out.margin = p->margin;
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

std::vector<ContactShapes::Pair> ContactShapes::list_pairs() const {
  std::vector<Pair> out;
  for (int a = 0; a < static_cast<int>(shapes_.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(shapes_.size()); ++b) {
      if (!may_touch(a, b)) continue;
      const Surface s = calc_surface(a, b);
      out.push_back({a, b, s.friction.sliding, s.restitution, s.margin});
    }
  return out;
}
int ContactShapes::pairs() const { return static_cast<int>(list_pairs().size()); }

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
  closes_.reserve(at(contacts)), island_.reserve(tree_of_.size());
  flags_.reserve(tree_of_.size()), drift_.reserve(tree_of_.size());
  const std::size_t n = others_.size(), with_planes = n * planes_.size();
  // In a heap a box has up to 16 neighbours; more than so many thousand pairs are not expected to come at once.
  const std::size_t near = std::min(n * (n + 1) / 2, at(contacts) + 8 * std::min<std::size_t>(n, 1000));
  search_->pairs.reserve(n, near);
  search_->parts.resize(std::max<std::size_t>(1, search_->parts.size()));
  Found& found = search_->parts[0];
  found.points.reserve(at(contacts)), found.closes.reserve(at(contacts));
  search_->near.reserve(near + with_planes), search_->planes.reserve(with_planes);
  search_->seen.reserve(shapes_.size()), search_->still.reserve(shapes_.size());
  search_->kept.reserve(near + with_planes), search_->counts.reserve(near + with_planes);
  search_->kept_found.contacts.reserve(at(contacts)), search_->kept_found.closes.reserve(at(contacts));
}

std::pair<int, int> ContactShapes::shapes_of(const ContactPoint& c) const {
  const std::uint64_t pair = (c.id & ~contact::kOtherPlace) >> (2 * feature_bits_);
  check_index("shapes_of", "pair of shapes", pair, shapes_.size() * shapes_.size());
  return {static_cast<int>(pair / shapes_.size()), static_cast<int>(pair % shapes_.size())};
}
std::string ContactShapes::pair_name(const ContactPoint& c) const {
  const auto [a, b] = shapes_of(c);
  return names_[a] + " on " + names_[b];
}
const Polytope* ContactShapes::hull(int shape) const {
  check_index("hull", "shape", shape, shapes_.size());
  const PlacedShape& s = shapes_[shape].placed;
  return s.surface ? nullptr : s.polytope;
}
const TriangleSurface* ContactShapes::surface(int shape) const {
  check_index("surface", "shape", shape, shapes_.size());
  return shapes_[shape].placed.surface;
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
  for (const auto& [a, b, slot] : search_->near) join_islands(shapes_[a].node, shapes_[b].node);
  for (const auto& [a, b, slot] : search_->near)
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
