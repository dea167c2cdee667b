// sinew/contact/kernel/solid.hpp - convex solids of a pair, for CPU and device: world axes, an origin near both
// A solid is a core, enlarged by a radius: the core of a sphere is a point, that of a capsule a segment. Always in
// double: a search for the nearest points loses half of the digits, and what is left of a float is too little.
// Room says how much there is room for:
//   Hull        a convex solid with flat faces: Polytope or HullView
//   kCorners    of a patch
//   kPoints     of the polytope that overlaps are found with
//   kInside     of the size: what is this far outside of a face counts as inside
// Here what smooth searches ask for; patches and faces are in solid_faces.hpp.
#pragma once
#include <cmath>

#include "sinew/base/large_function.hpp"
#include "sinew/contact/kernel/patch.hpp"
#include "sinew/contact/kernel/placed_size.hpp"
#include "sinew/model/shape_spec.hpp"

namespace sinew::contact {

template <class Room_>
class SolidOf {
 public:
  using Room = Room_;
  using Hull = typename Room::Hull;
  using Patch = PatchOf<Room::kCorners>;

  SINEW_HD_LARGE SolidOf(ShapeKind kind, const Transform<double>& X, const double* size, const Hull* hull,
                         const Vector& origin);
  SINEW_HD_LARGE SolidOf(const Triangle& t, const Vector& origin);

  SINEW_HD double radius() const { return radius_; }
  SINEW_HD double extent() const { return extent_; }  // [m] about half its length
  SINEW_HD const Vector& centre() const { return centre_; }
  SINEW_HD bool has_volume() const { return kind_ >= Kind::box; }
  // The corner of a polytope from which the next support is looked for: time, not results, depends on it.
  SINEW_HD int start() const { return start_; }
  SINEW_HD void set_start(int vertex) { start_ = vertex; }

  SINEW_HD_LARGE Vector find_support(const Vector& n) const;      // of the core
  SINEW_HD_LARGE bool has_unique_support(const Vector& n) const;  // a smooth surface, or the rim of one
  SINEW_HD_LARGE std::uint32_t support_feature(const Vector& n) const;
  // Of the contact at the nearest points of two solids: the same wherever these are, so that its id is the same from
  // step to step. All other contacts are with a corner or an edge.
  SINEW_HD std::uint32_t nearest_feature() const { return kind_ == Kind::triangle ? triangle_->face : face_feature(0); }
  SINEW_HD_LARGE void find_patch(const Vector& n, Patch& out) const;  // of the core
  SINEW_HD double patch_sags(const Vector& n) const;  // [m] how much farther along n than its patch it may be
  SINEW_HD_LARGE void find_faces(const Vector& d, Facing& out) const;
  SINEW_HD_LARGE void find_facing(const Vector& n, double within, Facing& out) const;

 private:
  enum class Kind : std::uint8_t { point, segment, triangle, box, cylinder, ellipsoid, polytope, rounded };
  SINEW_HD Vector to_own(const Vector& n) const { return {dot(axes_[0], n), dot(axes_[1], n), dot(axes_[2], n)}; }
  SINEW_HD Vector turn(const Vector& p) const { return p.x * axes_[0] + p.y * axes_[1] + p.z * axes_[2]; }
  SINEW_HD Vector place(const Vector& p) const { return centre_ + turn(p); }
  SINEW_HD void find_box_patch(const Vector& n, Patch& out) const;
  SINEW_HD void find_cylinder_patch(const Vector& n, Patch& out) const;
  SINEW_HD void find_polytope_patch(const Vector& n, Patch& out) const;
  SINEW_HD int find_polytope_face(const Vector& d) const;
  SINEW_HD int find_vertex(const Vector& n) const { return start_ = hull_->find_support(n, start_); }  // in own axes

