// apps/lcp/lcp.cpp - `sinew lcp`: solves a complementarity problem from a file, and says how well
#include <memory>

#include "common/command.hpp"
#include "lcp/run.hpp"

namespace sinew::app {

void add_lcp(Command& sinew) {
  Command c = sinew.add("lcp", "Solve a complementarity or contact problem from a file");
  const auto in = std::make_shared<LcpRequest>();
  const auto not_negative = [](const std::string& n) { return n.find('-') == 0 ? "must be 0 or more" : std::string(); };
  c.option("FILE", in->file, "A JSON file, see below", {.required = true});
  c.option("--solver", in->solver,
           "automatic; lemke, pivoting, pgs, newton, proximal, qp (linear problems and pyramids); gauss_seidel, "
           "alart_curnier (exact cones); or all, side by side",
           {.type = "NAME"});
  c.option("--directions", in->directions, "Contacts: 0 the exact cone, or an even number, the pyramid",
           {.type = "N", .check = not_negative});
  c.option("--tolerance", in->tolerance, "Relative residual that counts as solved",
           {.type = "E", .check = not_negative});
  c.option("--iterations", in->iterations, "Most pivots, sweeps or Newton steps; 0: the solver's own limit",
           {.type = "N", .check = not_negative});
  c.flag("--json", in->json, "Write JSON to the standard output");
  c.footer(
      "A file is either  {\"M\": [[..]], \"q\": [..]}  with optional \"lower\" and \"upper\" (null, \"inf\", 1e19 and "
      "more: infinite; without "
      "them\n0 and infinity), or a contact problem  {\"W\": [[..]], \"q\": [..], \"mu\": [..]}  whose rows are "
      "\"free\" "
      "equations,\n\"unilateral\" ones (counts, 0 without) and then normal, tangent, tangent of each contact; optional "
      "\"preload\",\n\"directions\". W must be symmetric to three digits once its free rows are eliminated, unless cut "
      "to "
      "pyramids.\n"
      "Exit codes: 0 solved, 2 the file is refused or holds numbers that are not finite, 3 wrong usage, 5 not solved.\n"
      "Examples:\n  sinew lcp problem.json --solver all\n  sinew lcp contacts.json --directions 8 --json");
  c.run([in] { return run_lcp(*in); });
}

}  // namespace sinew::app
