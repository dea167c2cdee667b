// sinew/contact/kernel/surface_contacts.hpp - a convex solid against each triangle of a surface, for CPU and device
// A triangle pushes along its own normal, from its outer side. Along another direction it pushes only where an edge or
// a corner of the surface stands out that way; otherwise the neighbour makes the contact.
// Tools: the types Solid and Points (see thin_out.hpp), and how each side finds what it has for pairs of solids anyway:
//   find_approach(a, b, reach), add_patches and add_contacts (patches.hpp) into Points, sort()
#pragma once
#include "sinew/contact/kernel/facets.hpp"
#include "sinew/contact/kernel/solid_faces.hpp"
#include "sinew/contact/kernel/thin_out.hpp"

namespace sinew::contact {

// Of the contacts from `first` on, along a triangle's normal, keeps those at a corner or on a face that looks straight
// at the triangle, with a gap of at least `nearest`. feature: of the solid that has the corner.
SINEW_HD_CALLER
template <class Points, class Feature>
SINEW_HD void keep_valid(Points& points, std::size_t first, bool straight, double nearest, const Feature& feature) {
  std::size_t kept = first;
  for (std::size_t i = first; i < points.size(); ++i) {
    const TouchPoint p = points[i];
    if (p.gap < nearest || (!straight && feature(p) % 3 != vertex_feature(0))) continue;
    points[kept++] = p;
  }
  points.resize(kept);
}

// Merges points from `first` on with those from `known` on that have the same place and normal; the smaller gap stays.
SINEW_HD_CALLER
template <class Points>
SINEW_HD void drop_repeated(Points& points, std::size_t known, std::size_t first, double same_place) {
  std::size_t kept = first;
  for (std::size_t i = first; i < points.size(); ++i) {
    const TouchPoint p = points[i];
    std::size_t twin = known;
    for (; twin < kept; ++twin) {
      const Vector d = p.point - points[twin].point, n = p.normal - points[twin].normal;
      if (dot(d, d) < same_place * same_place && dot(n, n) < 1e-10) break;
    }
    if (twin == kept)
      points[kept++] = p;
    else if (p.gap < points[twin].gap)
      points[twin] = p;
  }
  points.resize(kept);
}

// Points over facets in one plane belong together: thins them out.
SINEW_HD_CALLER
template <class Points, class Sort>
SINEW_HD void thin_out_planes(Points& points, std::size_t first, const Vector& origin, double same_height,
                              const Sort& sort) {
  using std::abs;
  const auto height = [&](const TouchPoint& p) { return dot(p.normal, p.point - origin) - p.gap / 2; };
  for (std::size_t begin = first; begin < points.size();) {
    const Vector n = points[begin].normal;
    const double level = height(points[begin]);
    std::size_t end = begin;
    for (std::size_t i = begin; i < points.size(); ++i) {
      const TouchPoint p = points[i];
      const Vector d = p.normal - n;
      if (dot(d, d) < 1e-10 && abs(height(p) - level) < same_height) points[i] = points[end], points[end++] = p;
    }
    begin = thin_out(points, begin, end, sort);
  }
}

SINEW_HD_CALLER
template <class Solid>
SINEW_HD bool looks_straight(const Solid& a, const Vector& normal) {
  constexpr double kStraight = 0.99;
  typename Solid::Patch patch;
  a.find_patch(-normal, patch);
  return patch.count > 2 && dot(patch.normal, normal) < -kStraight;
}

// A solid on a surface. All stay as long as this is used.
template <class Tools>
class SurfaceContacts {
 public:
  using Solid = typename Tools::Solid;
  using Points = typename Tools::Points;
  SINEW_HD SurfaceContacts(const Solid& a, const Facets& facets, const Vector& origin, double reach, Points& out)
      : a_(a), facets_(facets), origin_(origin), reach_(reach), out_(out) {}

  SINEW_HD_CALLER
  SINEW_HD_LARGE void find() {
    const std::size_t first = out_.size();
    facets_.surface().visit_near(facets_.find_bounds(a_, origin_, reach_), [&](int facet) {
      const std::size_t before = out_.size();
      touch(facet);
      drop_repeated(out_, first, before, 1e-8 * a_.extent());
    });
    thin_out_planes(out_, first, origin_, 1e-6 * a_.extent(), Tools::sort());
  }

 private:
  static constexpr double kShallow = 1e-3;  // of the size: deeper overlaps are checked

  // Contacts with triangle t along its normal; true if the solid's lowest point is among them.
  SINEW_HD_CALLER
  SINEW_HD_LARGE bool add_along_normal(const Solid& triangle, const Triangle& t, double gap) {
    const double near = 1e-9 * a_.extent();
    if (Tools::add_patches(a_, triangle, t.normal, gap, origin_, reach_, out_) <= gap + near) return true;
    // The lowest point of a rim is not a corner of its patch.
    if (!a_.has_unique_support(-t.normal)) return false;
    const Vector low = a_.find_support(-t.normal);
    for (int k = 0; k < 3; ++k) {
      const Vector edge = t.corners[(k + 1) % 3] - t.corners[k];
      if (dot(cross(t.normal, edge), low + origin_ - t.corners[k]) < -near * norm(edge)) return false;
    }
    const Vector middle = low - (a_.radius() + gap / 2) * t.normal;
    out_.push_back({origin_ + middle, t.normal, gap, a_.support_feature(-t.normal), t.face});
    return true;
  }

  SINEW_HD_CALLER
  SINEW_HD_LARGE void touch(int facet) {
    const Triangle t = facets_.make_triangle(facet);
    const Solid triangle(t, origin_);
    // Wholly above, or wholly below: not touched from outside.
    const double gap = calc_separation(a_, triangle, t.normal), near = 1e-9 * a_.extent();
    if (gap > reach_ || -calc_separation(triangle, a_, t.normal) < -near) return;
    const std::size_t first = out_.size();
    const bool over = add_along_normal(triangle, t, gap), deep = gap < -kShallow * a_.extent();
    if (over && !deep) return;
    // The lowest point is not over the triangle, or so far below that it may have come from elsewhere. If they overlap,
    // the least move that parts the solid from this triangle may lead into a neighbour, or out through the back.
    Approach other = Tools::find_approach(a_, triangle, reach_);
    const bool known = a_.has_volume() || !other.overlap;  // overlap of two flat cores has no direction
    const bool outward = known && facets_.stands_out(facet, t, other.normal);
    bool own = outward && dot(other.normal, t.normal) > -1e-6;  // else another facet makes this contact
    if (other.overlap && !outward) own = facets_.find_way_off(facet, t, a_, origin_, other);
    if (own && (!over || other.gap > gap + near)) {
      out_.resize(first);
      Tools::add_contacts(a_, triangle, other, origin_, reach_, out_);
    } else {  // no gap is less than the least move that parts them
      keep_valid(out_, first, over || looks_straight(a_, t.normal), other.gap - near,
                 [](const TouchPoint& p) { return p.feature_a; });
    }
  }

  const Solid& a_;
  const Facets& facets_;
  const Vector& origin_;
  double reach_;
  Points& out_;
};

}  // namespace sinew::contact
