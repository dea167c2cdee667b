// apps/check/check.cpp - `sinew check`: every remark about a file, and how to mend it
#include <fmt/format.h>

#include "common/model_input.hpp"
#include "common/model_json.hpp"
#include "common/report.hpp"

namespace sinew::app {
namespace {

int run(const ModelInput& in) {
  const ReadModel r = read_model(in);
  const Diagnostics& d = r.diagnostics;
  const int code = !r.model ? kRefused : d.count(Severity::warning) > 0 ? kWarnings : kOk;
  if (in.json) {
    const Json counts = {{"error", d.count(Severity::error)},
                         {"warning", d.count(Severity::warning)},
                         {"note", d.count(Severity::note)}};
    fmt::print(
        "{}",
        write({{"file", in.file.string()}, {"ok", code == kOk}, {"counts", counts}, {"diagnostics", to_json(d)}}));
    return code;
  }
  fmt::print(stderr, "{}", report(d, in.file.string(), Paint(stderr), find_width(stderr)));
  std::fflush(stderr);
  fmt::print("{}: {}\n", in.file.string(), summarize(d));
  return code;
}

}  // namespace

void add_check(Command& sinew) {
  Command c = sinew.add("check", "List what is wrong with a model, and how to mend it");
  const auto in = add_model_input(c);
  c.footer(
      "Remarks go to the standard error, the verdict to the standard output.\n"
      "Exit codes: 0 clean (notes allowed), 1 warnings, 2 errors, 3 wrong usage.\n"
      "Example:\n  sinew check --strict models/humanoid.xml && echo ready");
  c.run([in] { return run(*in); });
}

}  // namespace sinew::app
