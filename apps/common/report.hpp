// apps/common/report.hpp - diagnostics for people
#pragma once
#include <string>

#include "common/terminal.hpp"
#include "sinew/base/diagnostic.hpp"

namespace sinew::app {

// Every diagnostic with its repair, grouped by code, worst first. Lines are those of `file`,
// unless a diagnostic names another file.
std::string report(const Diagnostics&, const std::string& file, const Paint&, int width);

// "2 errors, 1 warning, 3 notes", or "nothing to remark".
std::string summarize(const Diagnostics&);

}  // namespace sinew::app
