// apps/common/refuse.cpp
#include "common/refuse.hpp"

#include <fmt/format.h>

#include "common/model_json.hpp"
#include "common/report.hpp"

namespace sinew::app {

int refuse(const Diagnostics& diagnostics, const std::string& file, bool json) {
  if (json)
    fmt::print("{}", write({{"file", file}, {"diagnostics", to_json(diagnostics)}}));
  else
    fmt::print(stderr, "{}{}: refused, {}\n", report(diagnostics, file, Paint(stderr), find_width(stderr)), file,
               summarize(diagnostics));
  return 2;  // kRefused of command.hpp, which costs two seconds to include
}

}  // namespace sinew::app
