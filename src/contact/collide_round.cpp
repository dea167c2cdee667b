// src/contact/collide_round.cpp - spheres and capsules on the CPU, from the text that devices run too
#include "contact/colliders.hpp"

namespace sinew::contact {

void sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_sphere(sized(a), sized(b), reach, add_to(out));
}
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_capsule(sized(a), sized(b), reach, add_to(out));
}
void sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_box(sized(a), sized(b), reach, add_to(out));
}
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  capsule_on_capsule(sized(a), sized(b), reach, add_to(out));
}
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_cylinder(sized(a), sized(b), reach, add_to(out));
}
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  sphere_on_ellipsoid(sized(a), sized(b), reach, add_to(out));
}

}  // namespace sinew::contact