  Kind kind_ = Kind::point;
  double radius_ = 0, extent_ = 0;
  Vector centre_;
  Vector axes_[3];
  double size_[3] = {};
  const Hull* hull_ = nullptr;
  const Triangle* triangle_ = nullptr;
  mutable int start_ = 0;
};

template <class Room>
SolidOf<Room>::SolidOf(ShapeKind kind, const Transform<double>& X, const double* size, const Hull* hull,
                       const Vector& origin)
    : centre_(X.r - origin) {
  for (int k = 0; k < 3; ++k) axes_[k] = axis_of(X, k), size_[k] = size[k];
  switch (kind) {
    case ShapeKind::sphere: kind_ = Kind::point, radius_ = extent_ = size_[0]; break;
    case ShapeKind::capsule: kind_ = Kind::segment, radius_ = size_[0], extent_ = size_[0] + size_[1]; break;
    case ShapeKind::box: kind_ = Kind::box, extent_ = size_[0] + size_[1] + size_[2]; break;
    case ShapeKind::cylinder: kind_ = Kind::cylinder, extent_ = size_[0] + size_[1]; break;
    case ShapeKind::ellipsoid: kind_ = Kind::ellipsoid, extent_ = max(max(size_[0], size_[1]), size_[2]); break;
    default:
      hull_ = hull, kind_ = hull_->rounding > 0 ? Kind::rounded : Kind::polytope;
      extent_ = size_[0] + size_[1] + size_[2];
  }
}

template <class Room>
SolidOf<Room>::SolidOf(const Triangle& t, const Vector& origin) : kind_(Kind::triangle), triangle_(&t) {
  for (int k = 0; k < 3; ++k) axes_[k] = t.corners[k] - origin;  // a triangle stores its corners here
  centre_ = (1.0 / 3) * (axes_[0] + axes_[1] + axes_[2]);
  extent_ = norm(axes_[0] - centre_) + norm(axes_[1] - centre_);
}

template <class Room>
Vector SolidOf<Room>::find_support(const Vector& n) const {
  using std::sqrt;
  switch (kind_) {
    case Kind::point: return centre_;
    case Kind::segment: return centre_ + (dot(axes_[2], n) < 0 ? -size_[1] : size_[1]) * axes_[2];
    case Kind::triangle: {
      const double d[] = {dot(axes_[0], n), dot(axes_[1], n), dot(axes_[2], n)};
      return axes_[d[0] >= d[1] ? (d[0] >= d[2] ? 0 : 2) : (d[1] >= d[2] ? 1 : 2)];
    }
    case Kind::box: {
      Vector out = centre_;
      for (int k = 0; k < 3; ++k) out += (dot(axes_[k], n) < 0 ? -size_[k] : size_[k]) * axes_[k];
      return out;
    }
    case Kind::cylinder: {
      const Vector d = to_own(n);
      const double across = sqrt(d.x * d.x + d.y * d.y), s = across > 0 ? size_[0] / across : 0;
      return place({s * d.x, s * d.y, d.z < 0 ? -size_[1] : size_[1]});
    }
    case Kind::ellipsoid: {
      const Vector d = to_own(n), An{size_[0] * d.x, size_[1] * d.y, size_[2] * d.z};
      const double s = 1 / norm(An);
      return place({s * size_[0] * An.x, s * size_[1] * An.y, s * size_[2] * An.z});
    }
    case Kind::polytope: return place(hull_->vertices[find_vertex(to_own(n))]);
    case Kind::rounded: return place(hull_->find_rounded_support(to_own(n)));
  }
  return centre_;
}

template <class Room>
bool SolidOf<Room>::has_unique_support(const Vector& n) const {
  using std::abs;
  if (kind_ == Kind::point || kind_ == Kind::ellipsoid || kind_ == Kind::rounded) return true;
  if (kind_ != Kind::cylinder) return false;
  constexpr double kTilt = 1e-7;
  const double along = abs(dot(axes_[2], n));
  return along > kTilt && along < 1 - kTilt * kTilt / 2;
}

template <class Room>
std::uint32_t SolidOf<Room>::support_feature(const Vector& n) const {
  switch (kind_) {
    case Kind::segment: return vertex_feature(dot(axes_[2], n) < 0 ? 0 : 1);
    case Kind::triangle: return triangle_->face;
    case Kind::box:
      return vertex_feature((dot(axes_[0], n) < 0 ? 0 : 1) + (dot(axes_[1], n) < 0 ? 0 : 2) +
                            (dot(axes_[2], n) < 0 ? 0 : 4));
    case Kind::cylinder: return vertex_feature(2 * kRim + 2 + (dot(axes_[2], n) < 0 ? 0 : 1));  // after its side
    case Kind::polytope: return vertex_feature(find_vertex(to_own(n)));
    default: return vertex_feature(0);
  }
}

// Along the unit vector n: how far a is from b; negative where they overlap. The gap is the largest of these.
template <class Solid>
SINEW_HD double calc_separation(const Solid& a, const Solid& b, const Vector& n) {
  return dot(n, a.find_support(-n) - b.find_support(n)) - a.radius() - b.radius();
}

struct Approach {
  Vector normal;         // unit, from b to a
  double gap = 0;        // along it
  Vector on_a, on_b;     // nearest points of the cores
  bool overlap = false;  // of the cores
};

}  // namespace sinew::contact
