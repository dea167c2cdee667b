// src/contact/solid.cpp - supports, patches and features of convex solids
#include "contact/solid.hpp"

#include <algorithm>
#include <numbers>

#include "contact/ring.hpp"

namespace sinew::contact {
namespace {

constexpr int kSide = 2 * kRim;     // number of a cylinder's side, and of its lower and upper end
constexpr int kLowest = kSide + 2;  // + cap: the point of a rim that is farthest along a direction

}  // namespace

const std::array<RimPoint, kRim>& rim_points() {
  static const std::array<RimPoint, kRim> points = [] {
    std::array<RimPoint, kRim> out{};
    for (int i = 0; i < kRim; ++i) {
      const double angle = 2 * std::numbers::pi * i / kRim;
      out[i] = {std::cos(angle), std::sin(angle)};
    }
    return out;
  }();
  return points;
}

Solid::Solid(const PlacedShape& s, const Vector& origin) : centre_(s.X.r - origin), size_(s.size) {
  const Mat3<double>& E = s.X.E.m;
  axes_ = {Vector{E.xx, E.xy, E.xz}, {E.yx, E.yy, E.yz}, {E.zx, E.zy, E.zz}};
  switch (s.kind) {
    case ShapeKind::sphere: kind_ = Kind::point, radius_ = extent_ = size_[0]; break;
    case ShapeKind::capsule: kind_ = Kind::segment, radius_ = size_[0], extent_ = size_[0] + size_[1]; break;
    case ShapeKind::box: kind_ = Kind::box, extent_ = size_[0] + size_[1] + size_[2]; break;
    case ShapeKind::cylinder: kind_ = Kind::cylinder, extent_ = size_[0] + size_[1]; break;
    case ShapeKind::ellipsoid: kind_ = Kind::ellipsoid, extent_ = std::max({size_[0], size_[1], size_[2]}); break;
    default:
      polytope_ = s.polytope, kind_ = polytope_->rounding > 0 ? Kind::rounded : Kind::polytope;
      extent_ = size_[0] + size_[1] + size_[2];
  }
}

Solid::Solid(const Triangle& t, const Vector& origin) : kind_(Kind::triangle), triangle_(&t) {
  for (int k = 0; k < 3; ++k) axes_[k] = t.corners[k] - origin;  // a triangle stores its corners here
  centre_ = (1.0 / 3) * (axes_[0] + axes_[1] + axes_[2]);
  extent_ = norm(axes_[0] - centre_) + norm(axes_[1] - centre_);
}

Vector Solid::find_support(const Vector& n) const {
  switch (kind_) {
    case Kind::point: return centre_;
    case Kind::segment: return centre_ + (dot(axes_[2], n) < 0 ? -size_[1] : size_[1]) * axes_[2];
    case Kind::triangle: {
      const double d[] = {dot(axes_[0], n), dot(axes_[1], n), dot(axes_[2], n)};
      return axes_[d[0] >= d[1] ? (d[0] >= d[2] ? 0 : 2) : (d[1] >= d[2] ? 1 : 2)];
    }
    case Kind::box: {
      Vector out = centre_;
      for (std::size_t k = 0; k < 3; ++k) out += (dot(axes_[k], n) < 0 ? -size_[k] : size_[k]) * axes_[k];
      return out;
    }
    case Kind::cylinder: {
      const Vector d = to_own(n);
      const double across = std::sqrt(d.x * d.x + d.y * d.y), s = across > 0 ? size_[0] / across : 0;
      return place({s * d.x, s * d.y, d.z < 0 ? -size_[1] : size_[1]});
    }
    case Kind::ellipsoid: {
      const Vector d = to_own(n), An{size_[0] * d.x, size_[1] * d.y, size_[2] * d.z};
      const double s = 1 / norm(An);
      return place({s * size_[0] * An.x, s * size_[1] * An.y, s * size_[2] * An.z});
    }
    case Kind::polytope: return place(polytope_->vertices[find_vertex(to_own(n))]);
    case Kind::rounded: return place(polytope_->find_rounded_support(to_own(n)));
  }
  return centre_;
}

bool Solid::has_unique_support(const Vector& n) const {
  if (kind_ == Kind::point || kind_ == Kind::ellipsoid || kind_ == Kind::rounded) return true;
  if (kind_ != Kind::cylinder) return false;
  constexpr double kTilt = 1e-7;
  const double along = std::abs(dot(axes_[2], n));
  return along > kTilt && along < 1 - kTilt * kTilt / 2;
}

std::uint32_t Solid::support_feature(const Vector& n) const {
  switch (kind_) {
    case Kind::segment: return vertex_feature(dot(axes_[2], n) < 0 ? 0 : 1);
    case Kind::triangle: return triangle_->face;
    case Kind::box:
      return vertex_feature((dot(axes_[0], n) < 0 ? 0 : 1) + (dot(axes_[1], n) < 0 ? 0 : 2) +
                            (dot(axes_[2], n) < 0 ? 0 : 4));
    case Kind::cylinder: return vertex_feature(kLowest + (dot(axes_[2], n) < 0 ? 0 : 1));
    case Kind::polytope: return vertex_feature(find_vertex(to_own(n)));
    default: return vertex_feature(0);
  }
}

void Solid::find_patch(const Vector& n, Patch& out) const {
  out.count = 0;
  switch (kind_) {
    case Kind::segment:
      out.add(centre_ - size_[1] * axes_[2], vertex_feature(0), edge_feature(0));
      out.add(centre_ + size_[1] * axes_[2], vertex_feature(1), edge_feature(0));
      return;
    case Kind::triangle:
      for (std::size_t k = 0; k < 3; ++k) out.add(axes_[k], triangle_->vertex[k], triangle_->edge[k]);
      out.normal = triangle_->normal, out.face = triangle_->face;
      return;
    case Kind::box: return find_box_patch(n, out);
    case Kind::cylinder: return find_cylinder_patch(n, out);
    case Kind::polytope: return find_polytope_patch(n, out);
    default: out.add(find_support(n), vertex_feature(0), 0);
  }
}

void Solid::find_box_patch(const Vector& n, Patch& out) const {
  const Vector d = to_own(n);
  const double along[] = {d.x, d.y, d.z};
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(along[i]) > std::abs(along[k])) k = i;
  const int u = (k + 1) % 3, v = (k + 2) % 3, side = along[k] < 0 ? 0 : 1;
  out.normal = side == 0 ? -axis(k) : axis(k);
  out.face = face_feature(2 * k + side);
  const Vector middle = centre_ + half(k) * out.normal, U = half(u) * axis(u), V = half(v) * axis(v);
  const int corner = side << k;
  // Four edges along each axis w, told apart by the sides of the axes after it: w + 1 and w + 2.
  const auto edge_u = [&](int side_v) { return edge_feature(4 * u + side_v + 2 * side); };
  const auto edge_v = [&](int side_u) { return edge_feature(4 * v + side + 2 * side_u); };
  out.add(middle - U - V, vertex_feature(corner), edge_u(0));
  out.add(middle + U - V, vertex_feature(corner | 1 << u), edge_v(1));
  out.add(middle + U + V, vertex_feature(corner | 1 << u | 1 << v), edge_u(1));
  out.add(middle - U + V, vertex_feature(corner | 1 << v), edge_v(0));
}

