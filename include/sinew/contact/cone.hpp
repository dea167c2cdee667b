// sinew/contact/cone.hpp - Coulomb's cone: its frame, its pyramid, and the state of a contact
// An impulse r = (normal, tangent, tangent) of a contact obeys  |r_t| <= mu (r_n + preload)  [J14 4, 5]. A pyramid of
// n_f directions allows what lies between its edges, so across the middle of a side it allows only cos(pi / n_f) of the
// friction: 0.707 of it for 4, 0.924 for 8, 0.981 for 16.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/contact/contact_point.hpp"

namespace sinew {

// Two unit tangents that make a right-handed frame with a normal. They depend on the normal only, smoothly except at
// one direction. Every row, cone and record of the library uses these.
std::array<Vec3<double>, 2> contact_tangents(const Vec3<double>& normal);
// The vector with these components along a normal and its tangents, in world axes.
Vec3<double> to_world(const Vec3<double>& normal, double along, double tangent_1, double tangent_2);

// D of a contact: unit directions in its plane, evenly spread from the first tangent towards the second, each with its
// opposite. Throws std::invalid_argument unless `count` is even and at least 4. [J14 6]
std::vector<Vec3<double>> friction_directions(const Vec3<double>& normal, int count);
// The smallest share of Coulomb's friction that a pyramid allows in any direction; the exact cone (0): 1.
double least_friction(int directions);

// What a contact does.
enum class ContactMode {
  open,      // no impulse
  sticking,  // an impulse, and the bodies do not slip; [J14 section 2.1] calls it rolling
  sliding,   // an impulse, and the bodies slip
};
std::string_view to_string(ContactMode);

// What a contact does, in numbers.
struct ContactState {
  ContactMode mode = ContactMode::open;
  double normal_velocity = 0;   // [m/s] positive: they part
  double slip = 0;              // [m/s]
  Vec3<double> slip_direction;  // world, of a against b; zero where there is no slip
  double margin = 0;            // [N s] mu (r_n + preload) - |r_t|: on the cone where zero
};
// impulse and velocity: (normal, tangent, tangent) after the solve. Below `tolerance` [N s, m/s] a number counts as 0.
ContactState find_contact_state(const ContactPoint&, In<double> impulse, In<double> velocity, double tolerance,
                                double preload = 0);

}  // namespace sinew
