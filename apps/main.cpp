// apps/main.cpp - the command `sinew`
#include <fmt/format.h>

#include <exception>

#include "command.hpp"

int main(int argc, char** argv) {
  using namespace sinew::app;
  CLI::App app("Sinew: multibody dynamics that is never silent", "sinew");
  app.set_version_flag("--version", "sinew " SINEW_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 warnings (check), 2 the input is refused, 3 wrong usage, 5 not solved (lcp).\n"
      "Each command has an example: sinew info --help");
  Action chosen;
  add_info(app, chosen);
  add_check(app, chosen);
  add_eval(app, chosen);
  add_count(app, chosen);
  add_bench(app, chosen);
  add_lcp(app, chosen);
  add_reproduce(app, chosen);
  add_version(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "sinew: {}\nThis should not happen; please report it with the file that caused it.\n", e.what());
    return kInternal;
  }
}
