// apps/common/refuse.hpp - says why a model file cannot be used
#pragma once
#include <string>

#include "sinew/base/diagnostic.hpp"

namespace sinew::app {

// As text on the error stream, or as JSON on the standard output; returns the exit code kRefused.
int refuse(const Diagnostics&, const std::string& file, bool json);

}  // namespace sinew::app
