// src/contact/contact_search.cpp - ContactShapes: which shapes are near each other, and where they touch
#include "contact/contact_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/same_bits.hpp"
#include "contact/colliders.hpp"

namespace sinew {

void ContactShapes::place(const KinematicsWorkspace<double>& ws) {
  constexpr std::size_t kFewShapes = 1000;  // not worth a thread
  const auto place_one = [&](Shape& s) { s.placed.X = s.in_node * ws.X[s.node]; };
  for (const int i : planes_) place_one(shapes_[i]);
  const std::span<Bounds> boxes = search_->pairs.boxes(others_.size());
  run(others_.size(), kFewShapes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) place_one(shapes_[others_[i]]), boxes[i] = calc_box(shapes_[others_[i]]);
  });
  find_near();
}

// Around the shape and its reach.
Bounds ContactShapes::calc_box(const Shape& s) {
  const Mat3<double>& E = s.placed.X.E.m;
  const Vec3<double> c = apply_inverse_to_point(s.placed.X, s.middle), h = s.half;
  Vec3<double> r{std::abs(E.xx) * h.x + std::abs(E.yx) * h.y + std::abs(E.zx) * h.z,
                 std::abs(E.xy) * h.x + std::abs(E.yy) * h.y + std::abs(E.zy) * h.z,
                 std::abs(E.xz) * h.x + std::abs(E.yz) * h.y + std::abs(E.zz) * h.z};
  if (s.placed.kind == ShapeKind::sphere) r = h;
  const double more = s.reach + s.widest_margin + 1e-9 * s.bound;
  return {{c.x - r.x - more, c.y - r.y - more, c.z - r.z - more},
          {c.x + r.x + more, c.y + r.y + more, c.z + r.z + more}};
}

// Pairs whose boxes meet, and shapes whose ball reaches a plane, in the order of the model.
void ContactShapes::find_near() {
  find_near_planes();
  contact::NearPairs& pairs = search_->pairs;
  pairs.update([&](int a, int b) { return may_touch(others_[a], others_[b]); });

  std::vector<Search::Near>& near = search_->near;
  near.clear();
  auto plane = search_->planes.begin();
  for (std::size_t k = 0; k < pairs.pairs().size(); ++k) {
    const contact::NearPairs::Pair& p = pairs.pairs()[k];
    if (!pairs.meets(p)) continue;
    const Search::Near next{others_[p.a], others_[p.b], static_cast<int>(k)};
    while (plane != search_->planes.end() && *plane < next) near.push_back(*plane++);
    near.push_back(next);
  }
  near.insert(near.end(), plane, search_->planes.end());
}

void ContactShapes::find_near_planes() {
  std::vector<Search::Near>& out = search_->planes;
  out.clear();
  for (const int p : planes_) {
    const Shape& plane = shapes_[p];
    const Mat3<double>& E = plane.placed.X.E.m;
    const Vec3<double> n{E.zx, E.zy, E.zz};
    for (const int i : others_) {
      const Shape& s = shapes_[i];
      const double height = dot(n, s.placed.X.r - plane.placed.X.r) - s.bound;
      if (height > s.reach + plane.reach + s.widest_margin + plane.widest_margin + 1e-9 * s.bound) continue;
      const auto [a, b] = std::minmax(i, p);
      if (may_touch(a, b)) out.push_back({a, b, -1});
    }
  }
  if (!std::is_sorted(out.begin(), out.end())) std::sort(out.begin(), out.end());
}

namespace {

using contact::PairStart;

// Whether the two have hulls, and finding their contacts costs more than to ask whether these are apart.
bool is_costly(const PlacedShape& a, const PlacedShape& b) {
  using enum ShapeKind;
  if (a.kind == sphere || b.kind == sphere || (a.kind == b.kind && (a.kind == box || a.kind == capsule)))
    if (a.kind < mesh && b.kind < mesh) return false;  // closed forms
  return (a.polytope || a.kind < mesh) && (b.polytope || b.kind < mesh);
}

// Whether the solids, or the hulls of surfaces, are too far apart for the collider to find anything.
bool are_apart(const PlacedShape& a, const PlacedShape& b, double reach, PairStart& start) {
  const contact::Vector origin = b.X.r;
  contact::Solid A(a, origin), B(b, origin);
  A.set_start(start.vertex_a), B.set_start(start.vertex_b);
  const bool out = are_surely_apart(A, B, reach, start.axis);
  start.vertex_a = A.start(), start.vertex_b = B.start();
  return out;
}

}  // namespace

// Whether the box about a hull is farther above a plane than `reach`. Its corners need not be looked at then.
bool ContactShapes::is_above(const Shape& s, const Shape& plane, double reach) {
  const Vec3<double> n = contact::axis(plane.placed, 2), d = apply(s.placed.X.E, n), h = s.half;
  const double middle = dot(n, apply_inverse_to_point(s.placed.X, s.middle) - plane.placed.X.r);
  return middle - std::abs(d.x) * h.x - std::abs(d.y) * h.y - std::abs(d.z) * h.z > reach + 1e-9 * s.bound;
}

