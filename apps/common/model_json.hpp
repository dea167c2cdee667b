// apps/common/model_json.hpp - a model and its diagnostics as JSON
// Poses are at the neutral position, in the world; quaternions w x y z; an absent limit is null.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sinew/model/model.hpp"

namespace sinew::app {

using Json = nlohmann::ordered_json;

Json to_json(const Model&);
Json to_json(const Diagnostics&);

// Indented, valid UTF-8 whatever the names in the file are.
std::string write(const Json&);

}  // namespace sinew::app
