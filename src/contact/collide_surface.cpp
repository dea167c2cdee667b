// src/contact/collide_surface.cpp - a convex solid on a surface, by the text of devices; two surfaces
#include "contact/box_tree.hpp"
#include "contact/surface_tools.hpp"
#include "sinew/contact/kernel/surface_contacts.hpp"
#include "sinew/contact/triangle_surface.hpp"

namespace sinew::contact {
namespace {

constexpr double kShallow = 1e-3;  // of the size: deeper overlaps are checked

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
  const Vector origin = a.X.r;
  const Solid solid(a, origin);
  const SurfaceView surface = b.surface->view();
  const Facets facets(surface, b.X);
  SurfaceContacts<SurfaceTools>(solid, facets, origin, reach, out).find();
}

void surface_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  const std::size_t first = out.size();
  const Vector origin = a.X.r;
  const SurfaceView view_a = a.surface->view(), view_b = b.surface->view();
  const Facets of_a(view_a, a.X), of_b(view_b, b.X);
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
  view_a.visit_where(is_near, [&](int i) {
    const Triangle s = of_a.make_triangle(i);
    view_b.visit_near(of_b.find_bounds(Solid(s, origin), origin, reach), [&](int j) {
      const std::size_t before = out.size();
      touch(of_a, i, of_b, j, origin, reach, out);
      drop_repeated(out, first, before, 1e-8 * size);
    });
    return true;
  });
  thin_out_planes(out, first, origin, 1e-6 * size, SurfaceTools::sort());
}

}  // namespace sinew::contact