// Which shapes are where they were in the last search, bit for bit.
void ContactShapes::Search::find_still(const std::vector<Shape>& shapes, double dt) {
  bool anything_still = false;
  anything_rests = false;
  seen.resize(shapes.size()), still.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& s = shapes[i];
    const Seen now{s.placed.X, s.velocity, s.reach, s.whirl, dt};
    still[i] = same_bits(now, seen[i]), seen[i] = now;
    if (s.node == 0) continue;
    anything_still = anything_still || still[i];
    anything_rests = anything_rests || (s.velocity == Vec3<double>{} && s.whirl == 0);
  }
  if (!anything_still || !complete) kept.clear();
  complete = false;
}

// Takes the contacts of the last search, if there was such a pair in it and neither has moved.
bool ContactShapes::Search::repeat(const Near& pair, Found& out) const {
  if (!still[at(pair.a)] || !still[at(pair.b)]) return false;
  const auto same = std::lower_bound(kept.begin(), kept.end(), pair,
                                     [](const Kept& x, const Near& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  if (same == kept.end() || same->a != pair.a || same->b != pair.b) return false;
  for (std::size_t c = same->first; c < same->end; ++c)
    out.contacts.push_back(kept_found.contacts[c]), out.closes.push_back(kept_found.closes[c]);
  return true;
}

// For the next search, where it may be of use.
void ContactShapes::Search::keep(const std::vector<ContactPoint>& contacts, const std::vector<bool>& closes) {
  kept.clear(), complete = true;
  if (!anything_rests) return;
  std::size_t first = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const std::size_t end = first + at(counts[i]);
    kept.push_back({near[i].a, near[i].b, first, end});
    first = end;
  }
  kept_found.contacts.assign(contacts.begin(), contacts.end());
  kept_found.closes.assign(closes.begin(), closes.end());
}

void ContactShapes::touch(int a, int b, int slot, Found& out) {
  const Surface surface = calc_surface(a, b);
  // Resting shapes have a reach of zero: rounding must not lose their contacts.
  const double slack = 1e-9 * (shapes_[a].bound + shapes_[b].bound);
  const double reach = shapes_[a].reach + shapes_[b].reach + surface.margin + slack;
  PairStart* start = nullptr;
  if (slot >= 0 && is_costly(shapes_[a].placed, shapes_[b].placed)) {
    start = &search_->pairs.start(static_cast<std::size_t>(slot));
    if (!start->touching && are_apart(shapes_[a].placed, shapes_[b].placed, reach, *start)) return;
  }
  Collider collider = find_collider(shapes_[a].placed, shapes_[b].placed);
  if (!collider) {
    std::swap(a, b);
    collider = find_collider(shapes_[a].placed, shapes_[b].placed);
  }
  const Shape &s = shapes_[a], &t = shapes_[b];
  if (t.placed.kind == ShapeKind::plane && s.placed.polytope && is_above(s, t, reach)) return;
  out.points.clear();
  collider(s.placed, t.placed, reach, out.points);
  if (start) start->touching = !out.points.empty();
  const std::uint64_t pair = static_cast<std::uint64_t>(a) * shapes_.size() + static_cast<std::uint64_t>(b);
  for (const TouchPoint& p : out.points) {
    const std::uint64_t id = (pair << feature_bits_ | p.feature_a) << feature_bits_ | p.feature_b;
    const Friction& f = surface.friction;
    out.contacts.push_back(
        {s.node, t.node, p.point, p.normal, p.gap, f.sliding, surface.restitution, id, f.torsional, f.rolling});
    out.closes.push_back(p.gap <= calc_approach(s, t) + surface.margin + slack);
  }
}

// On several threads each takes whole parts of the pairs; the parts are put together in their order.
void ContactShapes::touch_near(std::vector<ContactPoint>& contacts) {
  constexpr std::size_t kPart = 128;  // pairs
  const std::vector<Search::Near>& near = search_->near;
  const std::size_t parts = loop ? std::max<std::size_t>(1, (near.size() + kPart - 1) / kPart) : 1;
  if (search_->parts.size() < parts) search_->parts.resize(parts);
  search_->find_still(shapes_, dt_);
  search_->counts.resize(near.size());
  std::swap(search_->parts[0].contacts, contacts);
  const auto touch_part = [&](std::size_t part, std::size_t size) {
    Found& out = search_->parts[part];
    out.contacts.clear(), out.closes.clear();
    for (std::size_t i = part * size; i < std::min(near.size(), (part + 1) * size); ++i) {
      interrupt.check();
      const std::size_t before = out.contacts.size();
      if (!search_->repeat(near[i], out)) touch(near[i].a, near[i].b, near[i].slot, out);
      search_->counts[i] = static_cast<int>(out.contacts.size() - before);
    }
  };
  if (parts == 1) {
    touch_part(0, near.size());
  } else {
    for (const Search::Near& n : near)  // so that no thread has to make one
      if (n.slot >= 0 && is_costly(shapes_[n.a].placed, shapes_[n.b].placed))
        search_->pairs.start(static_cast<std::size_t>(n.slot));
    run(parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) touch_part(part, kPart);
    });
  }
  std::swap(search_->parts[0].contacts, contacts);
  std::swap(search_->parts[0].closes, closes_);
  for (std::size_t part = 1; part < parts; ++part) {
    const Found& more = search_->parts[part];
    contacts.insert(contacts.end(), more.contacts.begin(), more.contacts.end());
    closes_.insert(closes_.end(), more.closes.begin(), more.closes.end());
  }
  search_->keep(contacts, closes_);
}

}  // namespace sinew
