// sinew/operators/flexible_body.hpp - a body that bends: modes, their stiffness, and the integrals of its mass
// A point of the body, in the body's frame, with modal coordinates eta:
//   r = s + sum_i phi_i eta_i + 1/2 sum_ij q_ij eta_i eta_j
// phi are the mode shapes. q is what makes the body stiffer under load and spin: a beam that bends gets shorter, by
// -1/2 int v'^2 dx. Where q is left out there is no geometric stiffening. Seen from forces, -f . q_ij is the geometric
// stiffness per unit load f, so that data of that kind can be given instead.
// Kinetic energy is right to second order in eta and its rate together, for any motion of the frame [Wallrapp,
// Schwertassek: Representation of geometric stiffening in multibody system simulation, IJNME 32 (1991) 1833], and is
// that of a possible motion (flexible_sko.hpp), so that energy and momentum are conserved exactly.
#pragma once
#include <string>
#include <vector>

#include "sinew/spatial/inertia.hpp"

namespace sinew::sko {

// A place on the body where joints, loads and contacts may be. Turns: exp(sum_i turn_i eta_i).
struct FlexibleNode {
  std::string name;
  Vec3<double> position{};           // undeformed, in the body's frame
  std::vector<Vec3<double>> shift;   // (modes) phi
  std::vector<Vec3<double>> turn;    // (modes) [rad]
  std::vector<Vec3<double>> second;  // (modes^2) q, symmetric in its two modes; empty: none
};

// All in the body's frame; sums are over the points of the body, with their masses.
struct FlexibleBody {
  std::string body;                            // its name in the Model
  int modes = 0;                               // below: m
  std::vector<double> mass;                    // (m^2) sum phi_i . phi_j
  std::vector<double> stiffness, damping;      // (m^2); damping empty: none
  RigidInertia<double> rigid;                  // undeformed, about the origin
  std::vector<Vec3<double>> momentum;          // (m) sum phi_i
  std::vector<Vec3<double>> angular_momentum;  // (m) sum s x phi_i
  std::vector<Mat3<double>> first_moments;     // (m) sum s phi_i^T
  std::vector<Mat3<double>> second_moments;    // (m^2) sum phi_i phi_j^T
  std::vector<Vec3<double>> second_momentum;   // (m^2) sum q_ij; empty: none
  std::vector<Mat3<double>> stiffening;        // (m^2) sum s q_ij^T; empty: none
  std::vector<FlexibleNode> nodes;             // interface nodes
  // How the material at the body's joint moves in the modes; zeros where it is clamped to the body's frame. The joint
  // must leave such motions free.
  FlexibleNode root;
  // False: `rigid` must agree with the inertia that the Model gives to the body.
  bool replaces_inertia = false;
};

// A piece of the body: one of many that make up its mass.
struct MaterialPoint {
  double mass = 0;
  Vec3<double> position{};
  std::vector<Vec3<double>> shift;   // (m)
  std::vector<Vec3<double>> second;  // (m^2), or empty
};

// Fills all sums of a body with `modes` modes from its points. O(points m^2).
void set_material(FlexibleBody&, int modes, const std::vector<MaterialPoint>&);

// D = 2 ratio sqrt(K M) for each mode; for modes that are orthogonal in both.
void set_damping_ratio(FlexibleBody&, double ratio);

// Throws std::invalid_argument naming the body and what is wrong: sizes that do not fit, numbers that are not finite,
// a mass, stiffness or damping that is not symmetric, a modal mass that is not positive definite (alone, or together
// with the rigid inertia), a negative stiffness or damping.
void check_flexible_body(const FlexibleBody&);

}  // namespace sinew::sko