// A cap as a polygon; else the line of the side that looks along n.
void Solid::find_cylinder_patch(const Vector& n, Patch& out) const {
  constexpr double kCap = 0.7;
  const Vector d = to_own(n);
  if (std::abs(d.z) > kCap) {
    const int cap = d.z < 0 ? 0 : 1;
    out.normal = cap == 0 ? -axes_[2] : axes_[2];
    out.face = face_feature(cap);
    const Vector middle = centre_ + size_[1] * out.normal;
    const auto& rim = rim_points();
    for (int i = 0; i < kRim; ++i)
      out.add(middle + (size_[0] * rim[i].x) * axes_[0] + (size_[0] * rim[i].y) * axes_[1],
              vertex_feature(cap * kRim + i), edge_feature(cap * kRim + i));
    return;
  }
  const double s = size_[0] / std::sqrt(d.x * d.x + d.y * d.y);
  out.add(place({s * d.x, s * d.y, -size_[1]}), vertex_feature(kSide), edge_feature(kSide));
  out.add(place({s * d.x, s * d.y, size_[1]}), vertex_feature(kSide + 1), edge_feature(kSide));
}

// The face around the farthest vertex that looks along d most, in own axes.
int Solid::find_polytope_face(const Vector& d) const {
  const Polytope& p = *polytope_;
  const int v = find_vertex(d);
  int face = p.around[p.start[v]];
  for (int i = p.start[v]; i < p.start[v + 1]; ++i) {
    const int f = p.around[i];
    if (dot(p.faces[f].normal, d) > dot(p.faces[face].normal, d)) face = f;
  }
  return face;
}

