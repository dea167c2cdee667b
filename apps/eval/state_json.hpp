// apps/eval/state_json.hpp - the states that a user asks about, from JSON
// One object or a list of them:
//   {"q": [..], "v": [..], "a": [..], "tau": [..], "time": 0, "frame": "tool", "reference": "mixed",
//    "control": [..], "activation": [..], "external": {"forearm": {"force": [..], "torque": [..], "frame": "body"}}}
// in the coordinates of the exchange's convention. External forces act at the body's origin; their components are along
// the body's axes (frame "body", the default) or the world's ("world").
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/places.hpp"
#include "eval/exchange.hpp"
#include "sinew/spatial/force.hpp"

namespace sinew::app {

// In our coordinates.
struct EvalState {
  int index = 0;
  std::optional<Numbers> q, v, a, tau;
  Numbers control, activation;  // of actuators; zeros where not given
  double time = 0;
  std::vector<Force<double>> external;  // one per body, in its frame; or none
  std::vector<std::string> frames;
  ReferenceFrame reference = ReferenceFrame::mixed;
};

// Defaults from the command line; a state may override them.
struct StateDefaults {
  std::vector<std::string> frames;
  ReferenceFrame reference = ReferenceFrame::mixed;
};

// Throws InputError, naming the state, the key and the remedy.
std::vector<EvalState> read_states(const std::string& text, const Model&, const Exchange&, const StateDefaults&);

}  // namespace sinew::app
