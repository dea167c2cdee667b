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
                            add_info(sinew);
                            add_check(sinew);
                            add_eval(sinew);
                            add_count(sinew);
                            add_bench(sinew);
                            add_lcp(sinew);
                            add_sim(sinew);
                            add_view(sinew);
                            add_report(sinew);
                            add_render(sinew);
                            add_compare(sinew);
                            add_reproduce(sinew);
                            add_verify(sinew);
                            add_sweep(sinew);
                            add_version(sinew);
                            add_completion(sinew);
                            add_man(sinew);
                          });
}
