// bench/peers/pinocchio_minverse.cpp
#include <pinocchio/algorithm/aba.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_minverse(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::computeMinverse(model, data, s.q);
}

}  // namespace peers
