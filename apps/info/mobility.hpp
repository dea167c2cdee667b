// apps/info/mobility.hpp - the freedoms that loops and couplings leave
#pragma once
#include <string>
#include <vector>

#include "common/model_json.hpp"

namespace sinew::app {

struct MobilityReport {
  std::vector<std::string> lines;  // for people
  Json json;
};
// At the neutral position, or at the nearest one that closes. Empty for a model without active constraints.
MobilityReport report_mobility(const Model&);

}  // namespace sinew::app
