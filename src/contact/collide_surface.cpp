// src/contact/collide_surface.cpp - a convex solid against each triangle of a surface; two surfaces
// A triangle pushes along its own normal, from its outer side. Along another direction it pushes only where an edge or
// a corner of the surface stands out that way; otherwise the neighbour makes the contact.
#include <algorithm>
#include <cmath>

#include "contact/box_tree.hpp"
#include "contact/facets.hpp"

namespace sinew::contact {
namespace {

constexpr double kShallow = 1e-3;  // of the size: deeper overlaps are checked

// Of the contacts from `first` on, along a triangle's normal, keeps those at a corner or on a face that looks straight
// at the triangle, with a gap of at least `nearest`.
template <class FeatureOfA>
void keep_valid(Points& points, std::size_t first, bool straight, double nearest, FeatureOfA&& feature) {
  const auto invalid = [&](const TouchPoint& p) {
    return p.gap < nearest || (!straight && feature(p) % 3 != vertex_feature(0));
  };
  points.erase(std::remove_if(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(), invalid),
               points.end());
}

bool looks_straight(const Solid& a, const Vector& normal) {
  constexpr double kStraight = 0.99;
  Patch patch;
  a.find_patch(-normal, patch);
  return patch.count > 2 && dot(patch.normal, normal) < -kStraight;
}

// Contacts of a with triangle t along its normal; true if a's lowest point is among them.
bool add_along_normal(const Solid& a, const Solid& triangle, const Triangle& t, double gap, const Vector& origin,
                      double reach, Points& out) {
  const double near = 1e-9 * a.extent();
  if (add_patches(a, triangle, t.normal, gap, origin, reach, out) <= gap + near) return true;
  // The lowest point of a rim is not a corner of its patch.
  if (!a.has_unique_support(-t.normal)) return false;
  const Vector low = a.find_support(-t.normal);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector edge = t.corners[(k + 1) % 3] - t.corners[k];
    if (dot(cross(t.normal, edge), low + origin - t.corners[k]) < -near * norm(edge)) return false;
  }
  const Vector middle = low - (a.radius() + gap / 2) * t.normal;
  out.push_back({origin + middle, t.normal, gap, a.support_feature(-t.normal), t.face});
  return true;
}

void touch(const Solid& a, const Facets& facets, int facet, const Vector& origin, double reach, Points& out) {
  const Triangle t = facets.make_triangle(facet);
  const Solid triangle(t, origin);
  // Wholly above, or wholly below: not touched from outside.
  const double gap = calc_separation(a, triangle, t.normal), near = 1e-9 * a.extent();
  if (gap > reach || -calc_separation(triangle, a, t.normal) < -near) return;
  const std::size_t first = out.size();
  const bool over = add_along_normal(a, triangle, t, gap, origin, reach, out), deep = gap < -kShallow * a.extent();
  if (over && !deep) return;
  // The lowest point is not over the triangle, or so far below that it may have come from elsewhere. If they overlap,
  // the least move that parts a from this triangle may lead into a neighbour, or out through the back.
  Approach other = find_approach(a, triangle, reach);
  const bool known = a.has_volume() || !other.overlap;  // overlap of two flat cores has no direction
  const bool outward = known && facets.stands_out(facet, t, other.normal);
  bool own = outward && dot(other.normal, t.normal) > -1e-6;  // else another facet makes this contact
  if (other.overlap && !outward) own = facets.find_way_off(facet, t, a, origin, other);
  if (own && (!over || other.gap > gap + near)) {
    out.resize(first);
    add_contacts(a, triangle, other, origin, reach, out);
  } else {  // no gap is less than the least move that parts them
    keep_valid(out, first, over || looks_straight(a, t.normal), other.gap - near,
               [](const TouchPoint& p) { return p.feature_a; });
  }
}

// Bounds in the frame of a, as bounds in the frame of b, with `more` on all sides.
Bounds see_from(const PlacedShape& a, const Bounds& n, const PlacedShape& b, double more) {
  const Vector c = apply_to_point(b.X, to_world(a, 0.5 * (n.low + n.high))), h = 0.5 * (n.high - n.low);
  const Mat3<double> R = b.X.E.m * transpose(a.X.E.m);
  const Vector r{std::abs(R.xx) * h.x + std::abs(R.xy) * h.y + std::abs(R.xz) * h.z + more,
                 std::abs(R.yx) * h.x + std::abs(R.yy) * h.y + std::abs(R.yz) * h.z + more,
                 std::abs(R.zx) * h.x + std::abs(R.zy) * h.y + std::abs(R.zz) * h.z + more};
  return {c - r, c + r};
}

// Two facets: corners and straight faces along either normal, and edges that cross.
void touch(const Facets& of_a, int facet_a, const Facets& of_b, int facet_b, const Vector& origin, double reach,
           Points& out) {
  constexpr double kAway = 0.1;
  const Triangle s = of_a.make_triangle(facet_a), t = of_b.make_triangle(facet_b);
  if (dot(s.normal, t.normal) > kAway) return;
  const Solid a(s, origin), b(t, origin);
  const Approach at = find_approach(a, b, reach);
  const double size = a.extent() + b.extent(), near = 1e-9 * size;
  if (at.gap > reach) return;
  const bool straight = looks_straight(a, t.normal);
  const auto along = [&](const Vector& n, auto&& feature) {
    const std::size_t first = out.size();
    const double gap = calc_separation(a, b, n);
    if (gap > reach || -calc_separation(b, a, n) < -kShallow * size) return;
    add_patches(a, b, n, gap, origin, reach, out);
    const bool back = dot(at.normal, n) < -0.1;
    keep_valid(out, first, straight, back ? -kShallow * size : at.gap - near, feature);
  };
  along(t.normal, [](const TouchPoint& p) { return p.feature_a; });
  along(-s.normal, [](const TouchPoint& p) { return p.feature_b; });
  const Vector middle = origin + 0.5 * (at.on_a + at.on_b);
  if (at.gap > -kShallow * size && of_a.stands_out(facet_a, s, -at.normal) && of_b.stands_out(facet_b, t, at.normal))
    out.push_back({middle, at.normal, at.gap, s.face, t.face});
}

}  // namespace

