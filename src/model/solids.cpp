// src/model/solids.cpp
#include "sinew/model/solids.hpp"

#include <numbers>

namespace sinew {
namespace {
Sym3<double> diagonal(double x, double y, double z) { return Sym3<double>::diagonal(x, y, z); }
}  // namespace

MassProperties point_mass(double mass, const Vec3<double>& at) { return {mass, at, {}}; }

MassProperties thin_rod(double mass, double half_length) {
  const double i = mass * half_length * half_length / 3;
  return {mass, {}, diagonal(i, i, 0)};
}
MassProperties solid_sphere(double mass, double radius) {
  const double i = 0.4 * mass * radius * radius;
  return {mass, {}, diagonal(i, i, i)};
}
MassProperties solid_box(double mass, const Vec3<double>& h) {
  const double k = mass / 3;
  return {mass, {}, diagonal(k * (h.y * h.y + h.z * h.z), k * (h.x * h.x + h.z * h.z), k * (h.x * h.x + h.y * h.y))};
}
MassProperties solid_cylinder(double mass, double r, double h) {
  const double i = mass * (3 * r * r + 4 * h * h) / 12;
  return {mass, {}, diagonal(i, i, mass * r * r / 2)};
}
// Cylinder and two half spheres share the mass by volume; a half sphere's centre lies 3/8 r above its base.
MassProperties solid_capsule(double mass, double r, double h) {
  const double sphere = mass * sphere_volume(r) / capsule_volume(r, h), cylinder = mass - sphere;
  const double across = cylinder * (3 * r * r + 4 * h * h) / 12 + sphere * (0.4 * r * r + h * h + 0.75 * r * h);
  return {mass, {}, diagonal(across, across, cylinder * r * r / 2 + sphere * 0.4 * r * r)};
}
MassProperties solid_ellipsoid(double mass, const Vec3<double>& r) {
  const double k = mass / 5;
  return {mass, {}, diagonal(k * (r.y * r.y + r.z * r.z), k * (r.x * r.x + r.z * r.z), k * (r.x * r.x + r.y * r.y))};
}

double sphere_volume(double r) { return 4 * std::numbers::pi * r * r * r / 3; }
double box_volume(const Vec3<double>& h) { return 8 * h.x * h.y * h.z; }
double cylinder_volume(double r, double h) { return 2 * std::numbers::pi * r * r * h; }
double capsule_volume(double r, double h) { return sphere_volume(r) + cylinder_volume(r, h); }
double ellipsoid_volume(const Vec3<double>& r) { return 4 * std::numbers::pi * r.x * r.y * r.z / 3; }

MassProperties placed(const MassProperties& a, const Transform<double>& pose) {
  return {a.mass, apply_inverse_to_point(pose, a.com), rotate(inverse(pose.E), a.inertia)};
}

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass == 0) return {0, {}, a.inertia + b.inertia};
  const Vec3<double> com = (1 / mass) * (a.mass * a.com + b.mass * b.com);
  const Vec3<double> da = a.com - com, db = b.com - com;
  return {mass, com, a.inertia + b.inertia - a.mass * cross_cross(da, da) - b.mass * cross_cross(db, db)};
}

}  // namespace sinew
