// sinew/model/solids.hpp - mass, centre of mass and inertia of simple solids and shells
// Centred on their own origin; sizes as in ShapeSpec (half sides, radius and half length along z).
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// Mass, centre and inertia of a solid.
struct MassProperties {
  double mass = 0;
  Vec3<double> com;
  Sym3<double> inertia;  // about the centre of mass
};

// Uniform solids of the given mass.
MassProperties point_mass(double mass, const Vec3<double>& at = {});
MassProperties thin_rod(double mass, double half_length);  // along z
MassProperties solid_sphere(double mass, double radius);
MassProperties solid_box(double mass, const Vec3<double>& half_sides);
MassProperties solid_cylinder(double mass, double radius, double half_length);
MassProperties solid_capsule(double mass, double radius, double half_length);  // half length of the cylinder
MassProperties solid_ellipsoid(double mass, const Vec3<double>& radii);

// Volumes [m^3].
double sphere_volume(double radius);
double box_volume(const Vec3<double>& half_sides);
double cylinder_volume(double radius, double half_length);
double capsule_volume(double radius, double half_length);
double ellipsoid_volume(const Vec3<double>& radii);

// The same solid standing at a pose (solid's frame <- new frame), in the new frame's coordinates.
MassProperties placed(const MassProperties&, const Transform<double>& pose);
// Both together. Without any mass: the sum of the inertias at the origin.
MassProperties operator+(const MassProperties&, const MassProperties&);

}  // namespace sinew
