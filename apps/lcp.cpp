// apps/lcp.cpp - `sinew lcp`: solves a complementarity problem from a file, and says how well
#include <memory>

#include "command.hpp"
#include "lcp_run.hpp"

namespace sinew::app {

void add_lcp(CLI::App& app, Action& chosen) {
  CLI::App* sub = app.add_subcommand("lcp", "Solve a complementarity or contact problem from a file");
  const auto in = std::make_shared<LcpRequest>();
  sub->add_option("FILE", in->file, "A JSON file, see below")->required()->type_name("");
  sub->add_option("--solver", in->solver,
                  "automatic; lemke, pivoting, pgs, newton, proximal, qp (linear problems and pyramids); gauss_seidel, "
                  "alart_curnier (exact cones); or all, side by side")
      ->type_name("NAME");
  sub->add_option("--directions", in->directions, "Contacts: 0 the exact cone, or an even number, the pyramid")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  sub->add_option("--tolerance", in->tolerance, "Relative residual that counts as solved")
      ->check(CLI::PositiveNumber)
      ->type_name("E");
  sub->add_option("--iterations", in->iterations, "Most pivots, sweeps or Newton steps; 0: the solver's own limit")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  sub->add_flag("--json", in->json, "Write JSON to the standard output");
  sub->footer(
      "A file is either  {\"M\": [[..]], \"q\": [..]}  with optional \"lower\" and \"upper\" (null: infinite; without "
      "them\n0 and infinity), or a contact problem  {\"W\": [[..]], \"q\": [..], \"mu\": [..]}  whose rows are "
      "\"free\" "
      "equations,\n\"unilateral\" ones (counts, 0 without) and then normal, tangent, tangent of each contact; optional "
      "\"preload\",\n\"directions\".\n"
      "Exit codes: 0 solved, 2 the file is refused or holds numbers that are not finite, 3 wrong usage, 5 not solved.\n"
      "Examples:\n  sinew lcp problem.json --solver all\n  sinew lcp contacts.json --directions 8 --json");
  sub->callback([in, &chosen] { chosen = [in] { return run_lcp(*in); }; });
}

}  // namespace sinew::app
