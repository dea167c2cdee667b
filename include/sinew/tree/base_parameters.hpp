// sinew/tree/base_parameters.hpp - which inertial parameters the forces depend on
// Of the parameters pi (tree/regressor.hpp) some have no effect on tau and others only in sums. The base parameters
//   beta = pi[independent] + K pi[dependent]
// are the smallest such set: Y pi = Y[independent columns] beta for every motion, and the columns are independent.
// Reference: section 9.7 of F08 mentions them; found numerically, from the regressor at random states by a QR
// factorization with column pivoting, whose diagonal drops sharply at the rank.
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

// How the columns of the regressor are sampled and judged.
struct BaseParameterOptions {
  int samples = 0;         // random states; 0: four times as many equations as parameters
  std::uint64_t seed = 1;  // of the states
  double speed = 3;        // velocities and accelerations within +-speed
  // A column is independent if more than this part of its length is not spanned by the others.
  double tolerance = linear::kDependentSample;
};

struct BaseParameters {
  int rank() const { return static_cast<int>(independent.size()); }
  std::vector<int> independent;  // columns of Y, ascending
  std::vector<int> dependent;    // columns that are sums of those, ascending
  std::vector<int> unseen;       // columns that are zero, ascending
  std::vector<double> K;         // independent x dependent, row by row
  // How clear the rank is: the part of its length that the columns before did not span, of the last column kept and of
  // the first one dropped.
  double last_kept = 1, first_left = 0;
};

// Allocates; for analysis, not for inner loops. Throws std::invalid_argument for options out of range.
BaseParameters find_base_parameters(const Model&, const BaseParameterOptions& = {});
// beta of a pi.
void calc_base_parameters(const BaseParameters&, VectorView<const double> pi, VectorView<double> beta);

}  // namespace sinew