// Of a face with more than 64 corners those are left out that hardly stand out.
void Solid::find_polytope_patch(const Vector& n, Patch& out) const {
  constexpr double kLoss = 1e-3;  // of the longest side
  const Polytope& p = *polytope_;
  const int face = find_polytope_face(to_own(n));
  const Polytope::Face& f = p.faces[face];
  out.normal = turn(f.normal), out.face = face_feature(face);
  const auto corner = [&](int i) -> const Vector& { return p.vertices[p.corners[f.first + i]]; };
  const auto add = [&](int i) {
    if (out.count < Patch::kMost)
      out.add(place(corner(i)), vertex_feature(p.corners[f.first + i]), edge_feature(p.edges[f.first + i]));
  };
  if (f.count > kFewCorners)
    keep_corners(f.count, 2 * kLoss * std::max({size_[0], size_[1], size_[2]}), corner, add);
  else
    for (int i = 0; i < f.count; ++i) add(i);
}

// Faces that may look along d.
void Solid::find_faces(const Vector& d, Facing& out) const {
  switch (kind_) {
    case Kind::box:
      for (const Vector& e : axes_) out.add_face(dot(e, d) < 0 ? -e : e);
      return;
    case Kind::cylinder: return out.add_face(dot(axes_[2], d) < 0 ? -axes_[2] : axes_[2]);
    case Kind::polytope: return out.add_face(turn(polytope_->faces[find_polytope_face(to_own(d))].normal));
    default: return;
  }
}

void Solid::find_facing(const Vector& n, double within, Facing& out) const {
  const auto try_face = [&](const Vector& m) {
    const double c = dot(m, n);
    if (c > 0 && 2 * (1 - c) < within * within) out.add_face(m);
  };
  const auto try_edge = [&](const Vector& e) {
    if (std::abs(dot(e, n)) < within) out.add_edge(e);
  };
  switch (kind_) {
    case Kind::segment: return try_edge(axes_[2]);
    case Kind::triangle:
      try_face(triangle_->normal), try_face(-triangle_->normal);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector e = axes_[(k + 1) % 3] - axes_[k];
        try_edge((1 / norm(e)) * e);
      }
      return;
    case Kind::box:
      for (const Vector& e : axes_) try_face(e), try_face(-e), try_edge(e);
      return;
    case Kind::cylinder: return try_face(axes_[2]), try_face(-axes_[2]), try_edge(axes_[2]);
    case Kind::polytope: {
      const Polytope& p = *polytope_;
      const int v = find_vertex(to_own(n));
      for (int i = p.start[v]; i < p.start[v + 1]; ++i) {
        try_face(turn(p.faces[p.around[i]].normal));
        const Vector e = turn(p.vertices[p.neighbours[i]] - p.vertices[v]);
        try_edge((1 / norm(e)) * e);
      }
      return;
    }
    default: return;
  }
}

}  // namespace sinew::contact
