// apps/version.cpp - `sinew version`
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace sinew::app {

void add_version(CLI::App& app, Action& chosen) {
  CLI::App* sub = app.add_subcommand("version", "Say which Sinew this is");
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "Write JSON");
  sub->footer("Example:\n  sinew version");
  sub->callback([json, &chosen] {
    chosen = [json] {
      if (*json)
        fmt::print("{}\n", nlohmann::ordered_json{{"name", "sinew"}, {"version", SINEW_VERSION}}.dump(2));
      else
        fmt::print("sinew {}\n", SINEW_VERSION);
      return kOk;
    };
  });
}

}  // namespace sinew::app
