// src/generate/helpers.hpp - the small functions that generated code brings along
#pragma once
#include <string>
#include <vector>

#include "sinew/generate/generate.hpp"

namespace sinew::generate {

// sincos of whole lists, as in base/pack_math.hpp, and those of `operations` that are used beside + - * /.
std::string write_helpers(const std::string& prefix, const Options&, bool sincos,
                          const std::vector<std::string>& operations);

}  // namespace sinew::generate
