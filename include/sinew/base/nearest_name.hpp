// sinew/base/nearest_name.hpp - "did you mean": the known name that a mistyped one is nearest to
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace sinew {

// The fewest letters to insert, leave out, change or swap with a neighbour. [optimal string alignment]
int count_edits(std::string_view a, std::string_view b);

// The known name with the fewest edits, if they are few for its length; else the only one that begins with `name`.
// Empty where nothing is near. Upper and lower case, '-' and '_' count as the same.
std::string find_nearest_name(std::string_view name, std::span<const std::string> known);

// "; did you mean 'knee'?", or nothing.
std::string suggest_name(std::string_view name, std::span<const std::string> known);

}  // namespace sinew
