// apps/verify/study.hpp - what `sinew verify` checks on a model
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew::app {

struct VerifiedLaw {
  std::string group;     // "operator identity" or "algorithms agree"
  std::string law;       // the formula, or what is compared with what
  std::string equation;  // of the papers; may be empty
  double residual = 0;   // relative, the worst of all states
};
// Every operator identity, and every pair of algorithms for the same quantity, at `states` random states.
std::vector<VerifiedLaw> verify(const Model&, int states, std::uint64_t seed);

}  // namespace sinew::app
