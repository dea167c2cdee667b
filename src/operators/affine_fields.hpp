// src/operators/affine_fields.hpp - second-order shapes of a flexible body as fields linear in the place
// q_ij(s) is replaced by its projection, weighted with mass, into the span of  g(s) e_k,  g = a + b . s,  k = x, y, z.
// It has the momentum sum q_ij and the stiffening sum s q_ij^T of q_ij itself. The functions g are orthonormal:
// sum g g' = 0 or 1.
#pragma once
#include <vector>

#include "sinew/operators/flexible_body.hpp"

namespace sinew::sko {

struct AffineField {
  double a = 0;
  Vec3<double> b{};
  int axis = 0;
};

struct AffineFields {
  std::vector<AffineField> fields;  // R of them, those that q needs
  std::vector<double> C;            // (R m^2) q_ij = sum_r C_rij field_r
  RigidInertia<double> rigid;
  Mat3<double> J;  // sum s s^T

  Vec3<double> momentum(const AffineField&) const;
  Mat3<double> with_place(const AffineField&) const;                                         // sum s f^T
  Mat3<double> with_shape(const AffineField&, const FlexibleBody&, std::size_t mode) const;  // sum f phi^T
  Mat3<double> with_each_other(const AffineField&, const AffineField&) const;                // sum f f'^T
};

// Throws std::invalid_argument where momentum and stiffening do not fit the body's mass, centre and inertia.
AffineFields find_affine_fields(const FlexibleBody&);

}  // namespace sinew::sko
