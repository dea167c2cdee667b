// src/contact/touch_slopes.cpp
#include "sinew/contact/touch_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/base/index.hpp"
#include "sinew/contact/polytope.hpp"

namespace sinew {
namespace {

using Vector = Vec3<double>;

constexpr double kOnFeature = 1e-9;  // of the size of a shape: nearer to a corner, edge or face than this is on it
constexpr double kAlong = 1e-9;      // [rad] directions that differ less are the same
constexpr double kAcross = 1e-6;     // [rad] an edge is perpendicular to the normal of a nearest pair within this
constexpr double kParallel = 1e-8;   // [rad] edges closer than this to parallel have no crossing point

enum class CoreFeature { corner, edge, face, rolling, unknown };

// Where a contact lies on one of the two.
struct CorePlace {
  CoreFeature feature = CoreFeature::unknown;
  double radius = 0;
  Vector at{}, edge{};    // world; edge: its direction; of a face: its normal
  bool looks = false;     // a face looks along the normal
  Transform<double> X{};  // of a shape that rolls on a plane,
  ShapeKind kind{};       // and what it is
  std::array<double, 3> size{};
};

double radius_of(const PlacedShape& s) {
  return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule ? s.size[0] : 0;
}
Vector axis_in_world(const PlacedShape& s, int k) {
  const Mat3<double>& E = s.X.E.m;
  return k == 0 ? Vector{E.xx, E.xy, E.xz} : k == 1 ? Vector{E.yx, E.yy, E.yz} : Vector{E.zx, E.zy, E.zz};
}

// on_plane: the other one is a plane.
CorePlace find_core_place(const PlacedShape& s, const Vector& on_surface, const Vector& inward, bool on_plane) {
  CorePlace out;
  out.radius = radius_of(s);
  out.at = on_surface + out.radius * inward;
  const Vector c = apply_to_point(s.X, out.at), n = apply(s.X.E, inward);
  const double p[] = {c.x, c.y, c.z}, d[] = {n.x, n.y, n.z};
  switch (s.kind) {
    case ShapeKind::plane: out.feature = CoreFeature::face, out.looks = true, out.edge = inward; break;
    case ShapeKind::sphere: out.feature = CoreFeature::corner; break;
    case ShapeKind::capsule: {
      if (std::hypot(c.x, c.y) > 1e3 * kOnFeature * (s.size[0] + s.size[1])) break;
      out.feature = std::abs(c.z) > s.size[1] * (1 - kOnFeature) ? CoreFeature::corner : CoreFeature::edge;
      out.edge = axis_in_world(s, 2);
      break;
    }
    case ShapeKind::box: {
      const double close = kOnFeature * (s.size[0] + s.size[1] + s.size[2]);
      int count = 0, open = 0, on = 0;
      for (int k = 0; k < 3; ++k) {
        if (std::abs(std::abs(p[k]) - s.size[at(k)]) > close) {
          open = k;
          continue;
        }
        ++count, on = k;
        out.looks = out.looks || (std::abs(d[(k + 1) % 3]) < kAlong && std::abs(d[(k + 2) % 3]) < kAlong);
      }
      constexpr CoreFeature kByCount[] = {CoreFeature::unknown, CoreFeature::face, CoreFeature::edge,
                                          CoreFeature::corner};
      out.feature = kByCount[count], out.edge = axis_in_world(s, count == 1 ? on : open);
      break;
    }
    case ShapeKind::cylinder: {
      if (!on_plane) break;
      // The lowest point of a rim rolls along it; others are fixed.
      const double tilt = std::hypot(n.x, n.y), across = c.x * n.y - c.y * n.x;
      const bool lowest = tilt > kAcross && std::abs(across) < kAlong * s.size[0] * tilt && c.x * n.x + c.y * n.y < 0;
      out.feature = lowest ? CoreFeature::rolling : CoreFeature::corner;
      break;
    }
    case ShapeKind::ellipsoid:
      if (on_plane) out.feature = CoreFeature::rolling;
      break;
    case ShapeKind::mesh:
    case ShapeKind::heightfield:
      if (on_plane && !(s.polytope && s.polytope->rounding > 0)) out.feature = CoreFeature::corner;
      break;
  }
  if (out.feature == CoreFeature::rolling) out.X = s.X, out.kind = s.kind, out.size = s.size;
  return out;
}

// The one axis of a box that is perpendicular to a direction; false where there is none, or two.
bool find_level_axis(const PlacedShape& box, const Vector& direction, Vector& axis) {
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const Vector x = axis_in_world(box, k);
    if (std::abs(dot(x, direction)) < kAlong) axis = x, ++count;
  }
  return count == 1;
}

// Slide of the lowest point of a shape that rolls on a plane, while its normal turns by `change` seen from the shape.
Vector find_rolling(const CorePlace& s, const Vector& normal, const Vector& change) {
  const Vector n = apply(s.X.E, normal), dn = apply(s.X.E, change);
  Vector slide{};
  if (s.kind == ShapeKind::cylinder) {  // at -radius n_xy / |n_xy|
    const double tilt = std::hypot(n.x, n.y), x = n.x / tilt, y = n.y / tilt, along = x * dn.x + y * dn.y;
    const double scale = -s.size[0] / tilt;
    slide = {scale * (dn.x - along * x), scale * (dn.y - along * y), 0};
  } else {  // at -A^2 n / |A n|
    const auto squared = [&](const Vector& x) {
      return Vector{s.size[0] * s.size[0] * x.x, s.size[1] * s.size[1] * x.y, s.size[2] * s.size[2] * x.z};
    };
    const Vector An = squared(n);
    const double square = dot(n, An), length = std::sqrt(square);
    slide = (-1 / length) * squared(dn) + (dot(An, dn) / (square * length)) * An;
  }
  return apply_inverse(s.X.E, slide);
}

}  // namespace

