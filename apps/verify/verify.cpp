// apps/verify/verify.cpp - `sinew verify`: the identities of the papers, and algorithms against each other, on a model
#include "verify/loop_study.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/model_input.hpp"
#include "common/model_json.hpp"
#include "common/refuse.hpp"

namespace sinew::app {
namespace {

struct Options {
  int states = 5;
  std::uint64_t seed = 1;
  double tolerance = 1e-10;
};

int run(const ModelInput& in, const Options& o) {
  if (o.states < 1) throw InputError("--states must be at least 1", kUsage);
  if (!(o.tolerance > 0)) throw InputError("--tolerance must be positive", kUsage);
  const ReadModel r = read_model(in);
  if (!r.model) return refuse(r.diagnostics, in.file.string(), in.json);
  if (r.model->nv() == 0) throw InputError("nothing moves in " + in.file.string() + ": there is nothing to verify");
  std::vector<VerifiedLaw> laws;
  std::string why_not;  // loops are left out
  try {
    laws = verify(*r.model, o.states, o.seed);
    const LoopStudy loops = verify_loops(*r.model, o.states, o.seed);
    laws.insert(laws.end(), loops.laws.begin(), loops.laws.end());
    why_not = loops.why_not;
  } catch (const std::invalid_argument& e) {
    throw InputError(in.file.string() + ": " + e.what());
  }
  int failed = 0;
  for (const VerifiedLaw& l : laws) failed += !(l.residual <= o.tolerance);
  if (in.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const VerifiedLaw& l : laws)
      rows.push_back({{"group", l.group},
                      {"law", l.law},
                      {"equation", l.equation},
                      {"residual", l.residual},
                      {"holds", l.residual <= o.tolerance}});
    nlohmann::ordered_json out{{"file", in.file.string()}, {"states", o.states}, {"seed", o.seed},
                               {"tolerance", o.tolerance}, {"failed", failed},   {"laws", rows}};
    if (!why_not.empty()) out["loops_left_out"] = why_not;
    fmt::print("{}", write(out));
  } else {
    for (const VerifiedLaw& l : laws)
      fmt::print("{:6} {:8.1e}  {:14}  {}\n", l.residual <= o.tolerance ? "holds" : "FAILS", l.residual, l.equation,
                 l.law);
    if (!why_not.empty()) fmt::print("loops are left out: {}\n", why_not);
    fmt::print("{}: {} laws at {} random states, {} failed (tolerance {:g}, relative)\n", in.file.string(), laws.size(),
               o.states, failed, o.tolerance);
  }
  return failed == 0 ? kOk : kUnsolved;
}

}  // namespace

void add_verify(Command& sinew) {
  Command c = sinew.add("verify", "Check the operator identities, and algorithms against each other, on a model");
  const auto in = add_model_input(c);
  const auto o = std::make_shared<Options>();
  c.option("--states", o->states, "Random states (5)", {.type = "N"});
  c.option("--seed", o->seed, "Of the random states (1)", {.type = "N"});
  c.option("--tolerance", o->tolerance, "Largest relative residual (1e-10)", {.type = "X"});
  c.footer(
      "Of the tree; and where there are loops or gears, of the SKO model in which they are embedded, with its "
      "accelerations against those with multipliers. Where they cannot be embedded it says why.\n"
      "Exit codes: 0 all hold, 2 the file is refused, 3 wrong usage, 5 a law fails.\n"
      "Example:\n  sinew verify models/humanoid.xml");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
