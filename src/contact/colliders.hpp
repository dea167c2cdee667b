// src/contact/colliders.hpp - colliders by pair, and what several of them share
#pragma once
#include "contact/solid.hpp"
#include "sinew/contact/kernel/plane_contacts.hpp"
#include "sinew/contact/kernel/round_contacts.hpp"

namespace sinew::contact {

using Points = std::vector<TouchPoint>;

// b is a plane.
void sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void polytope_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

void sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void box_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

void convex_convex(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);   // any two solids
void convex_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);  // b has triangles
void surface_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

inline Vector axis(const PlacedShape& s, int k) { return axis_of(s.X, k); }  // of the shape, in the world
inline Vector to_world(const PlacedShape& s, const Vector& p) { return apply_inverse_to_point(s.X, p); }

// For the colliders in closed form, which devices have too: a shape as they read it, and where its points go.
inline PlacedSize<double> sized(const PlacedShape& s) { return {s.X, s.size.data()}; }
inline auto add_to(Points& out) {
  return
      [&out](const Vector& point, const Vector& normal, double gap, std::uint32_t feature_a, std::uint32_t feature_b) {
        out.push_back({point, normal, gap, feature_a, feature_b});
      };
}

// Of many points first .. last with the same normal, keeps the deepest, the outermost on all sides, and every corner of
// the polygon on which the shape stands: of what touches no support is lost. Returns their new end.
std::size_t thin_out(Points& points, std::size_t first, std::size_t last);

}  // namespace sinew::contact
