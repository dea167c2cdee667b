// apps/version/version.cpp - `sinew version`
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common/command.hpp"

namespace sinew::app {

void add_version(Command& sinew) {
  Command c = sinew.add("version", "Print the version");
  const auto json = std::make_shared<bool>(false);
  c.flag("--json", *json, "Write JSON");
  c.footer("Example:\n  sinew version");
  c.run([json] {
    if (*json)
      fmt::print("{}\n", nlohmann::ordered_json{{"name", "sinew"}, {"version", SINEW_VERSION}}.dump(2));
    else
      fmt::print("sinew {}\n", SINEW_VERSION);
    return kOk;
  });
}

}  // namespace sinew::app
