// bench/peers/pinocchio_rnea_derivatives.cpp
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_rnea_derivatives(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::computeRNEADerivatives(model, data, s.q, s.v, s.a);
}

}  // namespace peers
