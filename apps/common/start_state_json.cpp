// apps/common/start_state_json.cpp
#include <fmt/format.h>

#include <algorithm>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/start_state.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

using StateJson = nlohmann::json;

std::vector<double> read_list(const StateJson& json, const std::string& what) {
  std::vector<double> out;
  const auto add = [&](const StateJson& x) {
    if (!x.is_number()) throw InputError(fmt::format("--state: {} is {}, not a number", what, x.dump()));
    out.push_back(x.get<double>());
  };
  if (json.is_array())
    for (const StateJson& x : json) add(x);
  else
    add(json);
  return out;
}
using Named = std::vector<std::pair<std::string, std::vector<double>>>;
// A list for all coordinates, or an object with joints by name.
void read_coordinates(const StateJson& json, const char* key, std::vector<double>& all, Named& by_name) {
  if (!json.is_object()) {
    all = read_list(json, key);
    return;
  }
  for (const auto& [name, value] : json.items()) by_name.emplace_back(name, read_list(value, name));
}

}  // namespace

void parse_start_state(const std::string& text, SceneOptions& o) {
  const StateJson json = parse_json<StateJson>(text);
  if (!json.is_object()) throw InputError("--state: the file is not an object like {\"q\": [..], \"v\": [..]}");
  const std::vector<std::string> known = {"q", "v", "activation", "time"};
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError(fmt::format("--state: '{}' is not a key; there are {}{}", key, fmt::join(known, ", "),
                                   suggest_name(key, known)));
  if (json.contains("q")) read_coordinates(json["q"], "q", o.q, o.set);
  if (json.contains("v")) read_coordinates(json["v"], "v", o.v, o.set_velocity);
  if (json.contains("activation")) o.activation = read_list(json["activation"], "activation");
  if (!json.contains("time")) return;
  const std::vector<double> time = read_list(json["time"], "time");
  if (time.size() != 1) throw InputError(fmt::format("--state: time has {} numbers, but is one", time.size()));
  o.time = time[0];
}

}  // namespace sinew::app