bool calc_touch_slopes(const PlacedShape& a, const PlacedShape& b, const TouchPoint& touch, TouchSlopes& out) {
  const Vector n = touch.normal, x = touch.point;
  const CorePlace A = find_core_place(a, x + (touch.gap / 2) * n, n, b.kind == ShapeKind::plane),
                  B = find_core_place(b, x - (touch.gap / 2) * n, -n, a.kind == ShapeKind::plane);
  using enum CoreFeature;
  const CoreFeature fa = A.feature, fb = B.feature;
  if (fa == unknown || fb == unknown) return false;
  const double D = touch.gap + A.radius + B.radius;
  const double size = norm(A.at - a.X.r) + norm(B.at - b.X.r) + A.radius + B.radius;
  out.tie = A.looks && B.looks && a.kind != ShapeKind::plane && b.kind != ShapeKind::plane;
  // Whose normal it is: of a face, of an edge of each, or of nearest points that have no other.
  const bool two_edges = fa == edge && fb == edge;
  Vector edge_a = A.edge, edge_b = B.edge;
  bool of_edges = two_edges && std::abs(dot(n, edge_a)) < kAcross && std::abs(dot(n, edge_b)) < kAcross;
  if (a.kind == ShapeKind::box && b.kind == ShapeKind::box)  // all points of two boxes share one normal
    of_edges = find_level_axis(a, n, edge_a) && find_level_axis(b, n, edge_b);
  const bool nearest = !A.looks && !B.looks && !of_edges;
  const Vector over_b = cross(n, edge_b);
  const double turning = dot(over_b, edge_a), crossing = dot(cross(n, B.edge), A.edge);
  if (nearest) {
    if (fa == face || fb == face || fa == rolling || fb == rolling || two_edges) return false;
    if (fa == edge && std::abs(dot(n, A.edge)) > kAcross) return false;
    if (fb == edge && std::abs(dot(n, B.edge)) > kAcross) return false;
    if (std::abs(D) < kOnFeature * size) return false;
  } else {
    if (fa != corner && fb != corner && fa != rolling && fb != rolling && !two_edges) return false;
    if (two_edges && std::abs(crossing) < kParallel) return false;
    if (!A.looks && !B.looks && std::abs(turning) < kParallel) return false;
  }
  for (int k = 0; k < 6; ++k) {
    const Vector unit{k % 3 == 0 ? 1.0 : 0, k % 3 == 1 ? 1.0 : 0, k % 3 == 2 ? 1.0 : 0};
    const Vector w = k < 3 ? unit : Vector{}, v = k < 3 ? cross(unit, A.at - x) : unit;  // of a, at c_a
    double dD = dot(n, v);
    Vector dn{}, da{}, db{};
    if (nearest) {
      if (fa == corner) {
        db = fb == edge ? dot(v, B.edge) * B.edge : Vector{};
        da = v, dn = (1 / D) * (v - dD * n - db);
      } else {
        da = v + (-dot(v, A.edge) - D * dot(n, cross(w, A.edge))) * A.edge;
        dn = (1 / D) * (da - dot(da, n) * n);
      }
    } else {
      if (!B.looks) dn = A.looks ? cross(w, n) : (-dot(n, cross(w, edge_a)) / turning) * over_b;
      // A corner over a face: along n to where the face is.
      const bool over_face = (fa == corner && fb == face) || (fa == face && fb == corner);
      const Vector& m = fa == face ? A.edge : B.edge;
      if (over_face) dD = dot(m, v - D * dn) / dot(m, n);
      if (fa == corner) {
        da = v, db = da - dD * n - D * dn;
      } else if (fb == corner) {
        da = dD * n + D * dn;
      } else if (fa == rolling) {
        da = v + find_rolling(A, n, -cross(w, n)), db = da - dot(n, da) * n;
      } else if (fb == rolling) {  // seen from b the normal is that of a's plane
        db = find_rolling(B, -n, -dn), da = db + dD * n + D * dn;
      } else {  // slides along two edges that keep c_a - c_b along n
        const Vector apart = v - D * dn, over = cross(n, A.edge);
        da = v + (-dot(cross(n, B.edge), apart) / crossing) * A.edge;
        db = (dot(over, apart) / dot(over, B.edge)) * B.edge;
        dD = dot(n, da - db);
      }
    }
    out.gap[at(k)] = dD;
    out.normal[at(k)] = dn;
    out.point[at(k)] = 0.5 * (da + db) + ((B.radius - A.radius) / 2) * dn;
  }
  return true;
}

}  // namespace sinew
