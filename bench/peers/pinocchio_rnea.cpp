// bench/peers/pinocchio_rnea.cpp
#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio_calls.hpp"

namespace peers {

void call_rnea(const pinocchio::Model& model, pinocchio::Data& data, const EigenState& s) {
  pinocchio::rnea(model, data, s.q, s.v, s.a);
}

}  // namespace peers
