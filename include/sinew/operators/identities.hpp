// sinew/operators/identities.hpp - the operator identities of [J11] and [R92], each checked on a model
// Both sides are applied to a random vector, O(N); the residual is the largest difference relative to the largest term.
// A wrong identity, or a wrong block, is missed only where the random vector happens to lie in the kernel of the error.
#pragma once
#include "sinew/base/random.hpp"
#include "sinew/operators/algebra.hpp"

namespace sinew::sko {

// An identity, and how well it holds.
struct CheckedIdentity {
  std::string equation;  // "J11 43"
  std::string formula;   // "psi^-1 - A^-1 = K H"
  double residual = 0;   // relative
};
std::vector<CheckedIdentity> check_identities(const OperatorAlgebra<double>&, Random&);

}  // namespace sinew::sko