void convex_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const std::size_t first = out.size();
  const Vector origin = a.X.r;
  const Solid solid(a, origin);
  const Facets facets(b);
  facets.surface().visit_near(facets.find_bounds(solid, origin, reach), [&](int f) {
    const std::size_t before = out.size();
    touch(solid, facets, f, origin, reach, out);
    drop_repeated(out, first, before, 1e-8 * solid.extent());
  });
  thin_out_planes(out, first, origin, 1e-6 * solid.extent());
}

void surface_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const std::size_t first = out.size();
  const Vector origin = a.X.r;
  const Facets of_a(a), of_b(b);
  // The part of a in the bounds of b.
  const Bounds& all = b.surface->bounds();
  PlacedShape box = b;
  box.kind = ShapeKind::box, box.surface = nullptr, box.polytope = nullptr;
  box.X.r = to_world(b, 0.5 * (all.low + all.high));
  const Vector half = 0.5 * (all.high - all.low);
  box.size = {half.x, half.y, half.z};
  const double size = norm(half);
  const Bounds part = of_a.find_bounds(Solid(box, origin), origin, reach);
  // Parts of a that are near no facet of b are passed over whole.
  const auto is_near = [&](const Bounds& n) {
    return meet(n, part) && b.surface->has_near(see_from(a, n, b, reach + 1e-9 * size));
  };
  of_a.surface().visit_where(is_near, [&](int i) {
    const Triangle s = of_a.make_triangle(i);
    of_b.surface().visit_near(of_b.find_bounds(Solid(s, origin), origin, reach), [&](int j) {
      const std::size_t before = out.size();
      touch(of_a, i, of_b, j, origin, reach, out);
      drop_repeated(out, first, before, 1e-8 * size);
    });
    return true;
  });
  thin_out_planes(out, first, origin, 1e-6 * size);
}

}  // namespace sinew::contact
