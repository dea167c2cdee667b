// bench/peers/pinocchio_crba.cpp
#include <pinocchio/algorithm/crba.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_crba_local(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::crba(model, data, s.q, pinocchio::Convention::LOCAL);
}

void call_crba_world(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::crba(model, data, s.q, pinocchio::Convention::WORLD);
}

}  // namespace peers
