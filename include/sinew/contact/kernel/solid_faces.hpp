// sinew/contact/kernel/solid_faces.hpp - the flat sides of a solid: patches along a direction, faces, edges
#pragma once
#include <cmath>

#include "sinew/contact/kernel/ring.hpp"
#include "sinew/contact/kernel/solid.hpp"

namespace sinew::contact {

template <class Room>
void SolidOf<Room>::find_patch(const Vector& n, Patch& out) const {
  out.count = 0;
  switch (kind_) {
    case Kind::segment:
      out.add(centre_ - size_[1] * axes_[2], vertex_feature(0), edge_feature(0));
      out.add(centre_ + size_[1] * axes_[2], vertex_feature(1), edge_feature(0));
      return;
    case Kind::triangle:
      for (int k = 0; k < 3; ++k) out.add(axes_[k], triangle_->vertex[k], triangle_->edge[k]);
      out.normal = triangle_->normal, out.face = triangle_->face;
      return;
    case Kind::box: return find_box_patch(n, out);
    case Kind::cylinder: return find_cylinder_patch(n, out);
    case Kind::polytope: return find_polytope_patch(n, out);
    default: out.add(find_support(n), vertex_feature(0), 0);
  }
}

template <class Room>
SINEW_HD void SolidOf<Room>::find_box_patch(const Vector& n, Patch& out) const {
  using std::abs;
  const Vector d = to_own(n);
  const double along[] = {d.x, d.y, d.z};
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (abs(along[i]) > abs(along[k])) k = i;
  const int u = (k + 1) % 3, v = (k + 2) % 3, side = along[k] < 0 ? 0 : 1;
  out.normal = side == 0 ? -axes_[k] : axes_[k];
  out.face = face_feature(2 * k + side);
  const Vector middle = centre_ + size_[k] * out.normal, U = size_[u] * axes_[u], V = size_[v] * axes_[v];
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
template <class Room>
SINEW_HD void SolidOf<Room>::find_cylinder_patch(const Vector& n, Patch& out) const {
  using std::abs;
  using std::sqrt;
  constexpr double kCap = 0.7;
  const Vector d = to_own(n);
  if (abs(d.z) > kCap) {
    const int cap = d.z < 0 ? 0 : 1;
    out.normal = cap == 0 ? -axes_[2] : axes_[2];
    out.face = face_feature(cap);
    const Vector middle = centre_ + size_[1] * out.normal;
    for (int i = 0; i < kRim; ++i)
      out.add(middle + (size_[0] * rim_x<double>(i)) * axes_[0] + (size_[0] * rim_y<double>(i)) * axes_[1],
              vertex_feature(cap * kRim + i), edge_feature(cap * kRim + i));
    return;
  }
  constexpr int kSide = 2 * kRim;  // number of its side, and of its lower and upper end
  const double s = size_[0] / sqrt(d.x * d.x + d.y * d.y);
  out.add(place({s * d.x, s * d.y, -size_[1]}), vertex_feature(kSide), edge_feature(kSide));
  out.add(place({s * d.x, s * d.y, size_[1]}), vertex_feature(kSide + 1), edge_feature(kSide));
}

// A cap whose rim is nearly flat is its patch.
template <class Room>
SINEW_HD double SolidOf<Room>::patch_sags(const Vector& n) const {
  return kind_ == Kind::cylinder && norm(cross(axes_[2], n)) <= kFlatRim ? kRimSags * kFlatRim * size_[0] : 0;
}

// The face around the farthest vertex that looks along d most, in own axes.
template <class Room>
SINEW_HD int SolidOf<Room>::find_polytope_face(const Vector& d) const {
  const Hull& p = *hull_;
  const int v = find_vertex(d);
  int face = p.around[p.start[v]];
  for (int i = p.start[v]; i < p.start[v + 1]; ++i) {
    const int f = p.around[i];
    if (dot(p.faces[f].normal, d) > dot(p.faces[face].normal, d)) face = f;
  }
  return face;
}

// Of a face with more than 64 corners those are left out that hardly stand out.
template <class Room>
SINEW_HD void SolidOf<Room>::find_polytope_patch(const Vector& n, Patch& out) const {
  constexpr double kLoss = 1e-3;  // of the longest side
  const Hull& p = *hull_;
  const int face = find_polytope_face(to_own(n));
  const auto& f = p.faces[face];
  out.normal = turn(f.normal), out.face = face_feature(face);
  const auto corner = [&](int i) -> const Vector& { return p.vertices[p.corners[f.first + i]]; };
  const auto add = [&](int i) {
    if (out.count < Patch::kMost)
      out.add(place(corner(i)), vertex_feature(p.corners[f.first + i]), edge_feature(p.edges[f.first + i]));
  };
  if (f.count > kFewCorners)
    keep_corners(f.count, 2 * kLoss * max(max(size_[0], size_[1]), size_[2]), corner, add);
  else
    for (int i = 0; i < f.count; ++i) add(i);
}

// Faces that may look along d.
template <class Room>
void SolidOf<Room>::find_faces(const Vector& d, Facing& out) const {
  switch (kind_) {
    case Kind::box:
      for (const Vector& e : axes_) out.add_face(dot(e, d) < 0 ? -e : e);
      return;
    case Kind::cylinder: return out.add_face(dot(axes_[2], d) < 0 ? -axes_[2] : axes_[2]);
    case Kind::polytope: return out.add_face(turn(hull_->faces[find_polytope_face(to_own(d))].normal));
    default: return;
  }
}

template <class Room>
void SolidOf<Room>::find_facing(const Vector& n, double within, Facing& out) const {
  using std::abs;
  const auto try_face = [&](const Vector& m) {
    const double c = dot(m, n);
    if (c > 0 && 2 * (1 - c) < within * within) out.add_face(m);
  };
  const auto try_edge = [&](const Vector& e) {
    if (abs(dot(e, n)) < within) out.add_edge(e);
  };
  switch (kind_) {
    case Kind::segment: return try_edge(axes_[2]);
    case Kind::triangle:
      try_face(triangle_->normal), try_face(-triangle_->normal);
      for (int k = 0; k < 3; ++k) {
        const Vector e = axes_[(k + 1) % 3] - axes_[k];
        try_edge((1 / norm(e)) * e);
      }
      return;
    case Kind::box:
      for (const Vector& e : axes_) try_face(e), try_face(-e), try_edge(e);
      return;
    case Kind::cylinder: return try_face(axes_[2]), try_face(-axes_[2]), try_edge(axes_[2]);
    case Kind::polytope: {
      const Hull& p = *hull_;
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
