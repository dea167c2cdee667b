// sinew/lcp/polyhedral.hpp - Coulomb's cone cut to a pyramid: a friction problem as a linear one [J14 1-16]
// Direction k of a contact is (cos, sin)(2 pi k / directions) among its tangents, so that each has its opposite.
//   normal      0 <= r_n    complementary to   u_n >= 0                                        [J14 10a]
//   directions  0 <= beta_k complementary to   sigma + d_k . u_t >= 0                          [J14 10b]
//   slip speed  0 <= sigma  complementary to   mu (r_n + preload) - sum beta_k >= 0            [J14 10c]
#pragma once
#include <vector>

#include "sinew/lcp/problem.hpp"

namespace sinew::lcp {

// Limits of directions and of unknowns: the matrix is dense (at most 2 GiB).
inline constexpr int kMostDirections = 1024, kMostPyramidRows = 16384;

class Polyhedral {
 public:
  // The linear problem of a friction problem with a pyramid of so many directions.
  void build(const FrictionProblem&, int directions);
  Problem problem() const;
  // Converts the pyramid's impulses to those of the contacts, and a start from contacts to the pyramid.
  void fold(VectorView<const double> z_polyhedral, VectorView<double> z) const;
  void unfold(const FrictionProblem&, VectorView<const double> z, VectorView<double> z_polyhedral) const;

 private:
  RowLayout cone_, pyramid_;
  std::vector<double> M_, q_, lower_, upper_, half_, cos_, sin_;
};

}  // namespace sinew::lcp
