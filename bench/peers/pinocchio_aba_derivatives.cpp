// bench/peers/pinocchio_aba_derivatives.cpp
#include <pinocchio/algorithm/aba-derivatives.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_aba_derivatives(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::computeABADerivatives(model, data, s.q, s.v, s.tau);
}

}  // namespace peers
