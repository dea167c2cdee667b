// apps/count.cpp - `sinew count`: operations of the algorithms on one model
#include <fmt/format.h>

#include "model_input.hpp"
#include "operations.hpp"
#include "refuse.hpp"

namespace sinew::app {
namespace {

int run(const ModelInput& in, std::uint64_t seed) {
  const std::string file = in.file.string();
  const ReadModel r = read_model(in);
  if (!r.model) return refuse(r.diagnostics, file, in.json);
  const Operations o = count_operations(*r.model, seed);
  const std::string name = r.model->name();
  fmt::print("{}", in.json ? to_json_text(o, file, name, seed) : to_text(o, name));
  return kOk;
}

}  // namespace

void add_count(CLI::App& app, Action& chosen) {
  CLI::App* sub = app.add_subcommand("count", "Count the operations of each algorithm on a model");
  const auto in = add_model_input(*sub);
  const auto seed = std::make_shared<std::uint64_t>(1);
  sub->add_option("--seed", *seed, "Of the random state; matters only where a coordinate happens to be zero")
      ->type_name("N");
  sub->footer(
      "Multiplications, additions, divisions, square roots, sines and cosines, counted while the algorithms run at a\n"
      "random state. Operations with a constant 0 or 1 are not counted, as in F08 chapter 10.\n"
      "D0: joints between two moving bodies, in DH frames + general; D1, D2: as in F08 6.26, 6.27.\n"
      "Exit codes: 0 fine, 2 the file is refused, 3 wrong usage.\n"
      "Example:\n  sinew count models/gu6.xml");
  sub->callback([in, seed, &chosen] { chosen = [in, seed] { return run(*in, *seed); }; });
}

}  // namespace sinew::app
