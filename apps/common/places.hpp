// apps/common/places.hpp - bodies, frames and coordinates by the names that a user writes
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew::app {

// world, body, mixed, and Pinocchio's names for them.
std::optional<ReferenceFrame> find_reference(const std::string& name);
const char* to_string(ReferenceFrame);

// A frame or a body; "frame:NAME", "body:NAME" where both have the name. Throws InputError.
Place find_place(const Model&, const std::string& name);
// "'a', 'b', 'c' and 4 more"
std::string list_names(const std::vector<std::string>&);  // "'a', 'b' and 3 more"
std::string list_bodies(const Model&);

}  // namespace sinew::app
