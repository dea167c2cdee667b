// src/contact/collide_surface.cpp - a convex solid against a surface of triangles, one by one
// A triangle pushes along its own normal, from its outer side. Along another direction it pushes only where an edge or
// a corner of the surface stands out that way: else the neighbour has the contact.
#include <algorithm>
#include <cmath>

#include "contact/colliders.hpp"
#include "sinew/contact/triangle_surface.hpp"

namespace sinew::contact {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// In the world, about what a placed shape fills in the frame of the surface.
Bounds find_bounds(const Solid& a, const PlacedShape& surface, const Vector& origin, double reach) {
  const auto reaches = [&](const Vector& d) { return dot(d, a.find_support(d) + origin - surface.X.r) + a.radius(); };
  const Vector x = axis(surface, 0), y = axis(surface, 1), z = axis(surface, 2);
  return {{-reaches(-x) - reach, -reaches(-y) - reach, -reaches(-z) - reach},
          {reaches(x) + reach, reaches(y) + reach, reaches(z) + reach}};
}

class SurfaceContact {
 public:
  SurfaceContact(const PlacedShape& a, const PlacedShape& b, double reach, Points& out)
      : surface_(*b.surface), b_(b), origin_(a.X.r), reach_(reach), a_(a, origin_), out_(out), first_(out.size()) {}

  void run() {
    surface_.visit_near(find_bounds(a_, b_, origin_, reach_), [&](int f) { touch(f); });
    thin_out_planes();
  }

 private:
  static constexpr double kShallow = 1e-3;  // of the size of the solid

  void touch(int number) {
    const TriangleSurface::Facet& f = surface_.facets()[at(number)];
    Triangle t;
    for (std::size_t k = 0; k < 3; ++k) {
      t.corners[k] = to_world(b_, surface_.vertex(f.corners[k]));
      t.vertex[k] = vertex_feature(f.corners[k]), t.edge[k] = edge_feature(f.edges[k]);
    }
    t.normal = apply_inverse(b_.X.E, f.normal), t.face = face_feature(number);
    const Solid triangle(t, origin_);
    // Wholly above, or wholly below: not touched from outside.
    const double gap = calc_separation(a_, triangle, t.normal), near = 1e-9 * a_.extent();
    if (gap > reach_ || -calc_separation(triangle, a_, t.normal) < -near) return;
    const std::size_t before = out_.size();
    const double least = add_patches(a_, triangle, t.normal, gap, origin_, reach_, out_);
    const bool over = least <= gap + near, deep = least < -kShallow * a_.extent();
    if (!over || deep) {
      // The lowest point is not over the triangle, or so far below that it may have come from elsewhere.
      const Approach other = find_approach(a_, triangle, reach_);
      const bool known = a_.has_volume() || !other.overlap;  // a flat core in a flat triangle knows no way out
      if (!over && known && stands_out(f, t, other)) {
        out_.resize(before);
        add_contacts(a_, triangle, other, origin_, reach_, out_);
      } else {
        keep_sound(before, t.normal, over, other.overlap ? -INFINITY : other.gap - near);
      }
    }
    drop_repeated(before);
  }

  // Along the triangle's normal a corner may touch, or a face that looks straight at it; nothing is nearer than
  // `nearest`.
  void keep_sound(std::size_t before, const Vector& normal, bool over, double nearest) {
    constexpr double kStraight = 0.99;
    Patch patch;
    a_.find_patch(-normal, patch);
    const bool straight = over || (patch.count > 2 && dot(patch.normal, normal) < -kStraight);
    const auto unsound = [&](const TouchPoint& p) {
      return p.gap < nearest || (!straight && p.feature_a % 3 != vertex_feature(0));
    };
    const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(before);
    out_.erase(std::remove_if(begin, out_.end(), unsound), out_.end());
  }

  // Whether the direction lies between the normals of the facets around the edge or corner that is nearest.
  bool stands_out(const TriangleSurface::Facet& f, const Triangle& t, const Approach& other) const {
    constexpr double kAngle = 1e-6;
    const Vector p = other.on_b + origin_;
    bool at_edge = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector &from = t.corners[k], edge = t.corners[(k + 1) % 3] - from;
      Vector out = cross(edge, t.normal);  // in the plane, away from the triangle
      out = (1 / norm(out)) * out;
      if (std::abs(dot(out, p - from)) > 1e-7 * norm(edge)) continue;
      at_edge = true;
      if (f.across[k] < 0) continue;
      const Vector m = apply_inverse(b_.X.E, surface_.facets()[at(f.across[k])].normal);
      if (dot(out, m) < kAngle) return false;  // flat or hollow
      // Between t.normal and m, seen along the edge.
      const Vector limit = cross(m, (1 / norm(edge)) * edge);  // square to m and the edge, away from the neighbour
      if (dot(out, other.normal) < -kAngle || dot(limit, other.normal) < -kAngle) return false;
    }
    return at_edge && dot(other.normal, t.normal) > -kAngle;
  }

  // Neighbours that share an edge or a corner may both have found it.
  void drop_repeated(std::size_t before) {
    const double same_place = 1e-8 * a_.extent();
    std::size_t kept = before;
    for (std::size_t i = before; i < out_.size(); ++i) {
      const TouchPoint p = out_[i];
      const auto same = [&](const TouchPoint& q) {
        const Vector d = p.point - q.point, n = p.normal - q.normal;
        return dot(d, d) < same_place * same_place && dot(n, n) < 1e-10;
      };
      const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(first_);
      if (std::none_of(begin, out_.begin() + static_cast<std::ptrdiff_t>(kept), same)) out_[kept++] = p;
    }
    out_.resize(kept);
  }

  // Points over facets in one plane belong together.
  void thin_out_planes() {
    const auto height = [&](const TouchPoint& p) { return dot(p.normal, p.point - origin_) - p.gap / 2; };
    for (std::size_t begin = first_; begin < out_.size();) {
      const Vector n = out_[begin].normal;
      const double level = height(out_[begin]);
      std::size_t end = begin;
      for (std::size_t i = begin; i < out_.size(); ++i) {
        const Vector d = out_[i].normal - n;
        if (dot(d, d) < 1e-10 && std::abs(height(out_[i]) - level) < 1e-6 * a_.extent())
          std::swap(out_[i], out_[end++]);
      }
      begin = thin_out(out_, begin, end);
    }
  }

  const TriangleSurface& surface_;
  const PlacedShape& b_;
  Vector origin_;
  double reach_;
  Solid a_;
  Points& out_;
  std::size_t first_;
};

}  // namespace

void convex_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  SurfaceContact(a, b, reach, out).run();
}

}  // namespace sinew::contact
