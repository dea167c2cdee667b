// apps/main.cpp - the command `sinew`
#include "common/command.hpp"

int main(int argc, char** argv) {
  using namespace sinew::app;
  return run_command_line(argc, argv,
                          "Exit codes: 0 fine, 1 warnings (check), 2 the input is refused, 3 wrong usage, 5 not solved "
                          "(lcp) or wrong (verify),\n"
                          "6 not finite and 7 not saved (sim), 128 + signal (sim).\n"
                          "Each command has an example: sinew info --help",
                          [](Command& sinew) {
                            add_info(sinew);
                            add_check(sinew);
                            add_eval(sinew);
                            add_count(sinew);
                            add_bench(sinew);
                            add_lcp(sinew);
                            add_sim(sinew);
                            add_compare(sinew);
                            add_reproduce(sinew);
                            add_verify(sinew);
                            add_version(sinew);
                          });
}
