// apps/check/check.cpp - `sinew check`: every remark about a file, and how to mend it
#include <fmt/format.h>

#include <algorithm>

#include "common/model_input.hpp"
#include "common/model_json.hpp"
#include "common/obstacles.hpp"
#include "common/report.hpp"

namespace sinew::app {
namespace {

Json to_json(const std::vector<Obstacle>& list) {
  Json out = Json::array();
  for (const Obstacle& o : list) out.push_back({{"stops", o.stops}, {"what", o.what}, {"repair", o.repair}});
  return out;
}
std::string to_text(const std::vector<Obstacle>& list, int width) {
  std::string out;
  for (const Obstacle& o : list) {
    out += wrapped(o.stops ? "  simulation stops: " : "  simulation: ", clean(o.what), width);
    if (!o.repair.empty()) out += wrapped("    -> ", clean(o.repair), width);
  }
  return out;
}

int run(const ModelInput& in) {
  const ReadModel r = read_model(in);
  const Diagnostics& d = r.diagnostics;
  const std::vector<Obstacle> obstacles = r.model ? find_obstacles(*r.model) : std::vector<Obstacle>();
  const auto stops = std::count_if(obstacles.begin(), obstacles.end(), [](const Obstacle& o) { return o.stops; });
  const int found = d.count(Severity::warning) > 0 || stops > 0 ? kWarnings : kOk;
  const int code = !r.model || (in.strict && stops > 0) ? kRefused : found;
  if (in.json) {
    const Json counts = {{"error", d.count(Severity::error)},
                         {"warning", d.count(Severity::warning)},
                         {"note", d.count(Severity::note)}};
    fmt::print("{}", write({{"file", in.file.string()},
                            {"ok", code == kOk},
                            {"counts", counts},
                            {"diagnostics", app::to_json(d)},
                            {"simulation", to_json(obstacles)}}));
    return code;
  }
  fmt::print(stderr, "{}", report(d, in.file.string(), Paint(stderr), find_width(stderr)));
  fmt::print(stderr, "{}", to_text(obstacles, find_width(stderr)));
  std::fflush(stderr);
  fmt::print("{}: {}{}\n", in.file.string(), summarize(d),
             stops > 0 ? fmt::format("; {} would stop a simulation", stops) : "");
  return code;
}

}  // namespace

void add_check(Command& sinew) {
  Command c = sinew.add("check", "List what is wrong with a model, and how to mend it");
  const auto in = add_model_input(c);
  in->meshes = true;
  c.footer(
      "Remarks go to the standard error, the verdict to the standard output. It also looks for what sinew sim would "
      "trip\n"
      "over: bases without mass, meshes that cannot be read, loops that contradict each other, bodies that overlap at "
      "the\n"
      "start, servos too stiff for the step.\n"
      "Exit codes: 0 clean (notes allowed), 1 warnings, 2 errors, 3 wrong usage.\n"
      "Example:\n  sinew check --strict models/humanoid.xml && echo ready");
  c.run([in] { return run(*in); });
}

}  // namespace sinew::app
