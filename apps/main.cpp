// apps/main.cpp - the command `sinew`
#include "common/command.hpp"

int main(int argc, char** argv) {
  using namespace sinew::app;
  return run_command_line(argc, argv,
                          "Exit codes: 0 fine, 1 warnings (check), 2 the input is refused, 3 wrong usage, 5 not solved "
                          "(lcp, sim) or wrong (verify),\n"
                          "6 not finite (sim), 7 not saved, 128 + signal (sim, sweep).\n"
                          "Each command has an example: sinew help info\n"
                          "Your shell completes names and options after: sinew --install-completion",
                          [](Command& sinew) {
#define SINEW_COMMAND(name) add_##name(sinew);
#include "commands.inc"  // cmake/SinewApps.cmake: those of this build
#undef SINEW_COMMAND
                          });
}
