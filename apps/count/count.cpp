// apps/count/count.cpp - `sinew count`: operations of the algorithms on one model, and of the Delassus matrix
#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/model_input.hpp"
#include "common/refuse.hpp"
#include "common/terminal.hpp"
#include "count/held_places.hpp"
#include "count/operations.hpp"
#include "sinew/delassus/cost.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

std::string to_text(const Model& m, const HeldPlaces& held, const delassus::Choice& choice) {
  const Paint paint(stdout);
  std::string out = fmt::format("{}: n = {}, m = {} rows\n", paint.bold(clean(m.name())), m.nv(), held.rows);
  out += fmt::format("{:<14}{:>11}{:>11}{:>8}{:>6}{:>11}{:>14}\n", "algorithm", "mul", "add", "div", "sqrt", "total",
                     "predicted us");
  for (const delassus::Cost& c : choice.costs)
    out += fmt::format("{:<14}{:>11}{:>11}{:>8}{:>6}{:>11}{:>14.1f}\n", to_string(c.algorithm), c.operations.mul,
                       c.operations.add, c.operations.div, c.operations.sqrt, c.total(), c.nanoseconds / 1000);
  return out + "best is " + choice.reason + "\n";
}
std::string to_json_text(const Model& m, const std::string& file, const HeldPlaces& held,
                         const delassus::Choice& choice) {
  Json out = {{"file", file}, {"name", m.name()}, {"n", m.nv()}, {"rows", held.rows}};
  for (const delassus::Cost& c : choice.costs)
    out["algorithms"][std::string(to_string(c.algorithm))] = {
        {"mul", c.operations.mul},   {"add", c.operations.add}, {"div", c.operations.div},
        {"sqrt", c.operations.sqrt}, {"total", c.total()},      {"predicted_us", c.nanoseconds / 1000}};
  out["best"] = {{"algorithm", to_string(choice.algorithm)}, {"reason", choice.reason}};
  return write_short(out);
}

int run(const ModelInput& in, std::uint64_t seed, const std::string& constraints) {
  const std::string file = in.file.string();
  const ReadModel r = read_model(in);
  if (!r.model) return refuse(r.diagnostics, file, in.json);
  say_remarks(r.diagnostics, r.model->spec(), in);
  const Model& m = *r.model;
  if (constraints.empty()) {
    const Operations o = count_operations(m, seed);
    fmt::print("{}", in.json ? to_json_text(o, file, m.name(), seed) : to_text(o, m.name()));
    return kOk;
  }
  try {
    Random random(seed);
    const HeldPlaces held = read_held_places(m, constraints, random_configuration(m, random));
    const delassus::Choice choice = best(m, delassus::Problem(m, held.rows, held.entries), held.K);
    fmt::print("{}", in.json ? to_json_text(m, file, held, choice) : to_text(m, held, choice));
    return kOk;
  } catch (const InputError& e) {
    fmt::print(stderr, "sinew count: {}\n", e.what());
    return e.code;
  }
}

}  // namespace

void add_count(Command& sinew) {
  Command c = sinew.add("count", "Count the operations of each algorithm on a model");
  const auto in = add_model_input(c);
  const auto seed = std::make_shared<std::uint64_t>(1);
  const auto constraints = std::make_shared<std::string>();
  c.option("--seed", *seed, "Seed of the random state; matters only where a coordinate happens to be zero",
           {.type = "N"});
  c.option("--constraints", *constraints,
           "Count the Delassus algorithms instead, under PLACE:weld, PLACE:point, PLACE:001110 (turns about x y "
           "z, shifts along x y z), model (its own loops and couplings); separated by commas, or a .json file",
           {.type = "SET"});
  c.footer(
      "Multiplications, additions, divisions, square roots, sines and cosines, counted while the algorithms run at a\n"
      "random state. Operations with a constant 0 or 1 are not counted, as in F08 chapter 10.\n"
      "D0: joints between two moving bodies, in DH frames + general; D1, D2: as in F08 6.26, 6.27.\n"
      "Exit codes: 0 fine, 2 the file is refused, 3 wrong usage.\n"
      "Examples:\n  sinew count models/gu6.xml\n"
      "  sinew count models/humanoid.xml --constraints left_sole:weld,right_sole:weld");
  c.run([in, seed, constraints] { return run(*in, *seed, *constraints); });
}

}  // namespace sinew::app
