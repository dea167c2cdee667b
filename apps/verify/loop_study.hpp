// apps/verify/loop_study.hpp - what `sinew verify` checks on the loops of a model
#pragma once
#include "verify/study.hpp"

namespace sinew::app {

// The operator identities of the SKO model whose loops are embedded, and its accelerations against those with
// multipliers, at random closed states near the neutral position. Without laws where the loops cannot be embedded:
// then `why_not` says why.
struct LoopStudy {
  std::vector<VerifiedLaw> laws;
  std::string why_not;
};
LoopStudy verify_loops(const Model&, int states, std::uint64_t seed);

}  // namespace sinew::app
