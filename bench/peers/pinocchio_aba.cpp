// bench/peers/pinocchio_aba.cpp
#include <pinocchio/algorithm/aba.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_aba_local(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::aba(model, data, s.q, s.v, s.tau, pinocchio::Convention::LOCAL);
}

void call_aba_world(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::aba(model, data, s.q, s.v, s.tau, pinocchio::Convention::WORLD);
}

}  // namespace peers
